// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/device_memory.h"

namespace carryover {

DeviceMemory::DeviceMemory(RunController& runs) : runs_(runs), calls_(runs.engine().worker(), *this) {
  connect(&runs, &RunController::state_changed, this, &DeviceMemory::ask);
  connect(&runs.loader(), &ModelLoader::model_changed, this, [this] {
    set(std::nullopt);
    ask();
  });
}

void DeviceMemory::ask() {
  if (asking_ || !runs_.loader().model() || !runs_.why_engine_is_busy().isEmpty()) return;
  asking_ = true;
  const auto answer = [this](const std::optional<std::int64_t>& bytes) {
    asking_ = false;
    set(bytes);
  };
  calls_.start(
      std::make_shared<RunControl>(), [](EngineCall& call) { return call.session().free_memory(); }, answer,
      [answer](const ErrorReport&) { answer(std::nullopt); });
}

void DeviceMemory::set(const std::optional<std::int64_t>& bytes) {
  if (free_ == bytes) return;
  free_ = bytes;
  Q_EMIT changed();
}

}  // namespace carryover
