// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/base/dtype.h"
#include "engine/core/config/segment_config.h"
#include "engine/formats/safetensors.h"

namespace carryover {

/// What a file of a saved state says of it: which text was read, by which weights and how. The file is safetensors:
/// this is its __metadata__ and its tensor `ids` (int32); all other tensors are the state's own
/// (engine/eval/state_file.h).
struct StateHeader {
  std::string weights_hash;  ///< ModelInfo::weights_hash
  ModelConfig model;
  DType dtype = DType::Float32;  ///< that the session computed in; never Auto
  std::string policy;
  SegmentConfig config;         ///< as the text was read
  std::int64_t ntk_length = 0;  ///< what dynamic NTK scaled to, tokens; 0 where nothing was scaled
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the text's, at least one

  std::int64_t tokens() const { return std::ssize(*ids); }
};

inline constexpr const char* kStateIds = "ids";  ///< the tensor's name

/// A configuration without what only says how a prompt ends and how gradients flow: states behind a text that was read
/// under two of them are the same where these are.
SegmentConfig as_read(SegmentConfig config);

std::map<std::string, std::string> state_metadata(const StateHeader& header);

/// Throws EngineError{BadInput} naming the file where it is no saved state, {Unsupported} where it is of another
/// version of the format. Whether configuration and ids fit a model is still to be checked.
StateHeader read_state_header(const SafetensorsFile& file);
StateHeader read_state_header(const std::string& path);

/// The number of __metadata__ under `key`, in [0, most]. Throws EngineError{BadInput}.
std::int64_t state_number(const SafetensorsFile& file, const std::string& key, std::int64_t most);

/// Throws EngineError{BadInput} that says what is wrong with a file of a saved state.
[[noreturn]] void refuse_state(const std::string& path, const std::string& problem);

}  // namespace carryover
