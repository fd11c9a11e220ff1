// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/core/config/model_config.h"
#include "engine/core/config/training_config.h"
#include "engine/formats/safetensors.h"
#include "engine/formats/safetensors_writer.h"

namespace carryover {

/// A HF folder that transformers and `carryover run` load: config.json, model.safetensors, and the tokenizer of
/// `tokenizer_of` (a model's path: files are copied, a GGUF's vocabulary is written as tokenizer.json or
/// tokenizer.model). The folder must exist. `dtype` as config.json spells it: "float32", "bfloat16". Throws
/// EngineError{Io}.
void write_model_folder(const std::string& directory, const ModelConfig& model, const std::string& dtype,
                        const std::vector<OutgoingTensor>& tensors, const std::string& tokenizer_of);

/// A PEFT adapter that peft and `--adapter` load: adapter_config.json and adapter_model.safetensors with
/// base_model.model.<module>.lora_A.weight [r, in] and lora_B.weight [out, r]; and the gates of policy nsa
/// (gate_tensors()), which peft passes over, where it was trained under that.
void write_adapter_folder(const std::string& directory, const LoraConfig& lora, const std::string& base_model,
                          const std::vector<OutgoingTensor>& tensors);

/// An adapter read back. Tensor names are peft's. Throws EngineError{BadInput, Unsupported, Io} naming the file.
struct StoredAdapter {
  LoraConfig lora;
  std::string base_model;
  SafetensorsFile tensors;
};
StoredAdapter read_adapter_folder(const std::string& directory);

}  // namespace carryover
