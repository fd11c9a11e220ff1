// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/core/base/key_index.h"
#include "engine/core/base/memory_bytes.h"
#include "engine/core/config/retrieval_choices.h"
#include "engine/core/run/hits.h"
#include "engine/method/carried_state.h"
#include "engine/method/state_fields.h"
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
  std::int64_t sinks = 0;      ///< and the first of all, which may include blocks that were looked up
  std::int64_t furthest = -1;  ///< the position from which queries read the sinks, at most; −1: always their own
  /// Right behind the sinks, copies of the first tokens behind these copies: read as the sinks are, and each by queries
  /// whose window the token itself has left. So a query sees no token twice.
  std::int64_t far = 0;
};

/// Query heads that attend alike in one layer, and what they see before their segment. Where heads have branches, these
/// are groups of the same heads, one behind the other, each with a gate; what their heads put out is the sum.
struct HeadGroup {
  std::vector<int> heads;    ///< query heads, ascending
  at::Tensor prefix_keys;    ///< [heads or KV heads of `heads`, P, d], rotated for this segment; undefined where P = 0
  at::Tensor prefix_values;  ///< the same
  bool prefix_per_query_head = false;
  bool long_range = false;             ///< heads of H_long
  std::vector<PrefixSpan> spans = {};  ///< what the P slots hold, in order; parts of no slots are left out
  HeadWindow window = {};
  /// What queries see instead of a window, by query head of the group; null: no such index.
  std::shared_ptr<const KeyIndex> index = {};
  bool shares_cache = false;     ///< all groups of the layer read the same prefix
  std::int64_t core_length = 0;  ///< tokens that a slot of PrefixPart::Core stands for
  /// What the retrieved slots hold, where select() found it; null: what the state's hits say.
  std::shared_ptr<const HeadHits> found = {};
  /// Free rows right behind the prefix, in the same memory, [KV heads, *, d] each, where the policy keeps what follows:
  /// a segment whose keys stand there is read with its prefix in one piece. Undefined: there are none.
  at::Tensor room_keys = {}, room_values = {};
  /// [heads, m]: of a branch, what the outputs of its heads are multiplied by; undefined: it is all that they see.
  at::Tensor gate = {};

  std::int64_t slots() const { return prefix_keys.defined() ? prefix_keys.size(1) : 0; }
  PrefixSpan span(PrefixPart part) const;  ///< of no slots where the prefix lacks it
  const PrefixSpan& span_at(std::int64_t slot) const;
};

/// The group of all query heads, which has no prefix yet.
HeadGroup group_of_all(const ModelConfig& model);

/// The absolute position of a slot of a group's prefix; a copy has its token's (HeadWindow::far), a core token that of
/// the first that it stands for. `hits`: what its head retrieved; may be null where the slot holds none of it, or the
/// group says it. `first_token`: where the segment begins, right behind the carry.
std::int64_t slot_position(const HeadGroup& group, std::int64_t slot, const HeadHits* hits, std::int64_t first_token);

/// Keys, values and queries of one layer for the segment so far, all unrotated but `rotated_keys`.
struct LayerKv {
  at::Tensor queries;            ///< [H, ≤ segment, d]: at least the last L_q
  at::Tensor keys, values;       ///< [H_kv, n, d]
  at::Tensor rotated_keys = {};  ///< [H_kv, n, d]
  /// [H, k], where the policy weighs keys: the attention that the last k keys of [prefix; segment] got from the
  /// segment's queries so far, each summed over them. Those are all keys but sinks and copies.
  at::Tensor received = {};
  /// [H, ends, d], rotated, where the policy pools groups: the queries of the segment's tokens that end one
  /// (AttentionPolicy::pooled_group).
  at::Tensor end_queries = {};
  bool in_room = false;  ///< rotated keys and values stand in HeadGroup::room_keys and room_values
};

/// Which segment runs.
struct SegmentFrame {
  std::int64_t index = 0;        ///< zero-based
  std::int64_t first_token = 0;  ///< absolute position
};

/// A chunk of queries that are about to attend, [H, m, d] each; they are the last of the segment so far.
struct ChunkQueries {
  int layer;
  SegmentFrame frame;
  const at::Tensor& rotated;
  const at::Tensor& unrotated;
  const LayerKv& kv;  ///< of the segment so far
  Rope& rope;
  const at::Tensor& gates;  ///< [H, 3, m] where the policy is gated; else undefined

  std::int64_t count() const { return rotated.size(1); }  ///< m
  /// The absolute position of the chunk's first query.
  std::int64_t first_token() const { return frame.first_token + kv.keys.size(1) - count(); }
};

/// What a closed segment leaves of one layer. A policy fills what it needs; the rest is freed with the layer.
struct LayerTrace {
  LayerCarry carry;                    ///< differentiable
  at::Tensor past_keys, past_values;   ///< detached: for the pool, or for full attention's cache (rotated there)
  at::Tensor queries;                  ///< detached tail queries [searching heads, ≤ L_q, d]
  at::Tensor received;                 ///< detached: LayerKv::received
  LayerSinks sinks;                    ///< of this segment; a policy keeps the first segment's
  std::shared_ptr<LayerTrace> second;  ///< what another policy keeps of the same layer (policies/handover.h)
};

/// All that crosses segments. Made by a policy and changed by its commit(), search(), forget_retrieved() and
/// end_prompt() alone; training replaces `carry`, the differentiable part, by leaves of the same values
/// (SegmentRunner::replace_carry).
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
/// core/cost/policy_table.cpp. The forward map calls context(), select() and trace() for each layer; the runner calls
/// commit() once per segment. A policy has no state of its own: it may serve several runs. Thread: engine.
class AttentionPolicy {
 public:
  virtual ~AttentionPolicy() = default;
  virtual std::string name() const = 0;
  virtual std::unique_ptr<PolicyState> init_state() const = 0;

  /// Position of a segment's first token in RoPE; prefixes stand before it.
  virtual std::int64_t first_position(const SegmentFrame& frame) const = 0;

  /// The head groups of a layer; together they hold every query head once, or once in each branch.
  virtual std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const = 0;

  /// Whether heads see more, or less, than context() says, which depends on their own queries: select().
  virtual bool selects() const { return false; }
  /// The groups of context() as a chunk's queries see them: with blocks that they look up, or with an index. Called
  /// once a chunk and layer.
  virtual std::vector<HeadGroup> select(const PolicyState&, std::vector<HeadGroup> groups, const ChunkQueries&) const {
    return groups;
  }

  /// Whether trace() is told what attention keys got: LayerKv::received. A layer's heads then are one group, in a
  /// window.
  virtual bool weighs_keys() const { return false; }

  /// The length g of the groups that the policy pools by the query of each group's last token, LayerKv::end_queries;
  /// groups begin where the text does. 0: it pools none.
  virtual std::int64_t pooled_group() const { return 0; }

  /// Whether heads have branches, whose gates select() is given: Decoder::branch_gates().
  virtual bool gated() const { return false; }

  /// What to keep of a layer once its segment is whole.
  virtual LayerTrace trace(int layer, const LayerKv& kv) const = 0;

  /// Closes a segment of m tokens. traces: [L], of trace(). Beside search(), forget_retrieved() and end_prompt() the
  /// only place where a state changes.
  virtual void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const = 0;

  /// Searches again for the segment that comes, with the queries of a draft of it; nothing else of the draft is kept. A
  /// policy that retrieves nothing has nothing to do.
  virtual void search(PolicyState&, const std::vector<LayerTrace>&) const {}
  /// The segment that comes reads nothing retrieved.
  virtual void forget_retrieved(PolicyState&) const {}

  /// Whether the state changes where a prompt ends, between two segments: end_prompt().
  virtual bool ends_prompts() const { return false; }
  virtual void end_prompt(PolicyState&, Rope&) const {}

  /// Names all of a state that stands behind a text's last segment, for eval/state_file.h: see StateFields. Throws
  /// EngineError{Unsupported} under a policy that names nothing.
  virtual void visit(PolicyState& state, StateFields& fields) const;
};

/// A policy with states of one type. A state is checked to be of it here; policies themselves cast nothing.
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
  /// What context(), select(), commit() and visit() do, with the state in its own type.
  virtual std::vector<HeadGroup> read(const State& state, int layer, Rope& rope) const = 0;
  virtual std::vector<HeadGroup> complete(const State&, std::vector<HeadGroup> groups, const ChunkQueries&) const {
    return groups;
  }
  virtual void close(State& state, std::vector<LayerTrace> traces, std::int64_t m) const = 0;
  virtual void name_fields(State& state, StateFields& fields) const { AttentionPolicy::visit(state, fields); }
};

}  // namespace carryover
