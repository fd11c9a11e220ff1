// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/serve/answer.h"
#include "app/serve/reply_writer.h"

namespace carryover {

inline constexpr std::size_t kMostStates = 256;

/// The states behind documents that were read, as files NAME.state in one folder. A client names a state and never
/// gives a path. Any thread.
class StateStore {
 public:
  /// Finds the states in the folder, and leaves other files alone. With an empty name there is no folder, and each
  /// request is refused. Throws EngineError{Io} where the folder can't be read.
  explicit StateStore(std::string folder);

  struct Kept {
    std::string policy;
    SegmentConfig config;
    std::int64_t tokens = 0, bytes = 0;
  };
  /// Throws ApiError{400} where `name` is not valid, {404} where no state has it.
  Kept find(const std::string& name) const;
  /// Returns the path of a state's file, which may not exist yet. Throws ApiError{400} where `name` is not valid, or
  /// there is no folder.
  std::string path_of(const std::string& name) const;
  /// Throws ApiError{409} where there are too many states to add this one.
  void require_room(const std::string& name) const;
  void keep(const std::string& name);    ///< its file was written
  void remove(const std::string& name);  ///< also deletes its file. Throws as find()
  nlohmann::json json(const ServedModel& served) const;

 private:
  static Kept read(const std::string& path);

  const std::string folder_;
  mutable std::mutex mutex_;
  std::map<std::string, Kept> states_;
};

/// Returns true for 1 to 64 of the characters A-Z a-z 0-9 . _ -, without a dot in front.
bool is_state_name(std::string_view name);

/// The body of POST /v1/states: a document to read, and the name under which to keep the state behind it.
struct StateRequest {
  std::string name, policy, text;
};
/// Throws ApiError{400, 404, 409}. Any thread.
StateRequest parse_state(std::string_view body, const ServedModel& served, const StateStore& store);

/// Reads the document. Throws ApiError and EngineError. The engine's thread.
void keep_state(const StateRequest& request, const ServedModel& served, StateStore& store, ServingEngine& engine,
                ReplyWriter& writer, Usage& usage, RunControl& control);

}  // namespace carryover
