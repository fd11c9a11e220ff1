// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/list_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace carryover::kernels::reference {
namespace {

/// A key that a query sees, and its score.
struct Seen {
  std::int32_t place;
  double score;
};

template <typename T>
double product(const T* a, const T* b, std::int32_t d) {
  double sum = 0;
  for (std::int32_t c = 0; c < d; ++c) sum += double{to_opmath(a[c])} * double{to_opmath(b[c])};
  return sum;
}

template <typename T>
class Query {
 public:
  Query(const ListAttention& args, std::int32_t head, std::int32_t query) : args_(args), head_(head), query_(query) {}

  void add(const KeyBand& band, const TileKeys& keys) {
    const QueryRows& rows = band.apart ? args_.apart_queries : args_.queries;
    const T* own = static_cast<const T*>(rows.data) + head_ * rows.head_stride + query_ * rows.position_stride;
    for (std::int32_t r = 0; r < keys.run_count; ++r) {
      const KeyRun run = run_at(keys, r);
      const std::int32_t after = r + 1 < keys.run_count ? run_at(keys, r + 1).before : keys.keys;
      for (std::int32_t place = run.first; place < run.first + after - run.before; ++place)
        if (sees(band, place_of(args_, query_), place))
          seen_.push_back({place, soft_capped(product(own, row(place, key_at<T>), args_.head_dim) * double{args_.scale},
                                              args_.cap)});
    }
  }

  void finish() const {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const Seen& key : seen_) top = std::max(top, key.score);
    for (const Seen& key : seen_) sum += std::exp(key.score - top);
    T* out = static_cast<T*>(args_.output) + (std::int64_t{query_} * args_.heads + head_) * args_.head_dim;
    for (std::int32_t c = 0; c < args_.head_dim; ++c) {
      double mean = 0;
      for (const Seen& key : seen_)
        mean += std::exp(key.score - top) / sum * double{to_opmath(row(key.place, value_at<T>)[c])};
      narrow(static_cast<Opmath<T>>(mean), out[c]);
    }
    if (args_.log_sums != nullptr)
      args_.log_sums[std::int64_t{head_} * args_.query_count + query_] =
          static_cast<float>(seen_.empty() ? top : top + std::log(sum));
  }

 private:
  template <typename At>
  const T* row(std::int32_t place, At&& at) const {
    return place < args_.prefix_length ? at(args_.prefix, head_, place)
                                       : at(args_.segment, head_, place - args_.prefix_length);
  }

  const ListAttention& args_;
  std::int32_t head_, query_;
  std::vector<Seen> seen_;
};

}  // namespace

Status list_attention(const ListAttention& args, Stream) {
  for (std::int32_t head = 0; head < args.heads; ++head)
    for (std::int32_t t = 0; t < args.tile_count; ++t) {
      const QueryTile tile = tile_of(args, t);
      for (std::int32_t query = tile.first; query < tile.first + tile.count; ++query)
        visit_element(args.type, [&](auto element) {
          Query<decltype(element)> own(args, head, query);
          for (std::int32_t band = 0; band < args.band_count; ++band)
            own.add(args.bands[band], keys_of(args, args.bands[band], head / args.heads_together, tile));
          own.finish();
        });
    }
  return 0;
}

}  // namespace carryover::kernels::reference
