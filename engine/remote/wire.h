// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/remote/wire_range.h"

/// How values travel between a window and an engine elsewhere: in the order in which describe() names their fields,
/// numbers as the bytes they are in memory, so that every value arrives bit for bit. One describe() for each type
/// (wire_values.h) serves writing, reading and the description (wire_description.h) whose fingerprint tells two
/// programs that they agree.
namespace carryover {

/// Throws EngineError{BadInput} where a message is not one of this protocol, or is damaged.
[[noreturn]] void refuse_message(const std::string& problem);

/// Writes values into bytes. Owner: one thread.
class WirePacker {
 public:
  template <typename T>
  using Value = const T;

  template <typename T>
  void operator()(const char* /*name*/, const T& value) {
    put(value);
  }
  template <typename T, typename Range>
  void operator()(const char* /*name*/, const T& value, Range /*range*/) {
    put(value);
  }
  template <typename T, typename ToText, typename FromText>
  void as_text(const char* /*name*/, const T& value, ToText to_text, FromText /*from_text*/) {
    put(to_text(value));
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::int32_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      append(&value, sizeof value);
    } else {
      describe(*this, value);
    }
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_arithmetic_v<T>) {
      append(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename T>
  void put(const std::shared_ptr<const T>& value) {
    put(value != nullptr);
    if (value) put(*value);
  }
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

/// Reads, and believes nothing: a length is checked against what is there before memory is taken for it, a number
/// against the range of its row, and a whole value by check_received() where its type has one. Every member throws
/// EngineError{BadInput} naming the field. Owner: one thread.
class WireUnpacker {
 public:
  template <typename T>
  using Value = T;

  explicit WireUnpacker(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  void operator()(const char* name, T& value) {
    static_assert(!is_number<T>, "a row says what its number may be: wire_range.h");
    name_ = name;
    get(value);
  }
  template <typename T, typename Range>
  void operator()(const char* name, T& value, Range range) {
    name_ = name;
    get(value);
    if (!is_inside(value, range)) refuse_message("a message's field '" + std::string(name) + "' is out of range");
  }
  void operator()(const char* name, std::string& text, TextRange range) {
    name_ = name;
    get(text, range.most);
  }
  /// Reads a value of a body that is no record. The caller has to check its range.
  template <typename T>
  void value(T& value) {
    get(value);
  }
  template <typename T, typename ToText, typename FromText>
  void as_text(const char* name, T& value, ToText /*to_text*/, FromText from_text) {
    name_ = name;
    std::string text;
    get(text, kLongText.most);
    value = from_text(text);
  }
  /// Throws where bytes are left over.
  void finish() const {
    if (!left_.empty()) refuse_message("a message is longer than its fields");
  }

 private:
  template <typename T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::int32_t number = 0;
      get(number);
      if (number < 0 || number > static_cast<std::int32_t>(last_of(T{}))) refuse();
      value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t flag = 0;
      get(flag);
      if (flag > 1) refuse();
      value = flag != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      describe(*this, value);
      if constexpr (requires { check_received(value); }) check_received(value);
    }
  }
  void get(std::string& text, std::uint64_t most = kMostText) {
    const std::size_t size = count(1);
    if (size > most)
      refuse_message("a message's field '" + std::string(name_) + "' is longer than any text of its kind");
    text = take(size);
  }
  template <typename T>
  void get(std::vector<T>& values) {
    values.clear();
    if constexpr (std::is_arithmetic_v<T>) {
      values.resize(count(sizeof(T)));
      const std::string_view bytes = take(values.size() * sizeof(T));
      if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      for (std::size_t left = count(1); left > 0; --left) get(values.emplace_back());
    }
  }
  template <typename T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    std::optional<T> read;  // not into `value`, whose old contents g++ 12 then takes for uninitialised
    if (present) get(read.emplace());
    value.swap(read);
  }
  template <typename T>
  void get(std::shared_ptr<const T>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (!present) return;
    auto read = std::make_shared<T>();
    get(*read);
    value = std::move(read);
  }
  /// A number of things that take `least` bytes each at least.
  std::size_t count(std::size_t least) {
    std::uint64_t number = 0;
    get(number);
    if (number > left_.size() / least) refuse();
    return static_cast<std::size_t>(number);
  }
  std::string_view take(std::size_t size) {
    if (size > left_.size()) refuse();
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  [[noreturn]] void refuse() const { refuse_message("a message's field '" + std::string(name_) + "' is damaged"); }

  std::string_view left_;
  const char* name_ = "";
};

template <typename... Values>
std::string pack(const Values&... values) {
  WirePacker packer;
  (packer("", values), ...);
  return packer.take();
}

/// Throws EngineError{BadInput} where `bytes` are not these values and nothing else.
template <typename... Values>
void unpack(std::string_view bytes, Values&... values) {
  WireUnpacker unpacker(bytes);
  (unpacker.value(values), ...);
  unpacker.finish();
}

template <typename Value>
Value unpack_as(std::string_view bytes) {
  Value value{};
  unpack(bytes, value);
  return value;
}

}  // namespace carryover
