// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/kv_cache.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace carryover {

void GrowingCache::reserve(std::int64_t rows, std::int64_t tokens, std::int64_t head_dim, at::TensorOptions options) {
  for (at::Tensor* tensor : {&keys, &values}) {
    at::Tensor larger = at::empty({rows, tokens, head_dim}, options);
    if (entries > 0) larger.narrow(1, 0, entries).copy_(tensor->narrow(1, 0, entries));
    *tensor = larger;
  }
}

void GrowingCache::append(const at::Tensor& more_keys, const at::Tensor& more_values) {
  const std::int64_t m = more_keys.size(1), capacity = keys.size(1);
  if (entries + m > capacity)
    reserve(more_keys.size(0), std::max(entries + m, capacity + capacity / 2), more_keys.size(2), keys.options());
  keys.narrow(1, entries, m).copy_(more_keys);
  values.narrow(1, entries, m).copy_(more_values);
  entries += m;
}

void GrowingCache::stand_before(HeadGroup& group) const {
  if (entries == 0) return;
  group.prefix_keys = held_keys();
  group.prefix_values = held_values();
  group.spans = {{PrefixPart::Carry, 0, entries}};
}

void GrowingCache::share() {
  keys = held_keys();
  values = held_values();
}

at::Tensor ends_of(const at::Tensor& rows, std::int64_t sinks, std::int64_t recent) {
  const std::int64_t n = rows.size(1);
  if (n <= sinks + recent) return rows.clone(at::MemoryFormat::Contiguous);
  return at::cat({rows.narrow(1, 0, sinks), rows.narrow(1, n - recent, recent)}, 1);
}

void EndsCache::stand_before(HeadGroup& group, std::int64_t sinks) const {
  if (entries() == 0) return;
  group.prefix_keys = keys;
  group.prefix_values = values;
  const std::int64_t recent = entries() - sinks;
  if (sinks > 0) group.spans.push_back({PrefixPart::Sinks, 0, sinks});
  if (recent > 0) group.spans.push_back({PrefixPart::Carry, sinks, recent});
}

void EndsCache::append(const at::Tensor& more_keys, const at::Tensor& more_values, std::int64_t sinks,
                       std::int64_t recent) {
  const auto joined = [&](const at::Tensor& held, const at::Tensor& more) {
    return held.defined() ? ends_of(at::cat({held, more}, 1), sinks, recent) : ends_of(more, sinks, recent);
  };
  keys = joined(keys, more_keys);
  values = joined(values, more_values);
}

}  // namespace carryover
