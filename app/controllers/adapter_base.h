// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace carryover {

bool is_adapter_folder(const QString& path);

/// The model that an adapter says it is for, where that is on this machine; else empty.
QString base_of_adapter(const QString& adapter);

}  // namespace carryover
