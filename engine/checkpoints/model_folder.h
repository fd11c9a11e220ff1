// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/training_config.h"
#include "engine/families/model_config.h"
#include "engine/formats/safetensors.h"
#include "engine/formats/safetensors_writer.h"

namespace carryover {

/// Writes an HF folder that transformers and `carryover run` load: config.json, model.safetensors, and the tokenizer of
/// `tokenizer_of`, a model's path (its files are copied; a GGUF's vocabulary is written as tokenizer.json or
/// tokenizer.model). All end tokens of that model are in config.json and generation_config.json. The folder must exist.
/// `dtype` is spelled as in config.json: "float32", "bfloat16". Throws EngineError{Io}.
void write_model_folder(const std::string& directory, const ModelConfig& model, const std::string& dtype,
                        const std::vector<OutgoingTensor>& tensors, const std::string& tokenizer_of);

/// Writes a PEFT adapter that peft and `--adapter` load: adapter_config.json and adapter_model.safetensors with
/// base_model.model.<module>.lora_A.weight [r, in] and lora_B.weight [out, r]. If the adapter was trained under policy
/// nsa, the file also has its gates (gate_tensors()), which peft ignores.
void write_adapter_folder(const std::string& directory, const LoraConfig& lora, const std::string& base_model,
                          const std::vector<OutgoingTensor>& tensors);

/// The prefix of a module's name in an adapter's tensor names.
inline constexpr std::string_view adapter_prefix = "base_model.model.";

/// Tells where an adapter's first values came from: they began beside the base's weights, which stay as they are, or
/// were taken out of them. In the second case peft subtracts those values from the base whenever it loads the adapter
/// (init_lora_weights).
enum class AdapterStart {
  Beside,
  Pissa,  ///< the weights' principal components
  Olora   ///< the first columns and rows of their QR decomposition
};

/// An adapter that was read from a folder. Tensor names are peft's. Throws EngineError{BadInput, Unsupported, Io},
/// which names the file.
struct StoredAdapter {
  LoraConfig lora;
  AdapterStart start = AdapterStart::Beside;
  std::string base_model;
  SafetensorsFile tensors;
};
StoredAdapter read_adapter_folder(const std::string& directory);

}  // namespace carryover
