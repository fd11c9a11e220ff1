// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/adapter_file.h"

#include <algorithm>
#include <bit>

#include "engine/checkpoints/adapter_fit.h"
#include "engine/checkpoints/model_folder.h"
#include "engine/decoder/adapter_start.h"
#include "engine/families/weight_rows.h"
#include "engine/formats/content_hash.h"
#include "engine/training/tensor_file.h"

namespace carryover {

LoadedAdapter read_adapter(const std::string& directory, const Decoder& decoder) {
  const StoredAdapter stored = read_adapter_folder(directory);
  check_adapter_fits(stored, decoder.config);
  const auto read = [&](const std::string& name, const at::Tensor& into) {
    read_tensor(stored.tensors, std::string(adapter_prefix) + name, into,
                "Fetch the adapter again, or train it again.");
  };
  Adapter adapter = make_adapter(stored.lora, decoder.config, decoder.options().dtype(at::kFloat), 0);
  for (LowRankUpdate* update : adapter.updates()) {
    read(update->name + ".lora_A.weight", update->a);
    read(update->name + ".lora_B.weight", update->b);
  }
  take_out_start(adapter, decoder.weights, stored.start);
  std::vector<BranchGates> gates;
  const std::vector<WeightRow> names = gate_tensors(decoder.config);
  const bool gated = std::ranges::any_of(names, [&](const WeightRow& tensor) {
    return stored.tensors.find(std::string(adapter_prefix) + tensor.hf_name) != nullptr;
  });
  for (std::size_t i = 0; gated && i < names.size(); i += 2) {  // a layer's rows and its bias
    gates.push_back(neutral_gates(decoder.config, decoder.options()));
    read(names[i].hf_name, gates.back().rows);
    read(names[i + 1].hf_name, gates.back().bias);
  }
  std::uint64_t hash = std::bit_cast<std::uint64_t>(adapter.scale);
  if (stored.start != AdapterStart::Beside) hash = join_hashes(hash, static_cast<std::uint64_t>(stored.start));
  for (const SafetensorsTensor& tensor : stored.tensors.tensors()) {
    const std::string name = tensor.name + " " + tensor.dtype;
    hash = join_hashes(hash, content_hash(std::as_bytes(std::span(name))));
    hash = join_hashes(hash, content_hash(tensor.data));
  }
  return {std::move(adapter), std::move(gates), hex_of(hash)};
}

}  // namespace carryover
