// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/config/segment_config.h"
#include "engine/formats/safetensors.h"

namespace carryover {

/// The header of a saved state's file: the text that was read, the weights that read it, and the settings. The file is
/// safetensors: the header is its __metadata__ and its tensor `ids` (int32); all other tensors are the state's own
/// (engine/runs/state_file.h).
struct StateHeader {
  std::string weights_hash;  ///< ModelInfo::weights_hash
  ModelConfig model;
  DType dtype = DType::Float32;  ///< dtype of the session; never Auto
  std::string policy;
  SegmentConfig config;         ///< as the text was read
  std::int64_t ntk_length = 0;  ///< length by which dynamic NTK or longrope set the angles, tokens; 0 where none did
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the text's, at least one

  std::int64_t tokens() const { return std::ssize(*ids); }
};

inline constexpr const char* kStateIds = "ids";  ///< the tensor's name

/// Returns a configuration without the settings that only decide how a prompt ends and how gradients flow: two states
/// behind the same text are equal where these results are.
SegmentConfig as_read(SegmentConfig config);

std::map<std::string, std::string> state_metadata(const StateHeader& header);

/// Reads the header of a saved state. Throws EngineError{BadInput} naming the file where it is no saved state,
/// {Unsupported} for another version of the format. The caller has to check that configuration and ids fit a model.
StateHeader read_state_header(const SafetensorsFile& file);
StateHeader read_state_header(const std::string& path);

/// Returns the number under `key` in __metadata__, in [0, most]. Throws EngineError{BadInput}.
std::int64_t state_number(const SafetensorsFile& file, const std::string& key, std::int64_t most);

/// Throws EngineError{BadInput} with the problem of a saved state's file.
[[noreturn]] void refuse_state(const std::string& path, const std::string& problem);

}  // namespace carryover
