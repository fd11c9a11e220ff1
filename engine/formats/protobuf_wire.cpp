// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/protobuf_wire.h"

#include <bit>

#include "engine/base/error.h"

namespace carryover {

namespace {
enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
}

void WireReader::refuse() const {
  throw EngineError(Fault::BadInput, where_, "is not a SentencePiece model, or is truncated", "Fetch the file again.");
}

std::uint64_t WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) refuse();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  refuse();
}

std::uint64_t WireReader::fixed(std::size_t size) {
  if (rest_.size() < size) refuse();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
  rest_.remove_prefix(size);
  return value;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t tag = varint();
  if (tag >> 3 == 0 || tag >> 32 != 0) refuse();
  WireField field;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7) {
    case kVarint:
      field.kind = WireField::Kind::Varint;
      field.value = varint();
      return field;
    case kFixed64:
      field.kind = WireField::Kind::Fixed64;
      field.value = fixed(8);
      return field;
    case kFixed32:
      field.kind = WireField::Kind::Fixed32;
      field.value = fixed(4);
      return field;
    case kBytes: {
      field.kind = WireField::Kind::Bytes;
      const std::uint64_t length = varint();
      if (length > rest_.size()) refuse();
      field.bytes = rest_.substr(0, length);
      rest_.remove_prefix(length);
      return field;
    }
    default:
      refuse();
  }
}

void WireWriter::append(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_ += static_cast<char>((value & 0x7F) | 0x80);
  message_ += static_cast<char>(value);
}

void WireWriter::append_fixed(std::uint64_t bits, unsigned width) {
  for (unsigned shift = 0; shift < width; shift += 8) message_ += static_cast<char>(bits >> shift & 0xFF);
}

void WireWriter::varint(std::uint32_t number, std::uint64_t value) {
  append(std::uint64_t{number} << 3 | kVarint);
  append(value);
}

void WireWriter::bytes(std::uint32_t number, std::string_view value) {
  append(std::uint64_t{number} << 3 | kBytes);
  append(value.size());
  message_ += value;
}

void WireWriter::float32(std::uint32_t number, float value) {
  append(std::uint64_t{number} << 3 | kFixed32);
  append_fixed(std::bit_cast<std::uint32_t>(value), 32);
}

void WireWriter::float64(std::uint32_t number, double value) {
  append(std::uint64_t{number} << 3 | kFixed64);
  append_fixed(std::bit_cast<std::uint64_t>(value), 64);
}

}  // namespace carryover
