// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/adapter_file.h"

#include <algorithm>
#include <bit>

#include "engine/formats/content_hash.h"
#include "engine/models/llama_tensors.h"
#include "engine/models/model_folder.h"
#include "engine/train/tensor_file.h"

namespace carryover {

LoadedAdapter read_adapter(const std::string& directory, const Decoder& decoder) {
  const StoredAdapter stored = read_adapter_folder(directory);
  Adapter adapter = make_adapter(stored.lora, decoder.config, decoder.options().dtype(at::kFloat), 0);
  for (LowRankUpdate* update : adapter.updates()) {
    const std::string name = "base_model.model." + update->name;
    read_tensor(stored.tensors, name + ".lora_A.weight", update->a);
    read_tensor(stored.tensors, name + ".lora_B.weight", update->b);
  }
  std::vector<BranchGates> gates;
  const std::vector<LlamaTensor> names = gate_tensors(decoder.config);
  const auto stored_name = [](const LlamaTensor& tensor) { return "base_model.model." + tensor.hf_name; };
  const bool gated = std::ranges::any_of(
      names, [&](const LlamaTensor& tensor) { return stored.tensors.find(stored_name(tensor)) != nullptr; });
  for (std::size_t i = 0; gated && i < names.size(); i += 2) {  // a layer's rows and its bias
    gates.push_back(neutral_gates(decoder.config, decoder.options()));
    read_tensor(stored.tensors, stored_name(names[i]), gates.back().rows);
    read_tensor(stored.tensors, stored_name(names[i + 1]), gates.back().bias);
  }
  std::uint64_t hash = std::bit_cast<std::uint64_t>(adapter.scale);
  for (const SafetensorsTensor& tensor : stored.tensors.tensors()) {
    const std::string name = tensor.name + " " + tensor.dtype;
    hash = join_hashes(hash, content_hash(std::as_bytes(std::span(name))));
    hash = join_hashes(hash, content_hash(tensor.data));
  }
  return {std::move(adapter), std::move(gates), hex_of(hash)};
}

}  // namespace carryover
