// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/adapter_file.h"

#include "engine/io/fingerprint.h"
#include "engine/io/model_folder.h"
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
  Fingerprint fingerprint;
  for (const SafetensorsTensor& tensor : stored.tensors.tensors()) {
    fingerprint.add(tensor.name);
    fingerprint.add(tensor.data);
  }
  return {std::move(adapter), fingerprint.hex()};
}

}  // namespace carryover
