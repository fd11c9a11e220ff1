// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>

class QWidget;

namespace carryover {

/// Does `work`; an EngineError of it is shown in a box over `parent`, which nothing waits for. GUI thread.
void showing_errors(QWidget* parent, const QString& title, const std::function<void()>& work);

}  // namespace carryover
