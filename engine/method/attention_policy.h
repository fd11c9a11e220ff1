// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/core/base/memory_bytes.h"
#include "engine/core/config/retrieval_choices.h"
#include "engine/core/run/hits.h"
#include "engine/method/carried_state.h"
#include "engine/model/rope.h"

namespace carryover {

/// Slots of a prefix, one behind the other, that hold one part of it.
struct PrefixSpan {
  PrefixPart part;
  std::int64_t first = 0, length = 0;
};

/// What a group's queries see of [prefix; segment] up to themselves.
struct HeadWindow {
  std::int64_t length = 0;     ///< the last keys, their own included; 0: all
  std::int64_t sinks = 0;      ///< and the first of all
  std::int64_t furthest = -1;  ///< the position from which queries read the sinks, at most; −1: always their own
};

/// Query heads that attend alike in one layer, and what they see before their segment.
struct HeadGroup {
  std::vector<int> heads;    ///< query heads, ascending
  at::Tensor prefix_keys;    ///< [heads or KV heads of `heads`, P, d], rotated for this segment; undefined where P = 0
  at::Tensor prefix_values;  ///< the same
  bool prefix_per_query_head = false;
  bool long_range = false;             ///< heads of H_long
  std::vector<PrefixSpan> spans = {};  ///< what the P slots hold, in order; parts of no slots are left out
  HeadWindow window = {};

  std::int64_t slots() const { return prefix_keys.defined() ? prefix_keys.size(1) : 0; }
  PrefixSpan span(PrefixPart part) const;  ///< of no slots where the prefix lacks it
};

/// The absolute position of a slot of a group's prefix. `hits`: what its head retrieved; may be null where the slot
/// holds none of it. `first_token`: where the segment begins, right behind the carry.
std::int64_t slot_position(const HeadGroup& group, std::int64_t slot, const HeadHits* hits, std::int64_t first_token);

/// Keys, values and queries of one layer for the segment so far, all unrotated but `rotated_keys`.
struct LayerKv {
  at::Tensor queries;       ///< [H, ≤ segment, d]: at least the last L_q
  at::Tensor keys, values;  ///< [H_kv, n, d]
  at::Tensor rotated_keys;  ///< [H_kv, n, d]
};

/// What a closed segment leaves of one layer. A policy fills what it needs; the rest is freed with the layer.
struct LayerTrace {
  LayerCarry carry;                    ///< differentiable
  at::Tensor past_keys, past_values;   ///< detached: for the pool, or for full attention's cache (rotated there)
  at::Tensor queries;                  ///< detached tail queries [searching heads, ≤ L_q, d]
  LayerSinks sinks;                    ///< of this segment; a policy keeps the first segment's
  std::shared_ptr<LayerTrace> second;  ///< what another policy keeps of the same layer (policies/handover.h)
};

/// Which segment runs.
struct SegmentFrame {
  std::int64_t index = 0;        ///< zero-based
  std::int64_t first_token = 0;  ///< absolute position
};

/// All that crosses segments. Made by a policy and changed by its commit(), search() and forget_retrieved() alone;
/// training replaces `carry`, the differentiable part, by leaves of the same values (SegmentRunner::replace_carry).
struct PolicyState {
  virtual ~PolicyState() = default;
  CarriedState carry;
  std::vector<HeadHits> hits;  ///< what the next segment reads
  std::int64_t near_ties = 0;  ///< of the retrieval for the next segment
  SegmentFrame next;           ///< the segment that comes

  virtual std::int64_t pool_entries() const { return 0; }
  virtual std::int64_t pool_bytes() const;                              ///< of pool_contents()
  virtual std::vector<at::Tensor> pool_contents() const { return {}; }  ///< views of the entries held, for comparisons
  virtual std::vector<at::Tensor*> own_tensors() { return carry.tensors(); }  ///< of a clone: all but the shared pool

  /// A copy that later segments of either leave alone; what was retrieved stays as it is. Shares memory.
  virtual std::unique_ptr<PolicyState> clone() const = 0;
};

/// How attention crosses segment boundaries. A new policy is one pair of files, derived from PolicyOf, and one row in
/// core/cost/policy_table.cpp. The forward map calls context() and trace() for each layer; the runner calls commit()
/// once per segment. A policy has no state of its own: it may serve several runs. Thread: engine.
class AttentionPolicy {
 public:
  virtual ~AttentionPolicy() = default;
  virtual std::string name() const = 0;
  virtual std::unique_ptr<PolicyState> init_state() const = 0;

  /// Position of a segment's first token in RoPE; prefixes stand before it.
  virtual std::int64_t first_position(const SegmentFrame& frame) const = 0;

  /// The head groups of a layer; together they hold every query head once.
  virtual std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const = 0;

  /// What to keep of a layer once its segment is whole.
  virtual LayerTrace trace(int layer, const LayerKv& kv) const = 0;

  /// Closes a segment of m tokens. traces: [L], of trace(). Beside search() and forget_retrieved() the only place
  /// where a state changes.
  virtual void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const = 0;

  /// Searches again for the segment that comes, with the queries of a draft of it; nothing else of the draft is kept. A
  /// policy that retrieves nothing has nothing to do.
  virtual void search(PolicyState&, const std::vector<LayerTrace>&) const {}
  /// The segment that comes reads nothing retrieved.
  virtual void forget_retrieved(PolicyState&) const {}
};

/// A policy with states of one type. A state is checked to be of it here; policies themselves cast nothing.
template <typename State>
class PolicyOf : public AttentionPolicy {
 public:
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const final {
    return read(own(state), layer, rope);
  }
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const final {
    close(own(state), std::move(traces), m);
  }

 protected:
  static const State& own(const PolicyState& state) {
    const auto* own = dynamic_cast<const State*>(&state);
    CARRYOVER_CHECK(own != nullptr);
    return *own;
  }
  static State& own(PolicyState& state) { return const_cast<State&>(own(std::as_const(state))); }
  virtual std::vector<HeadGroup> read(const State& state, int layer, Rope& rope) const = 0;    ///< context()
  virtual void close(State& state, std::vector<LayerTrace> traces, std::int64_t m) const = 0;  ///< commit()
};

}  // namespace carryover
