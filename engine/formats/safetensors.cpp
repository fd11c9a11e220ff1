// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors.h"

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/formats/dequantize.h"
#include "engine/formats/json_file.h"
#include "engine/formats/mapped_file.h"

namespace carryover {

namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

[[noreturn]] void refuse_safetensors(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "The file is damaged or incomplete: fetch it again.");
}

struct Dtype {
  std::string_view name;
  std::uint64_t bytes;
  std::optional<StorageType> type;
};

const Dtype* find_dtype(std::string_view name) {
  static const Dtype kDtypes[] = {{"F32", 4, StorageType::F32},
                                  {"F16", 2, StorageType::F16},
                                  {"BF16", 2, StorageType::BF16},
                                  {"F64", 8, StorageType::F64},
                                  {"I64", 8, {}},
                                  {"U64", 8, {}},
                                  {"I32", 4, {}},
                                  {"U32", 4, {}},
                                  {"I16", 2, {}},
                                  {"U16", 2, {}},
                                  {"I8", 1, {}},
                                  {"U8", 1, {}},
                                  {"BOOL", 1, {}},
                                  {"F8_E4M3", 1, {}},
                                  {"F8_E5M2", 1, {}}};
  const auto found =
      std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const Dtype& d) { return d.name == name; });
  return found == std::end(kDtypes) ? nullptr : found;
}

/// Reads a list of non-negative integers; throws if the entry has no such list.
std::vector<std::int64_t> read_sizes(const nlohmann::json& entry, const char* key, const std::string& tensor_where) {
  const auto list = entry.find(key);
  if (list == entry.end() || !list->is_array())
    refuse_safetensors(tensor_where, std::string(key) + " is missing or not a list");
  std::vector<std::int64_t> sizes;
  for (const nlohmann::json& value : *list) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
      refuse_safetensors(tensor_where, std::string(key) + " holds something other than a size");
    }
    sizes.push_back(value.get<std::int64_t>());
  }
  return sizes;
}

SafetensorsTensor read_entry(const std::string& name, const nlohmann::json& entry, std::span<const std::byte> data,
                             const std::string& where) {
  const std::string tensor_where = where + ": tensor '" + name.substr(0, 120) + "'";
  const JsonFields fields(entry, tensor_where);
  SafetensorsTensor tensor;
  tensor.name = name;
  tensor.dtype = fields.find_text("dtype").value_or("");
  const Dtype* dtype = find_dtype(tensor.dtype);
  if (dtype == nullptr) refuse_safetensors(tensor_where, "dtype '" + tensor.dtype.substr(0, 40) + "' is not known");
  tensor.type = dtype->type;
  tensor.shape = read_sizes(entry, "shape", tensor_where);
  std::uint64_t bytes = dtype->bytes;
  for (const std::int64_t size : tensor.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) {
      refuse_safetensors(tensor_where, "the shape's size overflows");
    }
  }
  const auto offsets = read_sizes(entry, "data_offsets", tensor_where);
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    refuse_safetensors(tensor_where, "data_offsets is not [begin, end]");
  const auto begin = static_cast<std::uint64_t>(offsets[0]), end = static_cast<std::uint64_t>(offsets[1]);
  if (end > data.size()) {
    refuse_safetensors(tensor_where, "its data ends at byte " + std::to_string(end) + ", and the file has only " +
                                         std::to_string(data.size()) + " bytes of data");
  }
  if (end - begin != bytes) {
    refuse_safetensors(tensor_where, "shape and dtype need " + std::to_string(bytes) + " bytes, data_offsets span " +
                                         std::to_string(end - begin));
  }
  tensor.data = data.subspan(begin, bytes);
  return tensor;
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  auto file = MappedFile::open(path);
  SafetensorsFile result = parse(file->bytes(), path);
  file->require_whole();
  result.file_ = std::move(file);
  return result;
}

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() < 8)
    refuse_safetensors(where, "is too short for a safetensors file (" + std::to_string(bytes.size()) + " bytes)");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > kMaxHeaderBytes || length > bytes.size() - 8) {
    refuse_safetensors(where, "the header claims " + std::to_string(length) + " bytes, the file has " +
                                  std::to_string(bytes.size() - 8) + " after its first 8");
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, length);
  const nlohmann::json header = parse_json(text, where + " (header)", JsonKind::TensorList, JsonKeys::Unique);
  if (!header.is_object()) refuse_safetensors(where, "the header is not a JSON object");
  const auto data = bytes.subspan(8 + length);
  SafetensorsFile file;
  file.where_ = where;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : entry.items())
        if (value.is_string()) file.metadata_[key] = value.get<std::string>();
      continue;
    }
    file.index_[name] = file.tensors_.size();
    file.tensors_.push_back(read_entry(name, entry, data, where));
  }
  file.check_tiling(data);
  return file;
}

SafetensorsFile SafetensorsFile::renamed(const NameOf& name_of) const {
  SafetensorsFile file = *this;
  file.tensors_.clear();
  file.index_.clear();
  for (SafetensorsTensor tensor : tensors_) {
    const auto name = name_of(tensor.name);
    if (!name) continue;
    const bool is_new = file.index_.emplace(*name, file.tensors_.size()).second;
    if (!is_new)
      throw EngineError(Fault::BadInput, where_, "has the tensor " + name->substr(0, 120) + " twice, with two prefixes",
                        "Save the model again.");
    tensor.name = *name;
    file.tensors_.push_back(std::move(tensor));
  }
  return file;
}

void SafetensorsFile::check_tiling(std::span<const std::byte> data) const {
  std::vector<const SafetensorsTensor*> order;
  for (const SafetensorsTensor& tensor : tensors_) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->data.data(), a->data.size()) < std::pair(b->data.data(), b->data.size());
  });
  const std::byte* position = data.data();
  for (const SafetensorsTensor* tensor : order) {
    if (tensor->data.data() != position) {
      const bool overlaps = tensor->data.data() < position;
      refuse_safetensors(where_ + ": tensor '" + tensor->name.substr(0, 120) + "'",
                         overlaps ? "overlaps the one before it" : "leaves a gap after the one before it");
    }
    position += tensor->data.size();
  }
  if (position != data.data() + data.size()) {
    refuse_safetensors(where_,
                       std::to_string(data.data() + data.size() - position) + " bytes at the end belong to no tensor");
  }
}

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

std::optional<std::uint64_t> safetensors_dtype_bytes(std::string_view dtype) {
  const Dtype* found = find_dtype(dtype);
  return found == nullptr ? std::nullopt : std::optional(found->bytes);
}

}  // namespace carryover
