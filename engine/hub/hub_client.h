// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hub/hub_name.h"
#include "engine/hub/hub_settings.h"

namespace carryover {

class RunControl;

/// A file as a hub lists it. A plain value.
struct HubFile {
  std::string path;  ///< in the repository: "config.json", "onnx/model.onnx"; relative, without `..`
  std::int64_t bytes = 0;
  std::string blob;  ///< its name in the cache: its SHA-256 if git stores it elsewhere (LFS), else its name in git
};

/// A model's files at a commit. A plain value.
struct HubModel {
  HubName name;
  std::string commit;
  std::vector<HubFile> files;
};

/// Takes the body of a file. Implemented by the caller of HubClient::get().
class HubBody {
 public:
  virtual ~HubBody() = default;
  virtual std::int64_t size() const = 0;  ///< bytes that are here already
  virtual bool is_whole() const = 0;
  virtual void restart() = 0;  ///< drops them: the server begins anew
  virtual void append(std::string_view bytes) = 0;
};

/// Asks a hub for a model's files and their contents. A transfer that is cut, a server that fails (5xx) and one that
/// asks to wait (429) are asked again, after pauses that grow, until five tries in a row brought nothing. Everything
/// throws EngineError: {Io} says which server refused what, and what to do; {BadInput} that an answer is no hub's;
/// {Cancelled} that `control` was asked to stop. Owner: one thread.
class HubClient {
 public:
  /// `note` gets a line before each pause. The references must outlive this.
  HubClient(const HubSettings& settings, std::function<void(const std::string& line)> note, RunControl& control);

  HubModel list(const HubName& name);
  /// Continues `body` where it ends.
  void get(const HubModel& model, const HubFile& file, HubBody& body);

 private:
  void get(const HubName& name, const std::string& url, HubBody& body);
  void pause(const std::string& reason, int tries, std::int64_t asked_for);

  const HubSettings& settings_;
  std::function<void(const std::string& line)> note_;
  RunControl& control_;
};

/// Reads a hub's description of a model. Throws EngineError{BadInput}, also for a file name that would lead out of a
/// folder. Pure; any thread.
HubModel hub_model_from(std::string_view answer, const HubName& name);

}  // namespace carryover
