// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "engine/api/session.h"
#include "engine/remote/remote_engine.h"

namespace carryover {

/// Opens sessions, with the engine of this process or with one elsewhere. Owner: the engine thread.
class EngineSource {
 public:
  /// Uses the engine that `command` starts from now on, or this process where `command` is empty. Sessions of the
  /// previous engine are gone. Throws as RemoteEngine::connect(), after which nothing can be opened until the next
  /// call.
  void use(const std::string& command, RunControl& control, const LoadProgress& loading);
  /// Does the same for a command; if it throws, nothing has changed, and the present sessions stay usable.
  void change_to(const std::string& command, RunControl& control, const LoadProgress& loading);

  bool elsewhere() const { return !command_.empty(); }
  const EnginePlace& place() const {
    return remote_->place();
  }  ///< place of an engine elsewhere, once use() has
     ///< returned
  std::optional<pid_t> process() const { return remote_ ? remote_->process() : std::nullopt; }

  /// Folders on this machine with a model's tokenizer and with the settings that it was trained under: the model's own
  /// path, or a folder that exists until the next call. model_folders() throws the model's error.
  struct ModelFolders {
    std::string tokenizer, trained_under;
  };
  ModelFolders model_folders(const ModelRequest& request);

  /// Throws as open_session(), or the error that broke the connection.
  std::unique_ptr<Session> open(const ModelRequest& request, const LoadProgress& progress);

  /// Returns the error that broke the connection, once.
  std::optional<EngineError> take_loss();

 private:
  RemoteEngine& remote();

  std::string command_;
  std::shared_ptr<RemoteEngine> remote_;  ///< null for the engine of this process, and where connecting failed
  std::optional<EngineError> refusal_;    ///< the error of a failed connection
  bool loss_taken_ = false;
};

}  // namespace carryover
