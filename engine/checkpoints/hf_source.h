// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/checkpoints/model_source.h"
#include "engine/formats/safetensors.h"

namespace carryover {

/// Opens a Hugging Face folder: config.json with model.safetensors, or with model.safetensors.index.json and its
/// shards. Throws as ModelSource::open does.
std::unique_ptr<ModelSource> open_hf_folder(const std::string& path);

/// Does what open_hf_folder() does but for reading weights: returns the configuration, as config.json has it, of a
/// folder whose headers make a model. Throws as ModelSource::open does.
ModelConfig check_hf_folder(const std::string& path);

/// Returns the model that a config and safetensors files make together; its config says whether the embeddings are tied
/// in the files. The bytes of files from SafetensorsFile::parse must outlive the result.
std::unique_ptr<ModelSource> hf_model(ModelConfig config, const std::vector<SafetensorsFile>& files);

}  // namespace carryover
