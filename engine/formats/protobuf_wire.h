// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// One field of a protobuf message, as it is in the bytes.
struct WireField {
  std::uint32_t number = 0;
  enum class Kind { Varint, Fixed64, Bytes, Fixed32 } kind = Kind::Varint;
  std::uint64_t value = 0;  ///< bits of a number
  std::string_view bytes;   ///< bytes of a string or message
};

/// Walks over the fields of one protobuf message. It covers as much of the format as SentencePiece's models need, whose
/// library does not install the schema. Every length is checked against what is left.
class WireReader {
 public:
  /// `where` names the file in errors. The bytes must outlive this.
  WireReader(std::string_view message, std::string where) : rest_(message), where_(std::move(where)) {}
  /// Returns the next field, or nullopt at the end. Throws EngineError{BadInput} if the bytes are not a message.
  std::optional<WireField> next();
  std::string_view rest() const { return rest_; }  ///< bytes that are still to be read

 private:
  [[noreturn]] void refuse() const;
  std::uint64_t varint();
  std::uint64_t fixed(std::size_t size);
  std::string_view rest_;
  std::string where_;
};

/// Appends fields to a message that is being written.
class WireWriter {
 public:
  void varint(std::uint32_t number, std::uint64_t value);
  void bytes(std::uint32_t number, std::string_view value);
  void float32(std::uint32_t number, float value);
  void float64(std::uint32_t number, double value);
  const std::string& message() const { return message_; }

 private:
  void append(std::uint64_t value);
  void append_fixed(std::uint64_t bits, unsigned width);
  std::string message_;
};

}  // namespace carryover
