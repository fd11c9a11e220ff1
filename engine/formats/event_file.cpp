// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/event_file.h"

#include <array>
#include <filesystem>

#include "engine/formats/protobuf_wire.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

// Field numbers of TensorFlow's public schema.
enum Event : std::uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
enum Summary : std::uint32_t { kValue = 1 };
enum Value : std::uint32_t { kTag = 1, kSimpleValue = 2 };
enum SessionLog : std::uint32_t { kStatus = 1 };
constexpr std::uint64_t kSessionStart = 1;

std::string free_name(const std::string& directory, double seconds) {
  std::error_code ignored;
  for (auto second = static_cast<std::int64_t>(seconds);; ++second) {
    const fs::path path = fs::path(directory) / ("events.out.tfevents." + std::to_string(second) + ".carryover");
    if (!fs::exists(path, ignored)) return path.string();
  }
}

std::string little_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

/// Returns a record's checksum, rotated and offset, because a checksum of data that contain checksums would be weak.
std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian((crc >> 15 | crc << 17) + std::uint32_t{0xA282EAD8}, 4);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit)
        value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0u);  // the polynomial, reversed
      table[byte] = value;
    }
    return table;
  }();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~crc;
}

EventFile::EventFile(const std::string& directory, double seconds) : file_(free_name(directory, seconds)) {
  WireWriter event;
  event.float64(kWallTime, seconds);
  event.bytes(kFileVersion, "brain.Event:2");
  add_record(event.message());
}

void EventFile::add_scalars(std::int64_t step, double seconds,
                            const std::vector<std::pair<std::string, double>>& scalars) {
  WireWriter summary, event;
  for (const auto& [tag, number] : scalars) {
    WireWriter value;
    value.bytes(kTag, tag);
    value.float32(kSimpleValue, static_cast<float>(number));
    summary.bytes(kValue, value.message());
  }
  event.float64(kWallTime, seconds);
  event.varint(kStep, static_cast<std::uint64_t>(step));
  event.bytes(kSummary, summary.message());
  add_record(event.message());
}

void EventFile::forget_from(std::int64_t step, double seconds) {
  WireWriter session, event;
  session.varint(kStatus, kSessionStart);
  event.float64(kWallTime, seconds);
  event.varint(kStep, static_cast<std::uint64_t>(step));
  event.bytes(kSessionLog, session.message());
  add_record(event.message());
}

void EventFile::add_record(const std::string& event) {
  const std::string length = little_endian(event.size(), 8);
  file_.append(length + masked_crc(length) + event + masked_crc(event));
}

}  // namespace carryover
