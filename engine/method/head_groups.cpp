// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/head_groups.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "engine/method/head_select.h"

namespace carryover {

PrefixSpan HeadGroup::span(PrefixPart part) const {
  const auto found = std::ranges::find(spans, part, &PrefixSpan::part);
  return found == spans.end() ? PrefixSpan{part} : *found;
}

const PrefixSpan& HeadGroup::span_at(std::int64_t slot) const {
  const auto found = std::ranges::find_if(spans, [&](const PrefixSpan& span) { return span.holds(slot); });
  CARRYOVER_CHECK(found != spans.end());
  return *found;
}

std::int64_t PolicyState::pool_bytes() const {
  std::int64_t total = 0;
  for (const at::Tensor& tensor : pool_contents()) total += static_cast<std::int64_t>(tensor.nbytes());
  return total;
}

std::vector<at::Tensor*> PolicyState::own_tensors() {
  std::vector<at::Tensor*> all = carry.tensors();
  for (at::Tensor* tensor : held_tensors()) all.push_back(tensor);
  return all;
}

void AttentionPolicy::visit(PolicyState&, StateFields&) const {
  throw EngineError(Fault::Unsupported, "the state behind a text", "can't be saved under the policy " + name(),
                    "Choose another policy, or read the text again.");
}

HeadGroup group_of_all(const ModelConfig& model) {
  HeadGroup all;
  all.heads.resize(static_cast<std::size_t>(model.heads));
  std::iota(all.heads.begin(), all.heads.end(), 0);
  return all;
}

std::int64_t slot_position(const HeadGroup& group, std::int64_t slot, const HeadHits* hits, std::int64_t first_token) {
  const PrefixSpan& span = group.span_at(slot);
  const std::int64_t behind = slot - span.first;
  if (span.part == PrefixPart::Sinks) return behind;
  if (span.part == PrefixPart::Core) return behind * group.core_length;
  const HeadWindow& window = group.window;
  if (span.part == PrefixPart::Carry)  // the carry begins with the copies
    return first_token - span.length + behind + (slot < window.sinks + window.far ? window.far : 0);
  const HeadHits* list = group.found ? group.found.get() : hits;
  if (list == nullptr) return first_token - group.slots() + slot;
  return list->hits[static_cast<std::size_t>(behind)].position;
}

at::Tensor grouped(const at::Tensor& rows, std::int64_t r) {
  return rows.view({rows.size(0) / r, r, rows.size(1), rows.size(2)});
}

at::Tensor group_prefix(const at::Tensor& prefix, const HeadGroup& group, const KvSharing& sharing) {
  if (!prefix.defined()) return {};
  if (group.prefix_per_query_head) return grouped(prefix.contiguous(), sharing.r);
  if (sharing.even) return prefix.unsqueeze(1);
  std::vector<int> row_of_head;  // the prefix has a row for each distinct KV head, in order
  int row = -1, last = -1;
  for (int kv_head : sharing.kv_rows) {
    if (kv_head != last) ++row;
    last = kv_head;
    row_of_head.push_back(row);
  }
  return select_heads(prefix, row_of_head).unsqueeze(1);
}

}  // namespace carryover
