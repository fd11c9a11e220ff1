// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/row_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace carryover::kernels::reference {
namespace {

template <typename T>
void attend(const RowAttention& args, std::int32_t head) {
  const std::int32_t d = args.head_dim, before = prefix_length_of(args, head), all = before + args.length;
  const auto rows_of = [&](std::int32_t p) -> const KvRows& {
    return p < before ? prefix_of(args, head) : args.segment;
  };
  const auto place = [&](std::int32_t p) { return p < before ? p : p - before; };
  const T* query = static_cast<const T*>(args.queries) + std::int64_t{args.query_row[head]} * d;
  std::vector<double> weights;
  for (std::int32_t p = 0; p < all; ++p) {
    const T* key = key_at<T>(rows_of(p), head, place(p));
    double score = 0;
    for (std::int32_t c = 0; c < d; ++c) score += double{to_opmath(query[c])} * double{to_opmath(key[c])};
    weights.push_back(soft_capped(score * double{args.scale}, args.cap));
  }
  const double top = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - top);
  for (std::int32_t c = 0; c < d; ++c) {
    double mean = 0;
    for (std::int32_t p = 0; p < all; ++p)
      mean += weights[static_cast<std::size_t>(p)] * double{to_opmath(value_at<T>(rows_of(p), head, place(p))[c])};
    narrow(static_cast<Opmath<T>>(mean / sum), static_cast<T*>(args.output)[std::int64_t{head} * d + c]);
  }
}

}  // namespace

Status row_attention(const RowAttention& args, Stream) {
  for (std::int32_t head = 0; head < args.heads; ++head)
    visit_element(args.type, [&](auto element) { attend<decltype(element)>(args, head); });
  return 0;
}

}  // namespace carryover::kernels::reference
