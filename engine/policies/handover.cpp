// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/handover.h"

#include "engine/base/error.h"

namespace carryover {

HandoverState::HandoverState(std::unique_ptr<PolicyState> was, std::unique_ptr<PolicyState> other)
    : as_it_was(std::move(was)), edited(std::move(other)) {
  CARRYOVER_CHECK(as_it_was->next.index == edited->next.index);
  next = as_it_was->next;
  carry.windows = as_it_was->carry.windows;
}

std::unique_ptr<PolicyState> HandoverState::clone() const {
  return std::make_unique<HandoverState>(as_it_was->clone(), edited->clone());
}

std::unique_ptr<PolicyState> HandoverPolicy::take_edited(std::unique_ptr<PolicyState> state) {
  HandoverState& both = own(*state);
  both.edited->carry.windows = std::move(both.carry.windows);
  return std::move(both.edited);
}

std::unique_ptr<PolicyState> HandoverPolicy::init_state() const {
  return std::make_unique<HandoverState>(as_it_was_.init_state(), edited_.init_state());
}

std::vector<HeadGroup> HandoverPolicy::read(const HandoverState& state, int layer, Rope& rope) const {
  return as_it_was_.context(*state.as_it_was, layer, rope);
}

std::vector<HeadGroup> HandoverPolicy::complete(const HandoverState& state, std::vector<HeadGroup> groups,
                                                const ChunkQueries& queries) const {
  return as_it_was_.select(*state.as_it_was, std::move(groups), queries);
}

LayerTrace HandoverPolicy::trace(int layer, const LayerKv& kv) const {
  LayerTrace trace = as_it_was_.trace(layer, kv);
  trace.second = std::make_shared<LayerTrace>(edited_.trace(layer, kv));
  return trace;
}

void HandoverPolicy::close(HandoverState& state, std::vector<LayerTrace> traces, std::int64_t m) const {
  std::vector<LayerTrace> edited;
  for (LayerTrace& trace : traces) edited.push_back(trace.second ? std::move(*trace.second) : LayerTrace());
  as_it_was_.commit(*state.as_it_was, std::move(traces), m);
  edited_.commit(*state.edited, std::move(edited), m);
  state.next = state.as_it_was->next;
}

}  // namespace carryover
