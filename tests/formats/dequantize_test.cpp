// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/dequantize.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/make_safetensors.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr int kBlocks = 64;

constexpr StorageType kBlockTypes[] = {StorageType::Q8_0, StorageType::Q4_0, StorageType::Q4_1,   StorageType::Q5_0,
                                       StorageType::Q5_1, StorageType::Q2_K, StorageType::Q3_K,   StorageType::Q4_K,
                                       StorageType::Q5_K, StorageType::Q6_K, StorageType::IQ4_NL, StorageType::IQ4_XS,
                                       StorageType::MXFP4};

/// Returns where the upper bytes of a block's fp16 scales are.
std::vector<std::size_t> scale_bytes(StorageType type) {
  switch (type) {
    case StorageType::Q4_1:
    case StorageType::Q5_1:
    case StorageType::Q4_K:
    case StorageType::Q5_K:
      return {1, 3};
    case StorageType::Q2_K:
      return {81, 83};
    case StorageType::Q3_K:
      return {109};
    case StorageType::Q6_K:
      return {209};
    case StorageType::MXFP4:
      return {};
    default:
      return {1};
  }
}

/// Bytes of a linear congruential generator, with scales kept finite: the bit that would make an fp16's exponent
/// all ones is cleared in each.
std::string random_blocks(StorageType type) {
  const auto size = static_cast<std::size_t>(block_layout(type).bytes);
  std::string bytes(kBlocks * size, '\0');
  std::uint32_t state = 12345;
  for (char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  for (std::size_t block = 0; block < kBlocks; ++block)
    for (const std::size_t at : scale_bytes(type))
      bytes[block * size + at] = static_cast<char>(bytes[block * size + at] & 0xbf);
  return bytes;
}

/// FNV-1a over the bits of the values, −0 taken as 0.
std::uint64_t fingerprint(const std::vector<float>& values) {
  std::uint64_t state = 0xcbf29ce484222325u;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
    for (int shift = 0; shift < 32; shift += 8) state = (state ^ ((bits >> shift) & 255)) * 0x100000001b3u;
  }
  return state;
}

std::vector<float> convert(StorageType type, const std::string& bytes, std::size_t skip = 0) {
  const BlockLayout layout = block_layout(type);
  const auto count = static_cast<std::int64_t>(bytes.size() - skip) / layout.bytes * layout.values;
  std::vector<float> values(static_cast<std::size_t>(count), -1.0f);
  dequantize(type, reinterpret_cast<const std::byte*>(bytes.data()) + skip, count, values.data());
  return values;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

class DequantizeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The fingerprints are those of the values that the PyPI package gguf 0.19.0 (numpy) gives for the same bytes.
  void equals_the_reference_bit_for_bit() {
    const std::pair<StorageType, std::uint64_t> kKnown[] = {
        {StorageType::Q8_0, 0xf6d35c882278f39d},   {StorageType::Q4_0, 0x507c712c3d252ede},
        {StorageType::Q4_1, 0x7798bd74f5b29df0},   {StorageType::Q5_0, 0x7cbf8206ec00cb01},
        {StorageType::Q5_1, 0x904bc1e57443dcae},   {StorageType::Q2_K, 0x3e4b36db377af1a8},
        {StorageType::Q3_K, 0x42a56fbca5569c95},   {StorageType::Q4_K, 0x288e603ca5c1148b},
        {StorageType::Q5_K, 0x30f828d335e8b33f},   {StorageType::Q6_K, 0xd150ab02d4f8ff4f},
        {StorageType::IQ4_NL, 0x7add2a33ccceff8d}, {StorageType::IQ4_XS, 0x1501cc8512664db2},
        {StorageType::MXFP4, 0x172926ff04d1b11e}};
    QCOMPARE(std::size(kKnown), std::size(kBlockTypes));
    for (const auto& [type, expected] : kKnown) {
      const std::uint64_t found = fingerprint(convert(type, random_blocks(type)));
      QVERIFY2(found == expected, storage_name(type).data());
    }
  }

  void needs_no_alignment() {
    for (const StorageType type : kBlockTypes) {
      const std::string bytes = random_blocks(type);
      QVERIFY2(fingerprint(convert(type, bytes)) == fingerprint(convert(type, "x" + bytes, 1)),
               storage_name(type).data());
    }
  }

  /// A block is converted on its own: any run of blocks gives the same values as the whole.
  void converts_blocks_independently() {
    for (const StorageType type : kBlockTypes) {
      const BlockLayout layout = block_layout(type);
      const std::string bytes = random_blocks(type);
      const std::vector<float> whole = convert(type, bytes);
      for (std::size_t block = 0; block < kBlocks; block += 7) {
        const auto size = static_cast<std::size_t>(layout.bytes), values = static_cast<std::size_t>(layout.values);
        const std::vector<float> one = convert(type, bytes.substr(block * size, size));
        QCOMPARE(one.size(), values);
        for (std::size_t i = 0; i < values; ++i) QVERIFY(same_bits(one[i], whole[block * values + i]));
      }
    }
  }

  void converts_every_half_exactly() {
    std::string bytes(2 * 65536, '\0');
    for (std::uint32_t half = 0; half < 65536; ++half) std::memcpy(bytes.data() + 2 * half, &half, 2);
    const std::vector<float> values = convert(StorageType::F16, bytes);
    for (std::uint32_t half = 0; half < 65536; ++half) {
      const int exponent = static_cast<int>(half >> 10 & 31), fraction = static_cast<int>(half & 1023);
      double expected = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      if (exponent == 31) expected = std::numeric_limits<double>::infinity();
      if (half & 0x8000) expected = -expected;
      const float found = values[half];
      if (exponent == 31 && fraction != 0) {
        QVERIFY(std::isnan(found));
      } else {
        QVERIFY(same_bits(found, static_cast<float>(expected)));
        QCOMPARE(to_f16(found), static_cast<std::uint16_t>(half));
      }
    }
  }

  void keeps_the_upper_half_of_bf16() {
    std::string bytes(2 * 65536, '\0');
    for (std::uint32_t half = 0; half < 65536; ++half) std::memcpy(bytes.data() + 2 * half, &half, 2);
    const std::vector<float> values = convert(StorageType::BF16, bytes);
    for (std::uint32_t half = 0; half < 65536; ++half) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &values[half], 4);
      QCOMPARE(bits, half << 16);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DequantizeTest>};
#include "dequantize_test.moc"
