// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/json_parser.h"

#include <cstddef>
#include <iterator>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr std::int64_t kMegabyte = 1'000'000;
constexpr int kDepth = 64;

[[noreturn]] void refuse_json(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Fetch the file again, or repair it.");
}

/// An iterator over the bytes of a text that records how far the parser has read.
class ReadByte {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  ReadByte(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  ReadByte& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  ReadByte operator++(int) {
    ReadByte before = *this;
    ++*this;
    return before;
  }
  bool operator==(const ReadByte& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Builds a value from the parser's events, and refuses one that is too deep, takes too much memory or repeats a key.
/// The library's own callback would search a list again for each object in it.
template <typename Json>
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(std::string_view text, const char* format, const std::string& where, const JsonLimits& limits,
              JsonKeys keys)
      : reached_(text.data()), begin_(text.data()), format_(format), where_(where), limits_(limits), keys_(keys) {}

  const char** reached() { return &reached_; }
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return add(value); }
  bool number_float(typename Json::number_float_t value, const std::string&) override { return add(value); }
  bool string(std::string& value) override {
    charge(kString + std::ssize(value));
    return add(std::move(value));
  }
  bool binary(typename Json::binary_t& value) override {
    charge(kString + std::ssize(value));
    return add(std::move(value));
  }

  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool start_object(std::size_t) override {
    open(Json::object());
    if constexpr (is_ordered) names_.emplace_back();
    return true;
  }
  bool end_object() override {
    if constexpr (is_ordered) names_.pop_back();
    return close();
  }

  bool key(std::string& name) override {
    charge(kKey + std::ssize(name));
    auto& object = open_.back()->template get_ref<typename Json::object_t&>();
    if constexpr (is_ordered) {
      if (!names_.back().insert(name).second) refuse_twice(name);
      object.push_back({std::move(name), nullptr});  // the ordered object's own look-up is linear
      slot_ = &object.back().second;
    } else {
      const auto [entry, is_new] = object.try_emplace(std::move(name));
      if (!is_new && keys_ == JsonKeys::Unique) refuse_twice(entry->first);
      slot_ = &entry->second;
    }
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const nlohmann::json::parse_error*>(&error) == nullptr)
      refuse_json(where_, "is not usable " + format_ + ": " + error.what());
    refuse_json(where_, "is not valid " + format_ + " at byte " + std::to_string(byte == 0 ? 0 : byte - 1));
  }

 private:
  static constexpr bool is_ordered = !std::is_same_v<Json, nlohmann::json>;
  /// Upper bounds of the bytes that the standard library takes, including the overhead of an allocation and of a
  /// growing vector.
  static constexpr std::int64_t kValue = 32, kContainer = 64, kString = 64, kKey = 96;

  void charge(std::int64_t bytes) {
    memory_ += bytes;
    if (memory_ > limits_.memory)
      refuse_json(where_, "has more values than " + std::string(limits_.name) +
                              " may have (they would take more than " + size_text(static_cast<double>(limits_.memory)) +
                              " of memory)");
  }

  Json& place(Json&& value) {
    charge(kValue);
    if (open_.empty()) return root_ = std::move(value);
    if (!open_.back()->is_array()) return *slot_ = std::move(value);
    auto& list = open_.back()->template get_ref<typename Json::array_t&>();
    list.push_back(std::move(value));
    return list.back();
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (std::ssize(open_) == limits_.depth)
      refuse_json(where_, format_ + " is nested deeper than " + std::to_string(limits_.depth) + " levels at byte " +
                              std::to_string(reached_ - begin_ - 1));
    charge(kContainer);
    open_.push_back(&place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  [[noreturn]] void refuse_twice(const std::string& key) const {
    refuse_json(where_, "the JSON key '" + key.substr(0, 80) + "' appears twice");
  }

  const char* reached_;
  const char* begin_;
  std::string format_;
  const std::string& where_;
  const JsonLimits& limits_;
  JsonKeys keys_;
  Json root_;
  Json* slot_ = nullptr;  ///< place of the value for the key that was read last
  std::vector<Json*> open_;
  std::vector<std::set<std::string>> names_;  ///< the keys of each open object, if the object itself has no index of
                                              ///< them
  std::int64_t memory_ = 0;
};

template <typename Json>
Json built_json(std::string_view text, const std::string& where, JsonKind kind, JsonKeys keys) {
  check_json_size(std::ssize(text), where, kind);
  JsonBuilder<Json> builder(text, "JSON", where, json_limits(kind), keys);
  Json::sax_parse(ReadByte(text.data(), builder.reached()), ReadByte(text.data() + text.size(), builder.reached()),
                  &builder);
  return builder.take();
}

/// Walks over CBOR (RFC 8949) without recursion, and without allocating the memory that a length claims.
class CborWalk {
 public:
  CborWalk(std::string_view bytes, int depth) : left_(bytes), depth_(static_cast<std::size_t>(depth)) {}

  bool is_one_item() {
    std::vector<std::uint64_t> open{1};  // items that remain at each level
    while (!open.empty()) {
      if (open.back() == 0) {
        open.pop_back();
        continue;
      }
      --open.back();
      const auto inside = item();
      if (!inside) return false;
      if (*inside > 0) open.push_back(*inside);
      if (open.size() > depth_ + 1) return false;
    }
    return left_.empty();
  }

 private:
  /// Takes an item's head, and a string's bytes. Returns the number of items inside it.
  std::optional<std::uint64_t> item() {
    if (left_.empty()) return std::nullopt;
    const auto first = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    const unsigned type = first >> 5, info = first & 31U;
    const auto argument = take_argument(info);
    if (!argument) return std::nullopt;
    if (type <= 1) return 0;
    if (type <= 3) return skip(*argument) ? std::optional<std::uint64_t>(0) : std::nullopt;
    if (type <= 5) {
      const std::uint64_t each = type - 3;  // an object's key and value
      return *argument <= left_.size() / each ? std::optional(*argument * each) : std::nullopt;
    }
    const bool known = type == 7 && ((info >= 20 && info <= 22) || info >= 25);  // false, true, null, floats
    return known ? std::optional<std::uint64_t>(0) : std::nullopt;
  }

  std::optional<std::uint64_t> take_argument(unsigned info) {
    if (info < 24) return info;
    if (info > 27) return std::nullopt;
    const std::size_t size = std::size_t{1} << (info - 24);
    if (left_.size() < size) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<std::uint8_t>(left_[i]);
    left_.remove_prefix(size);
    return value;
  }

  bool skip(std::uint64_t size) {
    if (size > left_.size()) return false;
    left_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }

  std::string_view left_;
  std::size_t depth_;
};

}  // namespace

const JsonLimits& json_limits(JsonKind kind) {
  static constexpr JsonLimits kSettings{"a configuration", 4 * kMegabyte, 32 * kMegabyte, kDepth},
      kRecord{"a record", 32 * kMegabyte, 128 * kMegabyte, kDepth},
      kTensorList{"a list of tensors", 32 * kMegabyte, 256 * kMegabyte, kDepth},
      kTokenizer{"a tokenizer", 128 * kMegabyte, 512 * kMegabyte, kDepth},
      kResults{"a file of results", 256 * kMegabyte, 1000 * kMegabyte, kDepth},
      kRequest{"a request", 64 * kMegabyte, 384 * kMegabyte, kDepth},
      kText{"a text", 1000 * kMegabyte, 2000 * kMegabyte, kDepth},
      kNumbers{"a list of numbers", 1000 * kMegabyte, 4000 * kMegabyte, 2};
  switch (kind) {
    case JsonKind::Settings:
      return kSettings;
    case JsonKind::Record:
      return kRecord;
    case JsonKind::TensorList:
      return kTensorList;
    case JsonKind::Tokenizer:
      return kTokenizer;
    case JsonKind::Results:
      return kResults;
    case JsonKind::Request:
      return kRequest;
    case JsonKind::Text:
      return kText;
    case JsonKind::Numbers:
      return kNumbers;
  }
  CARRYOVER_CHECK(false);
}

void check_json_size(std::int64_t bytes, const std::string& where, JsonKind kind) {
  const JsonLimits& limits = json_limits(kind);
  if (bytes > limits.bytes)
    refuse_json(where, "has " + std::to_string(bytes) + " bytes, and " + limits.name + " has " +
                           size_text(static_cast<double>(limits.bytes)) + " at most");
}

nlohmann::json parse_json(std::string_view text, const std::string& where, JsonKind kind, JsonKeys keys) {
  return built_json<nlohmann::json>(text, where, kind, keys);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& where, JsonKind kind) {
  return built_json<nlohmann::ordered_json>(text, where, kind, JsonKeys::Unique);
}

std::optional<nlohmann::json> find_json(std::string_view text, JsonKind kind) {
  try {
    return parse_json(text, {}, kind);
  } catch (const EngineError&) {
    return std::nullopt;
  }
}

nlohmann::json parse_cbor(std::string_view bytes, const std::string& where, JsonKind kind) {
  const JsonLimits& limits = json_limits(kind);
  check_json_size(std::ssize(bytes), where, kind);
  if (!CborWalk(bytes, limits.depth).is_one_item()) refuse_json(where, "is not CBOR, or is nested too deep");
  JsonBuilder<nlohmann::json> builder(bytes, "CBOR", where, limits, JsonKeys::Any);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &builder, nlohmann::json::input_format_t::cbor);
  return builder.take();
}

}  // namespace carryover
