// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/decoder/decoder.h"
#include "engine/method/attention_policy.h"

namespace carryover {

struct ForwardContext;  // method/forward_map.h

/// A segment that is being run, with its number of tokens so far and what is kept of them. A whole segment runs in one
/// chunk, and each layer's keys and values are freed once they are traced. Otherwise chunks may follow, and keys and
/// values are kept until the segment closes. Owner: SegmentRunner. Thread: engine.
class OpenSegment {
 public:
  /// `capacity`: number of tokens that it may hold (S); `query_length`: number of tail queries to keep.
  OpenSegment(const SegmentFrame& frame, std::int64_t layers, bool whole, std::int64_t capacity,
              std::int64_t query_length);

  const SegmentFrame& frame() const { return frame_; }
  std::int64_t length() const { return length_; }
  bool whole() const { return whole_; }

  /// Adds a chunk's rows to a layer and returns the layer's segment so far. Chunked segments are not differentiable.
  LayerKv extend(int layer, const LayerKv& chunk);
  /// Does the same on a device that takes kernels, in one pass over a layer's projections. `queries`: output, [H, m,
  /// d], rotated.
  LayerKv extend(int layer, const Decoder::Projections& chunk, const RopeAngles& angles, at::Tensor& queries);
  /// Returns LayerKv::received of the segment so far. `of_chunk`: the same for the newest chunk, whose own keys are the
  /// last.
  at::Tensor add_received(int layer, at::Tensor of_chunk);
  /// Returns LayerKv::end_queries of the segment so far, given those of its newest chunk.
  at::Tensor add_end_queries(int layer, const at::Tensor& of_chunk);
  void advance(std::int64_t tokens) { length_ += tokens; }

  /// Returns the head groups of a layer, which are made once per segment.
  const std::vector<HeadGroup>& context(const LayerAttention& attention, const PolicyState& state, int layer,
                                        Rope& rope);

  /// The state that a chunk changes, beside rows of keys and values behind the segment's length.
  struct Mark;
  Mark mark() const;
  void rewind(Mark mark);  ///< forgets the chunks since `mark`, which was taken of this segment

  /// Finishes a layer of a whole segment: keeps its trace and frees its context.
  void keep(int layer, LayerTrace trace);
  std::vector<LayerTrace> close(const ForwardContext& context);  ///< [L]; leaves the segment empty

  std::int64_t attention_kv_bytes() const { return attention_kv_bytes_; }  ///< last chunk, all layers
  void count_attention_kv(std::int64_t bytes) { attention_kv_bytes_ += bytes; }
  void restart_attention_kv() { attention_kv_bytes_ = 0; }

 private:
  /// Holds up to 2·query_length rows. The last query_length rows before `end` are the tail.
  struct TailQueries {
    at::Tensor rows;  ///< [H, 2·query_length, d]
    std::int64_t end = 0;
  };
  std::int64_t make_room(TailQueries& tail, const at::Tensor& chunk) const;
  void keep_tail(TailQueries& tail, const at::Tensor& chunk) const;
  LayerKv so_far(int layer, std::int64_t n) const;  ///< the rows of the first n tokens
  at::Tensor last(const TailQueries& tail) const;

  SegmentFrame frame_;
  bool whole_;
  std::int64_t capacity_, query_length_, length_ = 0, attention_kv_bytes_ = 0;
  std::vector<LayerKv> kv_;           ///< [L]; buffers of `capacity_` rows, the first length_ filled; empty when whole
  std::vector<TailQueries> tails_;    ///< [L], likewise
  std::vector<at::Tensor> received_;  ///< [L], likewise; undefined where no policy weighs keys
  std::vector<at::Tensor> ends_;      ///< [L], likewise, for end queries
  std::vector<std::vector<HeadGroup>> contexts_;
  std::vector<LayerTrace> traces_;
};

struct OpenSegment::Mark {
  std::int64_t length;
  std::vector<TailQueries> tails;
  std::vector<at::Tensor> received, ends;
};

}  // namespace carryover
