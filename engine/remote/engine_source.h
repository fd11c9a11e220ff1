// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "engine/api/session.h"
#include "engine/remote/remote_engine.h"

namespace carryover {

/// Where sessions come from: the engine of this process, or one elsewhere. Owner: the engine thread.
class EngineSource {
 public:
  /// From now on the engine that `command` starts, or this process where it is empty. Sessions of the last one are
  /// gone. Throws as RemoteEngine::connect(), after which nothing can be opened until the next call.
  void use(const std::string& command, RunControl& control, const LoadProgress& loading);
  /// The same of a command; where it throws, all is as it was, and sessions go on.
  void change_to(const std::string& command, RunControl& control, const LoadProgress& loading);

  bool elsewhere() const { return !command_.empty(); }
  const EnginePlace& place() const { return remote_->place(); }  ///< of one elsewhere, once use() has returned
  std::optional<pid_t> process() const { return remote_ ? remote_->process() : std::nullopt; }

  /// Where the tokenizer of a model and what it was trained under can be read here: the model's own path, or a folder
  /// that lasts until the next call. Throws what is wrong with the model.
  struct ModelFolders {
    std::string tokenizer, trained_under;
  };
  ModelFolders model_folders(const ModelRequest& request);

  /// Throws as open_session(), or what broke the line.
  std::unique_ptr<Session> open(const ModelRequest& request, const LoadProgress& progress);

  /// Why the line is broken, given once.
  std::optional<EngineError> take_loss();

 private:
  RemoteEngine& remote();

  std::string command_;
  std::shared_ptr<RemoteEngine> remote_;  ///< null in this process, and where no connection could be made
  std::optional<EngineError> refusal_;    ///< why it could not
  bool loss_taken_ = false;
};

}  // namespace carryover
