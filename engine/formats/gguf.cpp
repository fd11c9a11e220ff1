// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/error.h"
#include "engine/formats/dequantize.h"
#include "engine/formats/ggml_names.h"
#include "engine/formats/gguf_part_name.h"
#include "engine/formats/mapped_file.h"

namespace carryover {

namespace {

enum ValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64, kValueTypes };

/// Bytes of one value of each fixed-size type; 0 for String and Array.
constexpr std::size_t kValueBytes[kValueTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr const char* kValueNames[kValueTypes] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                  "bool", "string", "array", "u64", "i64", "f64"};

// Headers of real files have a few megabytes, most of them tokens and merges, and a few hundred tensors and keys.
constexpr std::uint64_t kMaxGgufHeader = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxGgufItems = std::uint64_t{1} << 20;

template <typename T>
T load(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// Returns a name from the file in a form for messages: at most 80 bytes, without control characters or broken UTF-8.
std::string in_quotes(std::string_view name) {
  std::string text = "'";
  for (const char c : name.substr(0, 80)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (name.size() > 80 ? "…'" : "'");
}

std::int64_t integer_at(std::uint32_t type, const std::byte* address) {
  switch (type) {
    case U8:
      return load<std::uint8_t>(address);
    case I8:
      return load<std::int8_t>(address);
    case U16:
      return load<std::uint16_t>(address);
    case I16:
      return load<std::int16_t>(address);
    case U32:
      return load<std::uint32_t>(address);
    case I32:
      return load<std::int32_t>(address);
    default:
      return load<std::int64_t>(address);
  }
}

bool is_integer(std::uint32_t type) {
  return kValueBytes[type] != 0 && type != F32 && type != F64 && type != Bool;
}

double real_at(std::uint32_t type, const std::byte* address) {
  if (type == F32) return load<float>(address);
  if (type == F64) return load<double>(address);
  return static_cast<double>(integer_at(type, address));
}

}  // namespace

/// Parses the file in one pass. Nothing is allocated for a count before the bytes that it promises are known to be
/// there.
class GgufParser {
 public:
  GgufParser(std::span<const std::byte> bytes, const std::string& where) : bytes_(bytes) { result_.where_ = where; }

  GgufFile run() {
    read_header();
    for (std::uint64_t i = 0; i < value_count_; ++i) read_pair();
    for (std::uint64_t i = 0; i < tensor_count_; ++i) add_tensor(read_entry());
    place_tensors();
    return std::move(result_);
  }

  GgufOutline outline() {
    read_header();
    GgufOutline found;
    try {
      for (std::uint64_t i = 0; i < value_count_; ++i) read_pair();
      for (std::uint64_t i = 0; i < tensor_count_; ++i) {
        const Entry entry = read_entry();
        found.numbers[entry.type] += entry.numbers;
      }
    } catch (const EngineError&) {  // the outline ends here
    }
    found.keys = std::move(result_);
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw EngineError(Fault::BadInput, result_.where_, problem, "The file is damaged or incomplete: fetch it again.");
  }
  [[noreturn]] void unsupported(const std::string& problem, const std::string& advice) const {
    throw EngineError(Fault::Unsupported, result_.where_, problem, advice);
  }

  std::span<const std::byte> take(std::uint64_t count, const char* what) {
    if (count > bytes_.size() - position_) {
      refuse(std::string(what) + " at byte " + std::to_string(position_) + " needs " + std::to_string(count) +
             " bytes, the file has " + std::to_string(bytes_.size() - position_) + " left");
    }
    position_ += count;
    if (position_ > kMaxGgufHeader)
      refuse("has a header of more than " + std::to_string(kMaxGgufHeader >> 20) + " MiB");
    return bytes_.subspan(position_ - count, count);
  }
  template <typename T>
  T number(const char* what) {
    return load<T>(take(sizeof(T), what).data());
  }
  std::string_view text(const char* what) {
    const auto length = number<std::uint64_t>(what);
    const auto span = take(length, what);
    return {reinterpret_cast<const char*>(span.data()), span.size()};
  }
  /// Checks a count of items that take at least `smallest` bytes each.
  void check_count(std::uint64_t count, std::uint64_t smallest, const std::string& what) const {
    if (count > (bytes_.size() - position_) / smallest) {
      refuse("claims " + std::to_string(count) + " " + what + ", more than the file can hold");
    }
  }

  void read_header() {
    if (bytes_.size() < 4 || std::memcmp(bytes_.data(), "GGUF", 4) != 0) {
      unsupported("is not a GGUF file", "Give a GGUF file (version 2 or 3) or a Hugging Face model folder.");
    }
    position_ = 4;
    const auto version = number<std::uint32_t>("the version");
    if (version != 2 && version != 3) {
      const bool swapped = __builtin_bswap32(version) == 2 || __builtin_bswap32(version) == 3;
      unsupported(swapped ? "is a big-endian GGUF file" : "has GGUF version " + std::to_string(version),
                  "Supported: little-endian versions 2 and 3; convert the model again.");
    }
    tensor_count_ = number<std::uint64_t>("the number of tensors");
    value_count_ = number<std::uint64_t>("the number of key-value pairs");
    check_count(tensor_count_, 32, "tensors");
    check_count(value_count_, 13, "key-value pairs");
    if (std::max(tensor_count_, value_count_) > kMaxGgufItems)
      refuse("claims more than " + std::to_string(kMaxGgufItems) + " tensors or key-value pairs");
  }

  void read_pair() {
    const std::string_view key = text("a key");
    if (key.empty()) refuse("has an empty key at byte " + std::to_string(position_));
    GgufFile::Value value;
    value.type = number<std::uint32_t>("a value's type");
    if (value.type == Array) {
      value.is_array = true;
      value.type = number<std::uint32_t>("an array's type");
      value.count = number<std::uint64_t>("an array's length");
      if (value.type == Array)
        unsupported("key " + in_quotes(key) + " is an array of arrays", "Convert the model again.");
    }
    if (value.type >= kValueTypes)
      refuse("key " + in_quotes(key) + " has the unknown type " + std::to_string(value.type));
    const std::size_t begin = position_;
    if (value.type == String) {
      check_count(value.count, 8, "strings in " + in_quotes(key));
      for (std::uint64_t i = 0; i < value.count; ++i) text("a string");
    } else {
      check_count(value.count, kValueBytes[value.type], "values in " + in_quotes(key));
      take(value.count * kValueBytes[value.type], "a value");
    }
    value.bytes = bytes_.subspan(begin, position_ - begin);
    if (value.type == Bool &&
        std::any_of(value.bytes.begin(), value.bytes.end(), [](std::byte b) { return b > std::byte{1}; })) {
      refuse("key " + in_quotes(key) + " holds a bool that is neither 0 nor 1");
    }
    if (!result_.values_.emplace(key, value).second) refuse("has the key " + in_quotes(key) + " twice");
  }

  /// A tensor as the directory lists it; nothing but its sizes is checked.
  struct Entry {
    std::string name;
    std::vector<std::int64_t> shape;  ///< row-major
    std::uint64_t numbers = 1;
    std::uint32_t type = 0;  ///< ggml's number
    std::uint64_t offset = 0;
  };

  Entry read_entry() {
    Entry entry;
    entry.name = text("a tensor's name");
    const std::string what = "tensor " + in_quotes(entry.name);
    const auto dimensions = number<std::uint32_t>("a tensor's number of dimensions");
    if (dimensions < 1 || dimensions > 4) refuse(what + " has " + std::to_string(dimensions) + " dimensions");
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const auto size = number<std::uint64_t>("a tensor's shape");
      if (size == 0 || size > std::uint64_t{INT64_MAX} || __builtin_mul_overflow(entry.numbers, size, &entry.numbers)) {
        refuse(what + " has a size that is zero or overflows");
      }
      entry.shape.insert(entry.shape.begin(), static_cast<std::int64_t>(size));
    }
    entry.type = number<std::uint32_t>("a tensor's type");
    entry.offset = number<std::uint64_t>("a tensor's offset");
    return entry;
  }

  void add_tensor(Entry entry) {
    const std::string what = "tensor " + in_quotes(entry.name);
    const auto known = storage_of_ggml(entry.type);
    if (!known) {
      unsupported(what + " has the type " + ggml_type_name(entry.type),
                  "Supported: " + ggml_types_read() + ". Quantise the model to one of these.");
    }
    GgufTensor tensor{std::move(entry.name), std::move(entry.shape), *known, {}, {}};
    const BlockLayout layout = block_layout(tensor.type);
    if (tensor.shape.back() % layout.values != 0) {
      refuse(what + " has rows of " + std::to_string(tensor.shape.back()) + " values, not whole blocks of " +
             std::string(storage_name(tensor.type)));
    }
    std::uint64_t size = entry.numbers / static_cast<std::uint64_t>(layout.values);
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(layout.bytes), &size)) refuse(what + " is too large");
    if (!result_.tensor_index_.emplace(tensor.name, result_.tensors_.size()).second) refuse("has " + what + " twice");
    offsets_.push_back({entry.offset, size});
    result_.tensors_.push_back(std::move(tensor));
  }

  /// Places the tensors: the data begins at the next multiple of the alignment, and offsets count from there.
  void place_tensors() {
    const std::int64_t alignment = result_.find_int("general.alignment").value_or(32);
    if (alignment < 1 || alignment > (1 << 30) || !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
      refuse("general.alignment is " + std::to_string(alignment) + ", not a power of two");
    }
    const auto step = static_cast<std::uint64_t>(alignment);
    const std::uint64_t start = std::min<std::uint64_t>((position_ + step - 1) / step * step, bytes_.size());
    const auto data = bytes_.subspan(start);
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const auto [offset, size] = offsets_[i];
      GgufTensor& tensor = result_.tensors_[i];
      if (offset % step != 0)
        refuse("tensor " + in_quotes(tensor.name) + " is not aligned to " + std::to_string(step) + " bytes");
      if (offset > data.size() || size > data.size() - offset) {
        refuse("tensor " + in_quotes(tensor.name) + " reaches past the end of the file");
      }
      tensor.data = data.subspan(offset, size);
    }
    check_overlaps();
  }

  void check_overlaps() const {
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : result_.tensors_) order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->data.data() < b->data.data(); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (order[i]->data.data() < order[i - 1]->data.data() + order[i - 1]->data.size()) {
        refuse("tensors " + in_quotes(order[i - 1]->name) + " and " + in_quotes(order[i]->name) + " overlap");
      }
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::uint64_t tensor_count_ = 0, value_count_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> offsets_;  ///< (offset, size) of each tensor
  GgufFile result_;
};

namespace {

/// Throws unless the file that says that it is part `place`, counted from 0, of `count` is named so.
GgufPartName name_of_part(const std::string& path, std::int64_t place, std::int64_t count) {
  constexpr std::int64_t most = 99'999;  // five digits
  if (count > most || place < 0 || place >= count)
    throw EngineError(Fault::BadInput, path,
                      "says that it is part " + std::to_string(place) + " of " + std::to_string(count),
                      "Fetch or split the model again.");
  GgufPartName name{{}, place + 1, count, ".gguf"};
  const std::string end = name.path(name.number);
  if (!path.ends_with(end))
    throw EngineError(Fault::BadInput, path, "is one part of a model, but its name does not end in " + end,
                      "Give the parts the names that they were fetched with.");
  name.stem = path.substr(0, path.size() - end.size());
  return name;
}

}  // namespace

GgufFile GgufFile::open_part(const std::string& path) {
  auto file = MappedFile::open(path);
  GgufFile result = parse(file->bytes(), path);
  file->require_whole();
  for (GgufTensor& tensor : result.tensors_) tensor.file = file;
  result.file_ = std::move(file);
  return result;
}

void GgufFile::add_part(GgufFile part) {
  for (GgufTensor& tensor : part.tensors_) {
    if (!tensor_index_.emplace(tensor.name, tensors_.size()).second)
      throw EngineError(Fault::BadInput, part.where_,
                        "has the tensor " + in_quotes(tensor.name) + ", which another part has too",
                        "Fetch or split the model again.");
    tensors_.push_back(std::move(tensor));
  }
}

GgufFile GgufFile::open(const std::string& path) {
  GgufFile given = open_part(path);
  const std::int64_t count = given.find_int("split.count").value_or(1);
  if (count < 2) return given;
  const std::int64_t place = given.find_int("split.no").value_or(0);
  const GgufPartName name = name_of_part(path, place, count);
  const auto part = [&](std::int64_t number) {
    GgufFile one = open_part(name.path(number + 1));
    if (one.find_int("split.no") != number || one.find_int("split.count") != count)
      throw EngineError(Fault::BadInput, one.where_,
                        "is not part " + std::to_string(number + 1) + " of " + std::to_string(count),
                        "Fetch all parts of the model again.");
    return one;
  };
  GgufFile whole = place == 0 ? std::move(given) : part(0);
  for (std::int64_t number = 1; number < count; ++number) whole.add_part(part(number));
  const std::int64_t tensors = whole.find_int("split.tensors.count").value_or(std::ssize(whole.tensors_));
  if (tensors != std::ssize(whole.tensors_))
    throw EngineError(Fault::BadInput, whole.where_,
                      "says that all parts have " + std::to_string(tensors) + " tensors, and they have " +
                          std::to_string(whole.tensors_.size()),
                      "Fetch all parts of the model again.");
  return whole;
}

GgufFile GgufFile::parse(std::span<const std::byte> bytes, const std::string& where) {
  return GgufParser(bytes, where).run();
}

GgufOutline read_gguf_outline(const std::string& path) {
  auto file = MappedFile::open(path);
  GgufOutline found = GgufParser(file->bytes(), path).outline();
  file->require_whole();
  found.keys.file_ = std::move(file);
  return found;
}

void GgufFile::refuse_type(std::string_view key, const Value& value, const char* wanted) const {
  throw EngineError(Fault::BadInput, where_,
                    "key " + in_quotes(key) + " is " + (value.is_array ? "an array of " : "of type ") +
                        kValueNames[value.type] + ", not " + wanted,
                    "Convert the model again.");
}

const GgufFile::Value* GgufFile::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> GgufFile::find_string(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type != String) refuse_type(key, *value, "a string");
  return std::string_view(reinterpret_cast<const char*>(value->bytes.data()) + 8, value->bytes.size() - 8);
}

std::optional<std::int64_t> GgufFile::find_int(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || !is_integer(value->type)) refuse_type(key, *value, "an integer");
  const std::int64_t number = integer_at(value->type, value->bytes.data());
  if (value->type == U64 && number < 0) refuse_type(key, *value, "an integer below 2^63");
  return number;
}

std::optional<double> GgufFile::find_float(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type == String || value->type == Bool) refuse_type(key, *value, "a number");
  return real_at(value->type, value->bytes.data());
}

std::optional<bool> GgufFile::find_bool(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type != Bool) refuse_type(key, *value, "a bool");
  return value->bytes[0] == std::byte{1};
}

std::optional<std::vector<std::string_view>> GgufFile::find_strings(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array || value->type != String) refuse_type(key, *value, "an array of strings");
  std::vector<std::string_view> strings;
  strings.reserve(value->count);
  const std::byte* at = value->bytes.data();
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const auto length = load<std::uint64_t>(at);
    strings.emplace_back(reinterpret_cast<const char*>(at) + 8, length);
    at += 8 + length;
  }
  return strings;
}

std::optional<std::vector<std::int64_t>> GgufFile::find_ints(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool bools = value->type == Bool;
  if (!value->is_array || !(bools || is_integer(value->type))) refuse_type(key, *value, "an array of integers");
  std::vector<std::int64_t> numbers(value->count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::byte* at = value->bytes.data() + i * kValueBytes[value->type];
    numbers[i] = bools ? (*at == std::byte{0} ? 0 : 1) : integer_at(value->type, at);
    if (value->type == U64 && numbers[i] < 0) refuse_type(key, *value, "integers below 2^63");
  }
  return numbers;
}

std::optional<std::vector<double>> GgufFile::find_floats(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array || value->type == String || value->type == Bool) refuse_type(key, *value, "an array of numbers");
  std::vector<double> numbers(value->count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = real_at(value->type, value->bytes.data() + i * kValueBytes[value->type]);
  }
  return numbers;
}

const GgufTensor* GgufFile::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace carryover
