// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <optional>

#include "app/controllers/run_controller.h"
#include "app/engine_thread/engine_call.h"

namespace carryover {

/// The memory that the open model's device can still give. The engine is asked for it whenever it has become idle: the
/// device may be a GPU, or another machine's. GUI thread; never waits. Must not outlive its RunController.
class DeviceMemory : public QObject {
  Q_OBJECT
 public:
  explicit DeviceMemory(RunController& runs);
  const std::optional<std::int64_t>& free_bytes() const { return free_; }  ///< nothing while it is not known

 Q_SIGNALS:
  void changed();

 private:
  void ask();
  void set(const std::optional<std::int64_t>& bytes);

  RunController& runs_;
  EngineCalls calls_;
  bool asking_ = false;
  std::optional<std::int64_t> free_;
};

}  // namespace carryover
