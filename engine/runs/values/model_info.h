// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "engine/base/dtype.h"
#include "engine/families/model_config.h"

namespace carryover {

struct ModelRequest {
  std::string path;              ///< HF folder or GGUF file
  DType dtype = DType::Auto;     ///< Auto: the faster one on this machine, by the table of cost/dtype_choice.h
  Device device = Device::Auto;  ///< Auto: CUDA if a GPU and the CUDA parts are there
  int threads = 0;               ///< 0: all cores, or one if the model is too small to be shared
  bool for_decoding = false;     ///< true if Auto optimises for one row at a time instead of whole segments
  std::string adapter;           ///< PEFT folder that is merged into the weights as they load, or empty
};

/// Describes the weights that a session computes with. They are always those that open_session() gives for `path`,
/// `adapter` and `dtype`: training in a session ends by loading what it wrote, so that a run after it and a run of the
/// command line on the same folders have the same hash, id, command and numbers.
struct ModelInfo {
  ModelConfig config;
  std::string path;          ///< after training of all weights: final/ of its output folder, or the newest checkpoint
  std::string adapter;       ///< merged adapter, or empty; after training of a LoRA: the folder that was written
  std::string weights_hash;  ///< 16 hex digits of every byte of every tensor and of the shape; then "+" and the
                             ///< adapter's
  std::int64_t trained_steps = 0;  ///< optimizer steps of this session's training in the weights; 0: as they were
                                   ///< opened
  std::string trained_in;          ///< the output folder of that training, or empty
  DType dtype = DType::Float32;
  std::string dtype_reason;  ///< reason for the dtype; empty if an older version recorded it
  Device device = Device::Cpu;
  int threads = 1;
  std::int64_t weight_bytes = 0;
  std::string library_versions;  ///< LibTorch and CUDA, for config.json
};

/// Called on the engine thread while a model loads; must return quickly.
using LoadProgress = std::function<void(double fraction, const std::string& what)>;

}  // namespace carryover
