// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/key_index.h"
#include "engine/base/memory_bytes.h"
#include "engine/config/retrieval_choices.h"
#include "engine/decoder/rope.h"
#include "engine/method/carried_state.h"
#include "engine/method/state_fields.h"
#include "engine/runs/values/hits.h"

namespace carryover {

/// Consecutive slots of a prefix that hold one part of it.
struct PrefixSpan {
  PrefixPart part;
  std::int64_t first = 0, length = 0;

  std::int64_t end() const { return first + length; }
  bool holds(std::int64_t slot) const { return slot >= first && slot < end(); }
  KeyRange range() const { return KeyRange::of(first, end()); }
};

/// Describes which keys of [prefix; segment], up to a query's own, the queries of a group see.
struct HeadWindow {
  std::int64_t length = 0;     ///< number of last keys that a query sees, its own included; 0: all
  std::int64_t sinks = 0;      ///< number of first keys that it sees too; they may include blocks that were looked up
  std::int64_t furthest = -1;  ///< the largest position from which queries read the sinks; −1: always their own
                               ///< position
  /// Number of copies of tokens right behind the sinks. They copy the first tokens that follow these copies. A query
  /// reads a copy as it reads the sinks, but only once the copied token itself has left the query's window, so it sees
  /// no token twice.
  std::int64_t far = 0;
};

/// Query heads of one layer that attend in the same way, and what they see before their segment. Where heads have
/// branches, each branch is a group of the same heads with a gate; these groups follow one another, and a head's output
/// is the sum of its branches' outputs.
struct HeadGroup {
  std::vector<int> heads;    ///< query heads, ascending
  at::Tensor prefix_keys;    ///< [heads or KV heads of `heads`, P, d], rotated for this segment; undefined where P = 0
  at::Tensor prefix_values;  ///< same shape
  bool prefix_per_query_head = false;
  bool long_range = false;             ///< true if these are heads of H_long
  std::vector<PrefixSpan> spans = {};  ///< parts that the P slots hold, in order; a part without slots is left out
  HeadWindow window = {};
  /// The index that says which keys each query head of the group sees, in place of the window; null: there is no index.
  std::shared_ptr<const KeyIndex> index = {};
  bool shares_cache = false;     ///< all groups of the layer read the same prefix
  std::int64_t core_length = 0;  ///< number of tokens that a slot of PrefixPart::Core stands for
  /// The hits in the retrieved slots, if select() found them; null: the state's hits apply.
  std::shared_ptr<const HeadHits> found = {};
  /// Free rows right behind the prefix in the same memory, [KV heads, *, d] each, if the policy keeps what follows. A
  /// segment whose keys are written there is read together with its prefix as one tensor. Undefined: there are no such
  /// rows.
  at::Tensor room_keys = {}, room_values = {};
  /// [heads, m]: the factors of a branch's outputs. Undefined: the heads have no branches.
  at::Tensor gate = {};

  std::int64_t slots() const { return prefix_keys.defined() ? prefix_keys.size(1) : 0; }
  PrefixSpan span(PrefixPart part) const;  ///< a span of no slots if the prefix lacks the part
  const PrefixSpan& span_at(std::int64_t slot) const;
};

/// Returns the group of all query heads, which has no prefix yet.
HeadGroup group_of_all(const ModelConfig& model);

/// Returns the absolute position of a slot of a group's prefix. A copy has the position of its token (HeadWindow::far),
/// a core token that of the first token that it stands for. `hits`: what the slot's head retrieved; null if the slot is
/// not a retrieved one, if the group has its own hits, or if the prefix is the text right before the segment, of which
/// queries choose what they read. `first_token`: where the segment begins, right behind the carry.
std::int64_t slot_position(const HeadGroup& group, std::int64_t slot, const HeadHits* hits, std::int64_t first_token);

/// Keys, values and queries of one layer for the segment so far. All but `rotated_keys` and `end_queries` are
/// unrotated.
struct LayerKv {
  at::Tensor queries;            ///< [H, ≤ segment, d]: at least the last L_q
  at::Tensor keys, values;       ///< [H_kv, n, d]
  at::Tensor rotated_keys = {};  ///< [H_kv, n, d]
  /// [H, k] if the policy weighs keys: the attention that the last k keys of [prefix; segment] got from the segment's
  /// queries so far, summed over these queries. The k keys are all keys but the sinks and copies.
  at::Tensor received = {};
  /// [H, ends, d], rotated, if the policy pools groups: the queries of the segment's tokens that are the last ones of a
  /// group (AttentionPolicy::pooled_group).
  at::Tensor end_queries = {};
  bool in_room = false;  ///< true if rotated keys and values are in HeadGroup::room_keys and room_values
};

/// Identifies a segment.
struct SegmentFrame {
  std::int64_t index = 0;        ///< zero-based
  std::int64_t first_token = 0;  ///< absolute position
};

/// A chunk of queries that are about to attend, [H, m, d] each. They are the last queries of the segment so far.
struct ChunkQueries {
  int layer;
  SegmentFrame frame;
  const at::Tensor& rotated;
  const at::Tensor& unrotated;
  const LayerKv& kv;  ///< rows of the segment so far
  Rope& rope;
  const at::Tensor& gates;  ///< [H, 3, m] if the policy is gated; else undefined

  std::int64_t count() const { return rotated.size(1); }  ///< m
  /// The absolute position of the chunk's first query.
  std::int64_t first_token() const { return frame.first_token + kv.keys.size(1) - count(); }
};

/// Holds what a policy keeps of one layer when a segment closes. A policy fills the fields that it needs; all else is
/// freed with the layer.
struct LayerTrace {
  LayerCarry carry;                    ///< differentiable
  at::Tensor past_keys, past_values;   ///< detached; for the pool (unrotated), or for full attention's cache (rotated)
  at::Tensor queries;                  ///< detached tail queries [searching heads, ≤ L_q, d]
  at::Tensor received;                 ///< detached: LayerKv::received
  LayerSinks sinks;                    ///< this segment's; a policy keeps those of the first segment
  std::shared_ptr<LayerTrace> second;  ///< the trace of another policy for the same layer (policies/handover.h)

  bool empty() const { return !past_keys.defined() && !carry.keys.defined() && !second; }
};

/// All that crosses segments. A policy makes it, and only the policy's commit(), search(), forget_retrieved() and
/// end_prompt() change it. Training replaces `carry`, the differentiable part, by leaves of the same values
/// (SegmentRunner::replace_carry).
struct PolicyState {
  virtual ~PolicyState() = default;
  CarriedState carry;
  std::vector<HeadHits> hits;  ///< hits that the next segment reads
  std::int64_t near_ties = 0;  ///< number of near-ties in the retrieval for the next segment
  SegmentFrame next;           ///< the segment that comes next

  virtual std::int64_t pool_entries() const { return 0; }
  virtual std::int64_t pool_bytes() const;                              ///< bytes of pool_contents()
  virtual std::vector<at::Tensor> pool_contents() const { return {}; }  ///< views of the entries held, for comparisons
  /// Returns the tensors that are this state's alone: the carry, and what else a policy holds besides the pool, which
  /// copies share.
  std::vector<at::Tensor*> own_tensors();
  virtual std::vector<at::Tensor*> held_tensors() { return {}; }  ///< those besides the carry and the pool

  /// Returns a copy that shares memory with this state. Later segments of either state leave the other alone, and the
  /// copy keeps what was retrieved.
  virtual std::unique_ptr<PolicyState> clone() const = 0;
};

class RetrievingPolicy;  // method/retrieving_policy.h

/// How the heads of a layer attend: a policy's rule, or the model's own window (method/window_layers.h). The forward
/// map calls context(), select() and trace() for each layer. Thread: engine.
class LayerAttention {
 public:
  virtual ~LayerAttention() = default;

  /// Returns the head groups of a layer. Together they hold every query head once, or once in each branch.
  virtual std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const = 0;

  /// Returns true if select() changes what heads see after context(), because that depends on their own queries.
  virtual bool selects() const { return false; }
  /// Returns the groups of context() as a chunk's queries see them: with blocks that the queries look up, or with an
  /// index. Called once per chunk and layer.
  virtual std::vector<HeadGroup> select(const PolicyState&, std::vector<HeadGroup> groups, const ChunkQueries&) const {
    return groups;
  }

  /// Returns true if trace() needs LayerKv::received, the attention that keys got. A layer's heads then are one group
  /// with a window.
  virtual bool weighs_keys() const { return false; }

  /// Returns the length g of the groups of tokens that the policy pools by the query of each group's last token
  /// (LayerKv::end_queries), or 0 if it pools none. The first group begins at the text's first token.
  virtual std::int64_t pooled_group() const { return 0; }

  /// Returns true if heads have branches. select() then gets the branches' gates from Decoder::branch_gates().
  virtual bool gated() const { return false; }

  /// Returns what to keep of a layer once its segment is complete.
  virtual LayerTrace trace(int layer, const LayerKv& kv) const = 0;
};

/// The rule for how attention crosses segment boundaries, in all layers but the model's windowed ones. A new policy is
/// one folder with a class derived from PolicyOf and its row. The runner calls commit() once per segment. A policy has
/// no state of its own, so it may serve several runs. Thread: engine.
class AttentionPolicy : public LayerAttention {
 public:
  virtual std::string name() const = 0;
  virtual std::unique_ptr<PolicyState> init_state() const = 0;

  /// Returns the position of a segment's first token in RoPE; prefixes stand before it.
  virtual std::int64_t first_position(const SegmentFrame& frame) const = 0;

  /// Closes a segment of m tokens. traces: [L], from trace(); those of windowed layers are empty. Only commit(),
  /// search(), forget_retrieved() and end_prompt() change a state.
  virtual void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const = 0;

  /// Searches again for the next segment, with the queries of a draft of it; nothing else of the draft is kept. Does
  /// nothing if the policy retrieves nothing.
  virtual void search(PolicyState&, const std::vector<LayerTrace>&) const {}
  /// Makes the next segment read nothing retrieved.
  virtual void forget_retrieved(PolicyState&) const {}

  /// Returns what others may do with the search of a policy that retrieves positions; null if it retrieves none.
  virtual const RetrievingPolicy* retrieving() const { return nullptr; }

  /// Returns true if end_prompt(), which is called where a prompt ends between two segments, changes the state.
  virtual bool ends_prompts() const { return false; }
  virtual void end_prompt(PolicyState&, Ropes&) const {}

  /// Names all fields of a state that follows a text's last segment, for runs/state_file.h (see StateFields). Throws
  /// EngineError{Unsupported} if the policy names no fields.
  virtual void visit(PolicyState& state, StateFields& fields) const;
};

/// A policy whose states are of one type. This class checks that a state is of that type, so policies themselves need
/// no casts.
template <typename State>
class PolicyOf : public AttentionPolicy {
 public:
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const final {
    return read(own(state), layer, rope);
  }
  std::vector<HeadGroup> select(const PolicyState& state, std::vector<HeadGroup> groups,
                                const ChunkQueries& queries) const final {
    return complete(own(state), std::move(groups), queries);
  }
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const final {
    close(own(state), std::move(traces), m);
  }
  void visit(PolicyState& state, StateFields& fields) const final { name_fields(own(state), fields); }

 protected:
  static const State& own(const PolicyState& state) {
    const auto* own = dynamic_cast<const State*>(&state);
    CARRYOVER_CHECK(own != nullptr);
    return *own;
  }
  static State& own(PolicyState& state) { return const_cast<State&>(own(std::as_const(state))); }
  /// Implementations of context(), select(), commit() and visit(), which get the state in its own type.
  virtual std::vector<HeadGroup> read(const State& state, int layer, Rope& rope) const = 0;
  virtual std::vector<HeadGroup> complete(const State&, std::vector<HeadGroup> groups, const ChunkQueries&) const {
    return groups;
  }
  virtual void close(State& state, std::vector<LayerTrace> traces, std::int64_t m) const {
    for (std::size_t l = 0; l < traces.size(); ++l)
      if (const LayerTrace trace = std::exchange(traces[l], {}); !trace.empty()) take(state, l, trace, m);
    state.next = {state.next.index + 1, state.next.first_token + m};
  }
  /// Adds the trace of one layer of a closed segment, `state.next`, of m tokens to the state. A policy overrides this,
  /// or close() if its layers do not close one by one.
  virtual void take(State&, std::size_t /*layer*/, const LayerTrace&, std::int64_t /*m*/) const {}
  virtual void name_fields(State& state, StateFields& fields) const { AttentionPolicy::visit(state, fields); }
};

}  // namespace carryover
