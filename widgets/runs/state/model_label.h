// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <string>

#include "engine/runs/values/model_info.h"

namespace carryover {

/// Model and adapter by name: "SmolLM2-135M + aligned". The result of a training goes by what was trained and for how
/// long: "demo + 20 steps". Reads the training's small config.json, where it is on this machine.
QString model_name(const ModelInfo& model);
/// Returns the same for a model of a results file: its name, and paths, which may be anybody's.
QString model_name(const std::string& name, const std::string& path, const std::string& adapter);
/// The first 8 digits of the base's hash and of the adapter's. A hash that is none stays as it is.
QString short_hash(const std::string& weights_hash);
/// Name, dtype and hash, in a line.
QString model_label(const ModelInfo& model);
/// All of it, a line each: paths, whole hash, device, threads, training.
QString model_details(const ModelInfo& model);

}  // namespace carryover
