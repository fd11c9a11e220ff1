// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/pool_topk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/element.h"

namespace carryover::kernels::reference {
namespace {

struct Scored {
  float score;
  std::int64_t index;
};

template <typename T>
float dot(const float* summary, const T* key, std::int32_t head_dim) {
  Opmath<T> sum = 0;
  for (std::int32_t c = 0; c < head_dim; ++c) sum += static_cast<Opmath<T>>(summary[c]) * to_opmath(key[c]);
  return static_cast<float>(sum);
}

template <typename T>
std::vector<Scored> score_all(const float* summary, const T* keys, std::int64_t entries, std::int32_t head_dim) {
  std::vector<Scored> scored;
  scored.reserve(static_cast<std::size_t>(entries));
  for (std::int64_t index = 0; index < entries; ++index) {
    const float score = dot(summary, keys + index * head_dim, head_dim);
    if (!std::isnan(score)) scored.push_back({score, index});
  }
  return scored;
}

void keep_best(std::vector<Scored>& scored, std::int32_t k, float* scores, std::int64_t* indices) {
  const auto kept = std::min(scored.size(), static_cast<std::size_t>(k));
  std::partial_sort(
      scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(kept), scored.end(),
      [](const Scored& a, const Scored& b) { return a.score != b.score ? a.score > b.score : a.index < b.index; });
  std::fill_n(scores, k, -std::numeric_limits<float>::infinity());
  std::fill_n(indices, k, std::int64_t{-1});
  for (std::size_t rank = 0; rank < kept; ++rank) {
    scores[rank] = scored[rank].score;
    indices[rank] = scored[rank].index;
  }
}

}  // namespace

Status pool_topk(const PoolTopk& args, Stream) {
  visit_element(args.key_type, [&](auto element) {
    const auto* keys = static_cast<const decltype(element)*>(args.keys);
    for (std::int32_t head = 0; head < args.heads; ++head) {
      const auto* slot = keys + args.head_slot[head] * args.slot_stride;
      for (std::int32_t s = 0; s < args.summary_count; ++s) {
        const std::int64_t row = static_cast<std::int64_t>(head) * args.summary_count + s;
        auto scored = score_all(args.summaries + row * args.head_dim, slot, args.entries, args.head_dim);
        keep_best(scored, args.k, args.scores + row * args.k, args.indices + row * args.k);
      }
    }
  });
  return 0;
}

}  // namespace carryover::kernels::reference
