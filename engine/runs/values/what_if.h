// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/head_ref.h"
#include "engine/config/retrieval_choices.h"
#include "engine/config/segment_config.h"
#include "engine/runs/values/forward_point.h"
#include "engine/runs/values/hits.h"
#include "engine/runs/values/map.h"
#include "engine/runs/values/prediction.h"
#include "engine/runs/values/prefix_control.h"

namespace carryover {

/// One slot of a retrieved prefix: what `head` of `layer` reads at an absolute position.
struct SlotRef {
  int layer = 0, head = 0;
  std::int64_t position = 0;
  bool operator==(const SlotRef&) const = default;
};

/// A part of the prefix of one head.
struct HeadPart {
  HeadRef head;
  PrefixPart part = PrefixPart::Sinks;
  bool operator==(const HeadPart&) const = default;
};

/// Values of one point of a layer that replace those of consecutive tokens.
struct PointPatch {
  PointRef place;
  std::int64_t first = 0;  ///< token, counted from the segment's start
  Map values;              ///< [tokens, width]
  bool operator==(const PointPatch&) const = default;
};

/// The changes to one segment. All that came before it stays as it was; so do S and the position scaling.
struct SegmentEdit {
  bool no_carry = false;  ///< C_{i−1} = ∅: local heads see their segment alone
  bool no_sinks = false;  ///< no head reads the sinks
  PrefixSource prefix = PrefixSource::Search;
  std::uint64_t seed = 1;                    ///< seed of PrefixSource::Random
  std::vector<SlotRef> dropped = {};         ///< slots to remove; the other slots keep their places
  std::vector<SlotRef> added = {};           ///< positions read in place of the head's padding, then of its
                                             ///< lowest-scored slot
  std::vector<TokenRange> banned = {};       ///< positions that the search may not choose, expand to or pad with
  std::optional<SegmentConfig> config = {};  ///< k, A, L_q, M, R, summaries, expansion, groupings of this segment
  bool patch_carry = false;                  ///< C_{i−1} is replaced by that of another run
                                             ///< (WhatIfRequest::patch_source)
  std::vector<HeadRef> patched_heads = {};   ///< heads whose attention outputs, at every token, are replaced by the
                                             ///< other run's

  std::vector<HeadRef> zeroed_heads = {};      ///< heads whose attention outputs, at every token, are zero
  std::vector<HeadPart> unread = {};           ///< parts of the prefix that single heads do not read
  std::vector<PointPatch> point_patches = {};  ///< any values of the forward pass; not kept in sessions

  /// Returns true if the search has to be done again, so that the segment before has to be run again.
  bool searches_again() const { return !banned.empty() || config.has_value(); }
  bool patches() const { return patch_carry || !patched_heads.empty(); }
  bool operator==(const SegmentEdit&) const = default;
};

/// Returns the edit that removes a part of all prefixes.
inline SegmentEdit edit_without(PrefixPart part) {
  SegmentEdit edit;
  edit.no_sinks = part == PrefixPart::Sinks;
  edit.no_carry = part == PrefixPart::Carry;
  if (part == PrefixPart::Retrieved) edit.prefix = PrefixSource::Off;
  return edit;
}

/// The result of a what-if, to compare with the same segment as it was.
struct WhatIfOutcome {
  std::vector<float> target_nll;  ///< nats; entry j is the loss of target first_token + j + 1
  std::vector<HeadHits> hits;     ///< hits that the segment read, without dropped slots
  double nll_sum = 0;
  std::optional<Prediction> prediction = {};  ///< prediction, if one was asked for
};

}  // namespace carryover
