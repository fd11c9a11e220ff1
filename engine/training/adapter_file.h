// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/decoder/decoder.h"

namespace carryover {

struct LoadedAdapter {
  Adapter adapter;
  std::vector<BranchGates> gates;  ///< [L]; none where the file has none
  std::string hash;                ///< 16 hex digits of every byte, and of the scale
};

/// A PEFT adapter's folder, for this decoder. Throws EngineError{BadInput, Unsupported, Io} naming the file where it
/// does not fit the model.
LoadedAdapter read_adapter(const std::string& directory, const Decoder& decoder);

}  // namespace carryover
