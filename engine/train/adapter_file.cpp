// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/adapter_file.h"

#include <bit>

#include "engine/formats/content_hash.h"
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
  std::uint64_t hash = std::bit_cast<std::uint64_t>(adapter.scale);
  for (const SafetensorsTensor& tensor : stored.tensors.tensors()) {
    const std::string name = tensor.name + " " + tensor.dtype;
    hash = join_hashes(hash, content_hash(std::as_bytes(std::span(name))));
    hash = join_hashes(hash, content_hash(tensor.data));
  }
  return {std::move(adapter), hex_of(hash)};
}

}  // namespace carryover
