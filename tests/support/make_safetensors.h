// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace carryover::test {

/// Rounds to nearest, ties to even.
inline std::uint16_t to_bf16(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// Rounds to nearest, ties to even; infinity above 65504.
inline std::uint16_t to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const double magnitude = std::abs(static_cast<double>(value));
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude == 0.0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), -14);
  // 0..2048 steps of the exponent's spacing; a carry into the next exponent comes out right by itself.
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const std::uint32_t biased = steps < 1024 ? steps : static_cast<std::uint32_t>(exponent + 15) * 1024 + (steps - 1024);
  return static_cast<std::uint16_t>(sign | biased);
}

/// One tensor of a safetensors file: `dtype` is "F32", "F16" or "BF16".
struct SafetensorsEntry {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

/// Values in the given dtype, as the bytes of a file.
inline std::string encode_values(const std::vector<float>& values, const std::string& dtype) {
  std::string bytes(values.size() * (dtype == "F32" ? 4 : 2), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == "F32") {
      std::memcpy(bytes.data() + 4 * i, &values[i], 4);
    } else {
      const std::uint16_t half = dtype == "F16" ? to_f16(values[i]) : to_bf16(values[i]);
      std::memcpy(bytes.data() + 2 * i, &half, 2);
    }
  }
  return bytes;
}

/// Header length, header, data: for tests that write a broken header.
inline std::string safetensors_from_header(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + data;
}

/// The bytes of a correct safetensors file.
inline std::string make_safetensors(const std::vector<SafetensorsEntry>& entries) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  std::string data;
  for (const SafetensorsEntry& entry : entries) {
    header[entry.name] = {{"dtype", entry.dtype},
                          {"shape", entry.shape},
                          {"data_offsets", {data.size(), data.size() + entry.bytes.size()}}};
    data += entry.bytes;
  }
  std::string text = header.dump();
  while (text.size() % 8 != 0) text += ' ';
  return safetensors_from_header(text, data);
}

}  // namespace carryover::test
