// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/core/config/model_config.h"

namespace carryover {

bool is_adapter_folder(const QString& path);

/// The model that an adapter says it is for, where that is on this machine; else empty.
QString base_of_adapter(const QString& adapter);

/// Why the adapter can't be merged into a model of this shape; empty: it can. Reads its headers, no weights. Throws
/// EngineError{Io, BadInput, Unsupported} for a folder that is no adapter.
QString why_not_merged(const QString& adapter, const ModelConfig& model);

}  // namespace carryover
