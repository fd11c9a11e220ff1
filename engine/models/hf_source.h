// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/formats/safetensors.h"
#include "engine/models/model_source.h"

namespace carryover {

/// A Hugging Face folder: config.json beside model.safetensors, or beside model.safetensors.index.json and its shards.
/// Errors as ModelSource::open.
std::unique_ptr<ModelSource> open_hf_folder(const std::string& path);

/// The model that a config and safetensors files make together; its config says whether the embeddings are tied in the
/// files. The bytes of files from SafetensorsFile::parse must outlive the result.
std::unique_ptr<ModelSource> hf_model(ModelConfig config, const std::vector<SafetensorsFile>& files);

}  // namespace carryover
