// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/engine_source.h"

#include <utility>

#include "engine/api/engine_library.h"
#include "engine/checkpoints/model_source.h"

namespace carryover {

void EngineSource::use(const std::string& command, RunControl& control, const LoadProgress& loading) {
  remote_.reset();
  refusal_.reset();
  command_ = command;
  loss_taken_ = false;
  if (command.empty()) return;
  try {
    change_to(command, control, loading);
  } catch (const EngineError& error) {
    refusal_ = error;
    throw;
  }
}

void EngineSource::change_to(const std::string& command, RunControl& control, const LoadProgress& loading) {
  auto remote = RemoteEngine::connect(command, control);
  remote->set_loading(loading);
  remote_ = std::move(remote);
  refusal_.reset();
  command_ = command;
  loss_taken_ = false;
}

RemoteEngine& EngineSource::remote() {
  if (refusal_) throw *refusal_;
  CARRYOVER_CHECK(remote_ != nullptr);
  return *remote_;
}

EngineSource::ModelFolders EngineSource::model_folders(const ModelRequest& request) {
  if (elsewhere()) {
    const std::string folder = remote().model_files(request.path, request.adapter);
    return {folder, folder};
  }
  ModelSource::open(request.path);
  return {request.path, request.adapter.empty() ? request.path : request.adapter};
}

std::unique_ptr<Session> EngineSource::open(const ModelRequest& request, const LoadProgress& progress) {
  return elsewhere() ? remote().open(request, progress) : load_session(request, progress);
}

std::optional<EngineError> EngineSource::take_loss() {
  if (!elsewhere() || loss_taken_) return std::nullopt;
  const auto loss = remote_ ? remote_->loss() : refusal_;
  loss_taken_ = loss.has_value();
  return loss;
}

}  // namespace carryover
