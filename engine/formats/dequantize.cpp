// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/dequantize.h"

#include <bit>
#include <cstring>

#include "engine/base/error.h"

namespace carryover {

namespace {

// The quantised types, as GGUF files hold them, little-endian. A block is one or two fp16 scales and packed integers;
// a K block has 256 values in sub-blocks, with 6-bit (Q4_K, Q5_K) or 8-bit (Q6_K) scales of their own.
constexpr int kSmall = 32;   ///< values in a block of Q8_0, Q4_*, Q5_*
constexpr int kSuper = 256;  ///< values in a block of Q*_K

using Bytes = const std::uint8_t*;

template <typename T>
T load(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// Converts fp16 to fp32, exact for every value. It selects rather than branches, so that loops over it vectorise.
inline float half_to_float(std::uint16_t half) {
  constexpr std::uint32_t kSmallest = 113u << 23;  // 2^-14, the smallest normal fp16
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fff) << 13;
  const std::uint32_t rebias = magnitude + (112u << 23) + (magnitude >= (31u << 23) ? 112u << 23 : 0u);
  const float subnormal = std::bit_cast<float>(magnitude + kSmallest) - std::bit_cast<float>(kSmallest);
  const std::uint32_t bits = magnitude < (1u << 23) ? std::bit_cast<std::uint32_t>(subnormal) : rebias;
  return std::bit_cast<float>(bits | static_cast<std::uint32_t>(half & 0x8000) << 16);
}

inline float scale_at(Bytes block) {
  return half_to_float(load<std::uint16_t>(block));
}

void from_f16(Bytes input, std::int64_t count, float* output) {
  for (std::int64_t i = 0; i < count; ++i) output[i] = half_to_float(load<std::uint16_t>(input + 2 * i));
}

void from_bf16(Bytes input, std::int64_t count, float* output) {
  for (std::int64_t i = 0; i < count; ++i) {
    output[i] = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(input + 2 * i)) << 16);
  }
}

void from_f64(Bytes input, std::int64_t count, float* output) {
  for (std::int64_t i = 0; i < count; ++i) output[i] = static_cast<float>(load<double>(input + 8 * i));
}

/// Layout: d; 32 signed bytes.
void q8_0(Bytes block, float* out) {
  const float d = scale_at(block);
  for (int i = 0; i < kSmall; ++i) out[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * d;
}

/// Layout: d; 16 bytes, with value i in the low half of byte i and value 16 + i in the high half.
void q4_0(Bytes block, float* out) {
  const float d = scale_at(block);
  for (int i = 0; i < 16; ++i) out[i] = static_cast<float>((block[2 + i] & 15) - 8) * d;
  for (int i = 0; i < 16; ++i) out[16 + i] = static_cast<float>((block[2 + i] >> 4) - 8) * d;
}

/// Layout: d, m; 16 bytes as in Q4_0.
void q4_1(Bytes block, float* out) {
  const float d = scale_at(block), m = scale_at(block + 2);
  for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(block[4 + i] & 15) * d + m;
  for (int i = 0; i < 16; ++i) out[16 + i] = static_cast<float>(block[4 + i] >> 4) * d + m;
}

/// Unpacks the low 16 and high 16 values of a Q5 block, 0..31. Layout: 32 fifth bits in one word, then 16 bytes as in
/// Q4_0.
inline void unpack_q5(Bytes fifth_bits, int* values) {
  const auto high = load<std::uint32_t>(fifth_bits);
  const Bytes nibbles = fifth_bits + 4;
  for (int i = 0; i < 16; ++i) values[i] = (nibbles[i] & 15) | static_cast<int>((high >> i) & 1) << 4;
  for (int i = 0; i < 16; ++i) values[16 + i] = (nibbles[i] >> 4) | static_cast<int>((high >> (16 + i)) & 1) << 4;
}

/// Layout: d; fifth bits; nibbles.
void q5_0(Bytes block, float* out) {
  int values[kSmall];
  unpack_q5(block + 2, values);
  const float d = scale_at(block);
  for (int i = 0; i < kSmall; ++i) out[i] = static_cast<float>(values[i] - 16) * d;
}

/// Layout: d, m; fifth bits; nibbles.
void q5_1(Bytes block, float* out) {
  int values[kSmall];
  unpack_q5(block + 4, values);
  const float d = scale_at(block), m = scale_at(block + 2);
  for (int i = 0; i < kSmall; ++i) out[i] = static_cast<float>(values[i]) * d + m;
}

/// Unpacks scale and minimum of sub-block j of Q4_K and Q5_K from 12 bytes. Each has six bits; the upper two of
/// sub-blocks 4..7 are in the top bits of the bytes of 0..3.
inline void k_scale(Bytes packed, int j, int* scale, int* minimum) {
  if (j < 4) {
    *scale = packed[j] & 63;
    *minimum = packed[j + 4] & 63;
  } else {
    *scale = (packed[j + 4] & 15) | (packed[j - 4] >> 6) << 4;
    *minimum = (packed[j + 4] >> 4) | (packed[j] >> 6) << 4;
  }
}

/// Layout: d, dmin; 12 bytes of scales; [Q5_K: 32 bytes of fifth bits;] 128 bytes of nibbles. There are eight
/// sub-blocks of 32 values. Sub-block j has bit j of the fifth bits, and the low (even j) or high (odd j) halves of the
/// 32 bytes at 32 · (j / 2).
template <bool kFive>
void q45_k(Bytes block, float* out) {
  const float d = scale_at(block), dmin = scale_at(block + 2);
  const Bytes fifth = block + 16, nibbles = block + (kFive ? 48 : 16);
  for (int j = 0; j < 8; ++j) {
    int scale, minimum;
    k_scale(block + 4, j, &scale, &minimum);
    const float sub_d = d * static_cast<float>(scale), sub_m = dmin * static_cast<float>(minimum);
    const Bytes part = nibbles + 32 * (j / 2);
    const int shift = 4 * (j % 2);
    for (int i = 0; i < 32; ++i) {
      int value = (part[i] >> shift) & 15;
      if constexpr (kFive) value |= ((fifth[i] >> j) & 1) << 4;
      out[32 * j + i] = sub_d * static_cast<float>(value) - sub_m;
    }
  }
}

/// Layout: 128 bytes of low nibbles, 64 bytes of upper bit pairs, 16 signed scales, d. There are two halves of 128
/// values; in each, the quarter q of 32 values has the low (q < 2) or high halves of nibble bytes 32 · (q % 2) …, and
/// bit pair q.
void q6_k(Bytes block, float* out) {
  const float d = scale_at(block + 208);
  for (int half = 0; half < 2; ++half) {
    const Bytes low = block + 64 * half, high = block + 128 + 32 * half, scales = block + 192 + 8 * half;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const Bytes nibbles = low + 32 * (quarter % 2);
      for (int part = 0; part < 2; ++part) {
        const float scale = d * static_cast<float>(static_cast<std::int8_t>(scales[2 * quarter + part]));
        float* to = out + 128 * half + 32 * quarter + 16 * part;
        for (int i = 0; i < 16; ++i) {
          const int nibble = (nibbles[16 * part + i] >> (4 * (quarter / 2))) & 15;
          const int pair = (high[16 * part + i] >> (2 * quarter)) & 3;
          to[i] = scale * static_cast<float>((nibble | pair << 4) - 32);
        }
      }
    }
  }
}

template <void (*kConvert)(Bytes, float*)>
void each_block(StorageType type, Bytes input, std::int64_t count, float* output) {
  const BlockLayout layout = block_layout(type);
  for (std::int64_t block = 0; block < count / layout.values; ++block) {
    kConvert(input + block * layout.bytes, output + block * layout.values);
  }
}

}  // namespace

BlockLayout block_layout(StorageType type) {
  switch (type) {
    case StorageType::F32:
      return {1, 4};
    case StorageType::F16:
      return {1, 2};
    case StorageType::BF16:
      return {1, 2};
    case StorageType::Q8_0:
      return {kSmall, 34};
    case StorageType::Q4_0:
      return {kSmall, 18};
    case StorageType::Q4_1:
      return {kSmall, 20};
    case StorageType::Q5_0:
      return {kSmall, 22};
    case StorageType::Q5_1:
      return {kSmall, 24};
    case StorageType::Q4_K:
      return {kSuper, 144};
    case StorageType::Q5_K:
      return {kSuper, 176};
    case StorageType::Q6_K:
      return {kSuper, 210};
    case StorageType::F64:
      return {1, 8};
  }
  fail_check("a known storage type", __FILE__, __LINE__);
}

std::string_view storage_name(StorageType type) {
  constexpr std::string_view kNames[] = {"F32",  "F16",  "BF16", "Q8_0", "Q4_0", "Q4_1",
                                         "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K", "F64"};
  return kNames[static_cast<std::size_t>(type)];
}

void dequantize(StorageType type, const std::byte* input, std::int64_t count, float* output) {
  CARRYOVER_CHECK(count >= 0 && count % block_layout(type).values == 0);
  const Bytes bytes = reinterpret_cast<Bytes>(input);
  switch (type) {
    case StorageType::F32:
      if (count > 0) std::memcpy(output, bytes, static_cast<std::size_t>(count) * sizeof(float));
      return;
    case StorageType::F16:
      return from_f16(bytes, count, output);
    case StorageType::BF16:
      return from_bf16(bytes, count, output);
    case StorageType::Q8_0:
      return each_block<q8_0>(type, bytes, count, output);
    case StorageType::Q4_0:
      return each_block<q4_0>(type, bytes, count, output);
    case StorageType::Q4_1:
      return each_block<q4_1>(type, bytes, count, output);
    case StorageType::Q5_0:
      return each_block<q5_0>(type, bytes, count, output);
    case StorageType::Q5_1:
      return each_block<q5_1>(type, bytes, count, output);
    case StorageType::Q4_K:
      return each_block<q45_k<false>>(type, bytes, count, output);
    case StorageType::Q5_K:
      return each_block<q45_k<true>>(type, bytes, count, output);
    case StorageType::Q6_K:
      return each_block<q6_k>(type, bytes, count, output);
    case StorageType::F64:
      return from_f64(bytes, count, output);
  }
}

}  // namespace carryover
