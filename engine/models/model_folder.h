// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/config/training_config.h"
#include "engine/families/model_config.h"
#include "engine/formats/safetensors.h"
#include "engine/formats/safetensors_writer.h"

namespace carryover {

/// A HF folder that transformers and `carryover run` load: config.json, model.safetensors, and the tokenizer of
/// `tokenizer_of` (a model's path: files are copied, a GGUF's vocabulary is written as tokenizer.json or
/// tokenizer.model), with all its end tokens in config.json and generation_config.json. The folder must exist. `dtype`
/// as config.json spells it: "float32", "bfloat16". Throws EngineError{Io}.
void write_model_folder(const std::string& directory, const ModelConfig& model, const std::string& dtype,
                        const std::vector<OutgoingTensor>& tensors, const std::string& tokenizer_of);

/// A PEFT adapter that peft and `--adapter` load: adapter_config.json and adapter_model.safetensors with
/// base_model.model.<module>.lora_A.weight [r, in] and lora_B.weight [out, r]; and the gates of policy nsa
/// (gate_tensors()), which peft passes over, where it was trained under that.
void write_adapter_folder(const std::string& directory, const LoraConfig& lora, const std::string& base_model,
                          const std::vector<OutgoingTensor>& tensors);

/// What precedes a module's name in an adapter's tensor names.
inline constexpr std::string_view adapter_prefix = "base_model.model.";

/// How an adapter's first values came about: beside the base's weights, which stay as they are, or out of them. In the
/// second case peft subtracts those values from the base again whenever it loads the adapter (init_lora_weights).
enum class AdapterStart {
  Beside,
  Pissa,  ///< the weights' principal components
  Olora   ///< the first columns and rows of their QR decomposition
};

/// An adapter read back. Tensor names are peft's. Throws EngineError{BadInput, Unsupported, Io} naming the file.
struct StoredAdapter {
  LoraConfig lora;
  AdapterStart start = AdapterStart::Beside;
  std::string base_model;
  SafetensorsFile tensors;
};
StoredAdapter read_adapter_folder(const std::string& directory);

}  // namespace carryover
