// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/stored_model.h"

#include <set>
#include <span>

#include "engine/base/error.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/dequantize.h"
#include "engine/formats/mapped_file.h"

namespace carryover {

namespace {

/// Returns the row of a file that holds row `row` of a Hugging Face file. `rows`: number of all, of `heads` heads. In
/// each head, a Hugging Face file has the first components of all rotated pairs and then the second ones.
std::int64_t stored_row(GgufRows order, std::int64_t row, std::int64_t rows, std::int64_t heads) {
  if (order == GgufRows::Same) return row;
  const std::int64_t of_head = rows / heads, within = row % of_head;
  if (order == GgufRows::PairByPair) {
    const std::int64_t pairs = of_head / 2;
    return row - within + 2 * (within % pairs) + within / pairs;
  }
  const std::int64_t d = of_head / 3, part = within / d;
  return (part * heads + row / of_head) * d + within % d;
}

}  // namespace

void StoredModel::add(const WeightRow& tensor, Place place, bool as_gguf) {
  const std::vector<std::int64_t> shape = tensor.shape();
  if (place.shape != shape) {
    throw EngineError(Fault::BadInput, place.where,
                      "tensor " + tensor.hf_name + " has shape " + listed_shape(place.shape) + ", the config needs " +
                          listed_shape(shape),
                      "The config and the weights belong to different models, or one is damaged: fetch both again.");
  }
  const BlockLayout layout = block_layout(place.type);
  Content content{place.type,
                  place.data,
                  std::move(place.file),
                  tensor.is_vector() ? 1 : tensor.rows,
                  shape.back(),
                  0,
                  as_gguf ? tensor.gguf_rows : GgufRows::Same,
                  tensor.heads,
                  as_gguf ? tensor.gguf_offset : 0,
                  std::move(place.where)};
  content.row_bytes = content.columns / layout.values * layout.bytes;
  CARRYOVER_CHECK(content.columns % layout.values == 0);
  CARRYOVER_CHECK(static_cast<std::size_t>(content.rows * content.row_bytes) == content.data.size());
  index_[tensor.hf_name] = tensors_.size();
  tensors_.push_back({tensor.hf_name, shape, place.type});
  contents_.push_back(std::move(content));
}

const StoredTensor* StoredModel::find(const std::string& hf_name) const {
  const auto found = index_.find(hf_name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

void StoredModel::read_rows(const StoredTensor& tensor, std::int64_t begin, std::int64_t end, float* out) const {
  const Content& content = content_of(tensor);
  CARRYOVER_CHECK(0 <= begin && begin <= end && end <= content.rows);
  const auto address = [&](std::int64_t row) { return content.data.data() + row * content.row_bytes; };
  const auto stored = [&](std::int64_t row, std::int64_t rows) {
    return stored_row(content.order, row, rows, content.heads);
  };
  if (content.order == GgufRows::Same) {
    dequantize(content.type, address(begin), (end - begin) * content.columns, out);
  } else if (tensor.shape.size() == 1) {  // a vector's values are its rows, but are read as one
    std::vector<float> as_stored(static_cast<std::size_t>(content.columns));
    dequantize(content.type, address(0), content.columns, as_stored.data());
    for (std::int64_t i = 0; i < (end - begin) * content.columns; ++i)
      out[i] = as_stored[static_cast<std::size_t>(stored(i, content.columns))];
  } else {
    for (std::int64_t row = begin; row < end; ++row)
      dequantize(content.type, address(stored(row, content.rows)), content.columns,
                 out + (row - begin) * content.columns);
  }
  if (content.offset != 0)
    for (float& value : std::span(out, static_cast<std::size_t>((end - begin) * content.columns)))
      value -= static_cast<float>(content.offset);
  if (content.file) {
    content.file->require_whole();
    content.file->release({address(begin), static_cast<std::size_t>((end - begin) * content.row_bytes)});
  }
}

const StoredModel::Content& StoredModel::content_of(const StoredTensor& tensor) const {
  const auto found = index_.find(tensor.name);
  CARRYOVER_CHECK(found != index_.end());
  return contents_[found->second];
}

std::uint64_t StoredModel::content_hash(const StoredTensor& tensor) const {
  constexpr std::size_t kPart = std::size_t{16} << 20;  // a part of the hash's definition
  const Content& content = content_of(tensor);
  std::uint64_t hash = content.data.size();
  for (std::size_t at = 0; at < content.data.size(); at += kPart) {
    const auto part = content.data.subspan(at, std::min(kPart, content.data.size() - at));
    hash = join_hashes(hash, carryover::content_hash(part));
    if (content.file) content.file->require_whole();
    if (content.file && part.size() == kPart) content.file->release(part);  // a small tensor is about to be read
  }
  return hash;
}

std::string StoredModel::where(const StoredTensor& tensor) const {
  return content_of(tensor).where;
}

std::vector<std::string> StoredModel::files() const {
  std::set<std::string> paths;
  for (const Content& content : contents_)
    if (content.file) paths.insert(content.file->path());
  return {paths.begin(), paths.end()};
}

std::string listed_shape(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

void refuse_missing_tensor(const std::string& where, const std::string& name) {
  throw EngineError(Fault::BadInput, where, "the tensor " + name + " is missing",
                    "Fetch the model again, all its files.");
}

void refuse_extra_tensor(const std::string& where, std::string_view name) {
  std::string printable;
  for (const char c : name.substr(0, 120)) printable += c >= ' ' && c <= '~' ? c : '?';
  throw EngineError(Fault::Unsupported, where,
                    "holds the tensor '" + printable + "', which a model of this family does not have",
                    "Supported: models of the family without further biases, norms, experts or adapters.");
}

}  // namespace carryover
