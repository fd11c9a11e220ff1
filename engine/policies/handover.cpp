// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/handover.h"

#include "engine/core/base/error.h"

namespace carryover {

namespace {

struct HandoverState final : PolicyState {
  std::unique_ptr<PolicyState> as_it_was, edited;

  std::unique_ptr<PolicyState> clone() const override {
    return HandoverPolicy::join(as_it_was->clone(), edited->clone());
  }
};

}  // namespace

std::unique_ptr<PolicyState> HandoverPolicy::join(std::unique_ptr<PolicyState> as_it_was,
                                                  std::unique_ptr<PolicyState> edited) {
  CARRYOVER_CHECK(as_it_was->next.index == edited->next.index);
  auto state = std::make_unique<HandoverState>();
  state->next = as_it_was->next;
  state->as_it_was = std::move(as_it_was);
  state->edited = std::move(edited);
  return state;
}

std::unique_ptr<PolicyState> HandoverPolicy::take_edited(PolicyState& state) {
  return std::move(static_cast<HandoverState&>(state).edited);
}

std::unique_ptr<PolicyState> HandoverPolicy::init_state() const {
  return join(as_it_was_.init_state(), edited_.init_state());
}

std::vector<HeadGroup> HandoverPolicy::context(const PolicyState& state, int layer, Rope& rope) const {
  return as_it_was_.context(*static_cast<const HandoverState&>(state).as_it_was, layer, rope);
}

LayerTrace HandoverPolicy::trace(int layer, const LayerKv& kv) const {
  if (layer == 0) edited_traces_.clear();
  edited_traces_.push_back(edited_.trace(layer, kv));
  return as_it_was_.trace(layer, kv);
}

void HandoverPolicy::commit(PolicyState& base, std::vector<LayerTrace> traces, std::int64_t m) const {
  auto& state = static_cast<HandoverState&>(base);
  as_it_was_.commit(*state.as_it_was, std::move(traces), m);
  edited_.commit(*state.edited, std::move(edited_traces_), m);
  state.next = state.as_it_was->next;
}

}  // namespace carryover
