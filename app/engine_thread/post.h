// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMetaObject>
#include <utility>

namespace carryover {

/// Calls `call(*object)` on the thread of `object`, a QObject, which has to be there then. Any thread; returns at once.
template <typename Object, typename Call>
void post(Object* object, Call call) {
  QMetaObject::invokeMethod(
      object, [object, call = std::move(call)] { call(*object); }, Qt::QueuedConnection);
}

}  // namespace carryover
