// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/config/segment_config.h"
#include "engine/config/training_config.h"

namespace carryover {

/// A whole fine-tuning run: what the dialog fills in, `carryover train --config` reads and config.json keeps.
struct TrainingPlan {
  std::string model;                ///< HF folder or GGUF file
  std::vector<std::string> data;    ///< text files, folders, .jsonl, .json (token ids)
  std::string text_field = "text";  ///< of a JSONL line
  std::string output_dir;
  std::string policy = "segmented";  ///< "full": the paper's misaligned training, each sample one segment
  DType dtype = DType::Auto;
  Device device = Device::Auto;
  int threads = 0;
  SegmentConfig config;
  TrainingConfig training;

  std::int64_t segments_per_sample() const;  ///< train_segments, or K + 1
  std::int64_t tokens_per_sample() const { return segments_per_sample() * config.segment_length; }
  /// Throws EngineError{BadInput} naming the field. data and output_dir are checked where they are read and written:
  /// a dry run needs no folder.
  void validate(const ModelConfig& model_config, const std::string& where) const;
};

/// One flat object: fields of the plan, of TrainingConfig and of SegmentConfig by name.
nlohmann::json plan_json(const TrainingPlan& plan);

/// `fields` over defaults for the model that they name, which is opened only where a field of SegmentConfig is absent.
/// "environment", which a run's config.json holds beside the plan, is passed over. Throws EngineError{BadInput} for an
/// absent model, unknown names (with the nearest known one) and wrong types, and what ModelSource::open throws.
TrainingPlan plan_from_json(const nlohmann::json& fields, const std::string& where);

/// Presets of the dialog: "paper-7b", "smollm2-gpu", "smollm2-cpu", "tiny-demo".
struct TrainingPreset {
  std::string name, title;
  void (*apply)(TrainingPlan& plan);  ///< leaves model, data, output and grouping as they are
};
const std::vector<TrainingPreset>& training_presets();

}  // namespace carryover
