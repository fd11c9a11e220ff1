// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/dequantize.h"

#include <bit>
#include <cstring>
#include <iterator>

#include "engine/base/error.h"

namespace carryover {

namespace {

// The quantised types, as GGUF files hold them, little-endian. A small block is one or two scales and packed integers;
// a super block has 256 values in sub-blocks that have scales of their own.
constexpr int kSmall = 32, kSuper = 256;  ///< values in a block

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

void from_f32(Bytes input, std::int64_t count, float* output) {
  if (count > 0) std::memcpy(output, input, static_cast<std::size_t>(count) * sizeof(float));
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

/// Layout: 16 bytes of 4-bit scales and minima; 64 bytes of bit pairs; d, dmin. There are two halves of 128 values; in
/// each, the quarter q of 32 values has bit pair q of 32 bytes. A scale serves 16 values.
void q2_k(Bytes block, float* out) {
  const float d = scale_at(block + 80), dmin = scale_at(block + 82);
  for (int i = 0; i < kSuper; ++i) {
    const int scales = block[i / 16], pair = (block[16 + 32 * (i / 128) + i % 32] >> (2 * (i % 128 / 32))) & 3;
    const float sub_d = d * static_cast<float>(scales & 15), sub_m = dmin * static_cast<float>(scales >> 4);
    out[i] = sub_d * static_cast<float>(pair) - sub_m;
  }
}

/// Layout: 32 bytes of third bits, 64 bytes of bit pairs as in Q2_K, 12 bytes of scales, d. The group g of 32 values
/// has bit g of the third bits; a third bit that is 0 subtracts 4. The scale of sub-block k has its low half in byte k
/// % 8, and its upper pair in byte 8 + k % 4.
void q3_k(Bytes block, float* out) {
  const float d = scale_at(block + 108);
  const Bytes scales = block + 96;
  for (int i = 0; i < kSuper; ++i) {
    const int k = i / 16, low = (scales[k % 8] >> (4 * (k / 8))) & 15, high = (scales[8 + k % 4] >> (2 * (k / 4))) & 3;
    const int pair = (block[32 + 32 * (i / 128) + i % 32] >> (2 * (i % 128 / 32))) & 3;
    const int third = (block[i % 32] >> (i / 32)) & 1;
    out[i] = d * static_cast<float>((low | high << 4) - 32) * static_cast<float>(pair - (third ? 0 : 4));
  }
}

/// 16 bytes as in Q4_0, whose halves are indices of a table.
void from_table(Bytes nibbles, const std::int8_t (&table)[16], float scale, float* out) {
  for (int i = 0; i < 16; ++i) out[i] = scale * static_cast<float>(table[nibbles[i] & 15]);
  for (int i = 0; i < 16; ++i) out[16 + i] = scale * static_cast<float>(table[nibbles[i] >> 4]);
}

constexpr std::int8_t kNonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr std::int8_t kTwiceE2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Layout: d; 16 bytes as in Q4_0.
void iq4_nl(Bytes block, float* out) {
  from_table(block + 2, kNonlinear, scale_at(block), out);
}

/// Layout: d; upper pairs of eight scales; their low halves; 16 bytes of each sub-block.
void iq4_xs(Bytes block, float* out) {
  const float d = scale_at(block);
  const int high = load<std::uint16_t>(block + 2);
  for (int j = 0; j < 8; ++j) {
    const int scale = ((block[4 + j / 2] >> (4 * (j % 2))) & 15) | ((high >> (2 * j)) & 3) << 4;
    from_table(block + 8 + 16 * j, kNonlinear, d * static_cast<float>(scale - 32), out + 32 * j);
  }
}

/// Layout: the exponent of a power of two; 16 bytes as in Q4_0. The table has values twice as large, so that the scale
/// is half of the power.
void mxfp4(Bytes block, float* out) {
  const std::uint32_t exponent = block[0];
  const std::uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
  from_table(block + 1, kTwiceE2m1, std::bit_cast<float>(bits), out);
}

template <void (*kConvert)(Bytes, float*), int kValues, int kBytes>
void each_block(Bytes input, std::int64_t count, float* output) {
  for (std::int64_t block = 0; block < count / kValues; ++block)
    kConvert(input + block * kBytes, output + block * kValues);
}

constexpr std::uint32_t kNotInGguf = ~0u;

struct StorageRow {
  StorageType type;
  std::string_view name;
  std::uint32_t ggml_number;
  BlockLayout layout;
  void (*convert)(Bytes, std::int64_t, float*);
};

template <void (*kConvert)(Bytes, float*), int kValues, int kBytes>
constexpr StorageRow in_blocks(StorageType type, std::string_view name, std::uint32_t ggml_number) {
  return {type, name, ggml_number, {kValues, kBytes}, each_block<kConvert, kValues, kBytes>};
}

constexpr StorageRow kRows[] = {{StorageType::F32, "F32", 0, {1, 4}, from_f32},
                                {StorageType::F16, "F16", 1, {1, 2}, from_f16},
                                {StorageType::BF16, "BF16", 30, {1, 2}, from_bf16},
                                {StorageType::F64, "F64", kNotInGguf, {1, 8}, from_f64},
                                in_blocks<q8_0, kSmall, 34>(StorageType::Q8_0, "Q8_0", 8),
                                in_blocks<q4_0, kSmall, 18>(StorageType::Q4_0, "Q4_0", 2),
                                in_blocks<q4_1, kSmall, 20>(StorageType::Q4_1, "Q4_1", 3),
                                in_blocks<q5_0, kSmall, 22>(StorageType::Q5_0, "Q5_0", 6),
                                in_blocks<q5_1, kSmall, 24>(StorageType::Q5_1, "Q5_1", 7),
                                in_blocks<q2_k, kSuper, 84>(StorageType::Q2_K, "Q2_K", 10),
                                in_blocks<q3_k, kSuper, 110>(StorageType::Q3_K, "Q3_K", 11),
                                in_blocks<q45_k<false>, kSuper, 144>(StorageType::Q4_K, "Q4_K", 12),
                                in_blocks<q45_k<true>, kSuper, 176>(StorageType::Q5_K, "Q5_K", 13),
                                in_blocks<q6_k, kSuper, 210>(StorageType::Q6_K, "Q6_K", 14),
                                in_blocks<iq4_nl, kSmall, 18>(StorageType::IQ4_NL, "IQ4_NL", 20),
                                in_blocks<iq4_xs, kSuper, 136>(StorageType::IQ4_XS, "IQ4_XS", 23),
                                in_blocks<mxfp4, kSmall, 17>(StorageType::MXFP4, "MXFP4", 39)};

const StorageRow& row_of(StorageType type) {
  const auto number = static_cast<std::size_t>(type);
  CARRYOVER_CHECK(number < std::size(kRows) && kRows[number].type == type);
  return kRows[number];
}

}  // namespace

BlockLayout block_layout(StorageType type) {
  return row_of(type).layout;
}

std::string_view storage_name(StorageType type) {
  return row_of(type).name;
}

std::optional<StorageType> storage_of_ggml(std::uint32_t number) {
  for (const StorageRow& row : kRows)
    if (row.ggml_number == number && number != kNotInGguf) return row.type;
  return std::nullopt;
}

std::string ggml_types_read() {
  std::string names;
  for (const StorageRow& row : kRows)
    if (row.ggml_number != kNotInGguf) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

void dequantize(StorageType type, const std::byte* input, std::int64_t count, float* output) {
  const StorageRow& row = row_of(type);
  CARRYOVER_CHECK(count >= 0 && count % row.layout.values == 0);
  row.convert(reinterpret_cast<Bytes>(input), count, output);
}

}  // namespace carryover
