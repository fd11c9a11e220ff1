// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace carryover {

/// The format in which the retrieval pool holds its keys (app:retrieval). Scores and prefixes use the keys as they are
/// held. Values are in the model's dtype, whatever the format of the keys.
enum class PoolKeys : std::uint8_t {
  Model,     ///< the model's dtype: exact
  BFloat16,  ///< rounded to the nearest, ties to even
  Int8       ///< −127 to 127, with one fp32 scale per key: its largest magnitude / 127
};
inline constexpr std::array<std::string_view, 3> kPoolKeysNames{"model", "bf16", "int8"};

/// Returns the bytes of one key. `bytes_per_value`: that of the model's dtype.
std::int64_t pool_key_bytes(PoolKeys format, std::int64_t head_dim, int bytes_per_value);

}  // namespace carryover
