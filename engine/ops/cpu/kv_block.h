// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace carryover::ops {

/// Keys and values, [G, r or 1, n, d] each, with a dense last dimension, and the keys that each of m queries sees:
/// query i sees keys [i + from, i + to), as far as they exist.
struct KvBlock {
  static constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;

  at::Tensor keys, values;
  std::int64_t from = -kUnbounded, to = kUnbounded;
  bool fixed = false;       ///< true if nobody asks for their gradients
  at::Tensor queries = {};  ///< [G, r, m, d], the queries for these keys; undefined: the attention's own

  std::int64_t first_seen(std::int64_t query) const { return std::clamp<std::int64_t>(query + from, 0, keys.size(2)); }
  std::int64_t end_seen(std::int64_t query) const { return std::clamp<std::int64_t>(query + to, 0, keys.size(2)); }
  const at::Tensor& queries_or(const at::Tensor& all) const { return queries.defined() ? queries : all; }
  /// Returns the first query that sees key `key` or one behind it; the queries may be fewer.
  std::int64_t first_query(std::int64_t key) const { return std::max<std::int64_t>(0, key + 1 - to); }
  /// Returns the number of rows per group: one if its heads share them, which is a stride of 0.
  std::int64_t rows() const { return keys.stride(1) == 0 && values.stride(1) == 0 ? 1 : keys.size(1); }
};

/// The gradients of attention's queries, [G, r, m, d], and of the keys and values of each part: [G, 1, n, d] if the
/// heads of a group share them (a stride of 0), else [G, r, n, d]; undefined for a fixed part.
struct AttentionGradients {
  at::Tensor queries;
  std::vector<KvBlock> parts;
};

}  // namespace carryover::ops
