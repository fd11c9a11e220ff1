// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/formats/safetensors.h"

namespace carryover {

namespace {

std::uint64_t element_bytes(const OutgoingTensor& tensor) {
  const auto bytes = safetensors_dtype_bytes(tensor.dtype);
  CARRYOVER_CHECK(bytes.has_value());
  return *bytes;
}

std::uint64_t tensor_bytes(const OutgoingTensor& tensor) {
  std::uint64_t bytes = element_bytes(tensor);
  for (const std::int64_t size : tensor.shape) {
    CARRYOVER_CHECK(size >= 0);
    bytes *= static_cast<std::uint64_t>(size);
  }
  return bytes;
}

/// Returns the header: eight bytes of length, then JSON, padded so that the data begin at a multiple of eight.
std::string header_of(const std::vector<const OutgoingTensor*>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t begin = 0;
  for (const OutgoingTensor* tensor : tensors) {
    CARRYOVER_CHECK(tensor->name != "__metadata__" && !header.contains(tensor->name));
    const std::uint64_t end = begin + tensor_bytes(*tensor);
    header[tensor->name] = {{"dtype", tensor->dtype}, {"shape", tensor->shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = json_text(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (unsigned shift = 0; shift < 64; shift += 8) length += static_cast<char>(text.size() >> shift & 0xFF);
  return length + text;
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<OutgoingTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<const OutgoingTensor*> ordered;
  for (const OutgoingTensor& tensor : tensors) ordered.push_back(&tensor);
  std::stable_sort(ordered.begin(), ordered.end(), [](const OutgoingTensor* a, const OutgoingTensor* b) {
    return element_bytes(*a) > element_bytes(*b);  // so that every tensor is aligned for its type
  });
  write_atomically(path, [&](OutputFile& file) {
    file.append(header_of(ordered, metadata));
    for (const OutgoingTensor* tensor : ordered) {
      const std::span<const std::byte> bytes = tensor->bytes();
      CARRYOVER_CHECK(bytes.size() == tensor_bytes(*tensor));
      file.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  });
}

}  // namespace carryover
