// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/written_by_source.h"

#include <ATen/ATen.h>

#include "engine/inspection/attention_pattern.h"

namespace carryover {

namespace {

std::int64_t source_of(std::optional<PrefixPart> part) {
  if (!part) return kSegmentSource;
  return *part == PrefixPart::Sinks ? 0 : *part == PrefixPart::Retrieved ? 1 : kCarrySource;
}

/// Returns [sources, P]: 1 where a slot of the prefix belongs to the source, 0 elsewhere.
at::Tensor slots_by_source(const AttentionPattern& attention, std::int64_t first_token) {
  const std::int64_t prefix = attention.prefix_length();
  at::Tensor slots = at::zeros({std::ssize(kSources), prefix}, at::kFloat);
  auto* row = slots.mutable_data_ptr<float>();
  for (std::int64_t slot = 0; slot < prefix; ++slot)
    row[source_of(attention.part(slot, first_token)) * prefix + slot] = 1;
  return slots.to(attention.values().options());
}

/// Returns [sources, d]: a query's weights times values, summed over the positions of each source.
at::Tensor read_by_source(const AttentionPattern& attention, std::int64_t token, std::int64_t first_token) {
  const std::int64_t prefix = attention.prefix_length(), own = attention.values().size(0);
  const at::Tensor weights = attention.weights(token, 1);
  at::Tensor read = at::zeros({std::ssize(kSources), attention.values().size(1)}, attention.values().options());
  if (prefix > 0)
    read += at::mm(slots_by_source(attention, first_token) * weights.narrow(1, 0, prefix), attention.prefix_values());
  read.narrow(0, kSegmentSource, 1) += at::mm(weights.narrow(1, prefix, own), attention.values());
  return read;
}

}  // namespace

at::Tensor written_by_source(const Decoder& decoder, const LayerSight& sight, std::int64_t token,
                             std::int64_t first_token) {
  const std::int64_t heads = decoder.config.heads, d = decoder.config.head_dim, sources = std::ssize(kSources);
  // One row for each head and source: everything else in it is zero.
  at::Tensor parts = at::zeros({heads, sources, heads, d}, sight.queries.options());
  for (int h = 0; h < heads; ++h)
    parts[h].select(1, h).copy_(read_by_source(AttentionPattern(sight, h), token, first_token));
  return decoder.written_by(sight.layer, parts.view({heads * sources, heads * d})).view({heads, sources, -1});
}

}  // namespace carryover
