// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/kv_cache.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace carryover {

void GrowingRows::reserve(std::int64_t heads, std::int64_t count, std::int64_t width, at::TensorOptions options) {
  at::Tensor larger = at::empty({heads, count, width}, options);
  if (entries > 0) larger.narrow(1, 0, entries).copy_(held());
  rows = larger;
}

void GrowingRows::append(const at::Tensor& more) {
  if (more.size(1) <= rows.size(1) - entries && more.data_ptr() == room().data_ptr() && more.size(1) > 0) {
    entries += more.size(1);
    return;
  }
  const std::int64_t m = more.size(1), capacity = rows.size(1);
  if (entries + m > capacity)
    reserve(more.size(0), std::max(entries + m, capacity + capacity / 2), more.size(2), rows.options());
  rows.narrow(1, entries, m).copy_(more);
  entries += m;
}

void GrowingRows::visit(StateFields& fields, const std::string& name, std::int64_t count) {
  if (fields.reading() && rows.size(1) < count) reserve(rows.size(0), count, rows.size(2), rows.options());
  fields.derived(entries, count);
  at::Tensor view = held();
  fields.tensor(name, view, view.sizes(), rows.options());
}

void GrowingCache::reserve(std::int64_t rows, std::int64_t tokens, std::int64_t head_dim, at::TensorOptions options) {
  for (GrowingRows* own : {&keys, &values}) own->reserve(rows, tokens, head_dim, options);
}

void GrowingCache::append(const at::Tensor& more_keys, const at::Tensor& more_values) {
  keys.append(more_keys);
  values.append(more_values);
}

void GrowingCache::stand_before(HeadGroup& group) const {
  if (!keys.rows.defined()) return;
  group.room_keys = keys.room();
  group.room_values = values.room();
  if (entries() == 0) return;
  group.prefix_keys = keys.held();
  group.prefix_values = values.held();
  group.spans = {{PrefixPart::Carry, 0, entries()}};
}

void keep_segment(LayerTrace& trace, const LayerKv& kv) {
  if (kv.in_room) {
    trace.past_keys = kv.rotated_keys;
    trace.past_values = kv.values;
    return;
  }
  const at::Tensor kept = at::stack({kv.rotated_keys.detach(), kv.values.detach()});
  trace.past_keys = kept[0];
  trace.past_values = kept[1];
}

void GrowingCache::add_to(std::vector<at::Tensor>& all) const {
  if (keys.rows.defined()) all.insert(all.end(), {keys.held(), values.held()});
}

void GrowingCache::share() {
  keys.share();
  values.share();
}

void GrowingCache::visit(StateFields& fields, const std::string& prefix, std::int64_t count) {
  keys.visit(fields, prefix + "keys", count);
  values.visit(fields, prefix + "values", count);
}

at::Tensor rows_of(const at::Tensor& held, const at::Tensor& more, std::int64_t first, std::int64_t end) {
  const std::int64_t before = held.defined() ? held.size(1) : 0;
  if (first >= before) return more.narrow(1, first - before, end - first);
  if (end <= before) return held.narrow(1, first, end - first);
  return at::cat({held.narrow(1, first, before - first), more.narrow(1, 0, end - before)}, 1);
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

void EndsCache::visit(StateFields& fields, const std::string& prefix, std::int64_t tokens, std::int64_t sinks,
                      std::int64_t recent, std::int64_t rows, std::int64_t head_dim, at::TensorOptions options) {
  const std::int64_t held = std::min(tokens, sinks + recent);
  fields.tensor(prefix + "keys", keys, {rows, held, head_dim}, options);
  fields.tensor(prefix + "values", values, {rows, held, head_dim}, options);
}

}  // namespace carryover
