// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/config/segment_fields.h"

#include <algorithm>

namespace carryover {

namespace {

using Config = SegmentConfig;

#define TEXT(text) text  // what scripts/translations.sh collects

constexpr SegmentField fields[] = {
    {"segment_length", "S", TEXT("Segment"), TEXT(" tokens"),
     TEXT("Tokens of a segment, which one step of the recurrence reads"), &Config::segment_length, 1},
    {"carry_length", "M", TEXT("Carry"), TEXT(" tokens"),
     TEXT("Carried tail of the last segment, which local heads read; at most S; 0 carries nothing"),
     &Config::carry_length},
    {"sink_length", "n", TEXT("Sinks"), TEXT(" tokens"),
     TEXT("First tokens of the text, which every head reads as attention sinks; n + M is at most S; 0 is the paper's "
          "method"),
     &Config::sink_length},
    {"retrieval_length", "R", TEXT("Retrieval"), TEXT(" tokens"),
     TEXT("Past tokens that a long-range head retrieves; may exceed S; 0 turns retrieval off"),
     &Config::retrieval_length},
    {"truncation_depth", "K", TEXT("Depth"), TEXT(" transitions"),
     TEXT("Segment transitions that gradients cross in training; the forward does not depend on it"),
     &Config::truncation_depth},
    {"long_range_layers", "", TEXT("Long-range layers"), "", TEXT("Layers that retrieve, counted from 0"),
     &Config::grouping},
    {"long_range_heads", "", TEXT("Long-range heads"), "",
     TEXT("Query heads that are long-range, counted from 0: one list, or in a file one for each layer"),
     &Config::grouping},
    {"query_length", "L_q", TEXT("Queries"), TEXT(" tokens"),
     TEXT("Last queries of a segment, which search for the next one's prefix"), &Config::query_length, 1},
    {"summary_window", "w", TEXT("Window"), TEXT(" queries"), TEXT("Queries averaged into one summary"),
     &Config::summary_window, 1},
    {"summary_stride", "s", TEXT("Stride"), TEXT(" queries"), TEXT("Distance between two summaries"),
     &Config::summary_stride, 1},
    {"summary_tail", "t", TEXT("Tail"), TEXT(" queries"), TEXT("Last queries, averaged into one more summary"),
     &Config::summary_tail, 1},
    {"top_k", "k", TEXT("Keys"), TEXT(" per summary"), TEXT("Best keys of the pool for each summary"), &Config::top_k,
     1},
    {"anchors", "A", TEXT("Anchors"), "", TEXT("Best keys of a head, which are expanded; by default R/(o⁻ + o⁺ + 1)"),
     &Config::anchors, 1},
    {"expand_before", "o⁻", TEXT("Expand before"), TEXT(" tokens"), TEXT("Positions taken before an anchor"),
     &Config::expand_before},
    {"expand_after", "o⁺", TEXT("Expand after"), TEXT(" tokens"), TEXT("Positions taken after an anchor"),
     &Config::expand_after},
    {"retrieve_after", "", TEXT("Retrieve after"), TEXT(" tokens"),
     TEXT("Tokens that are read before the first retrieval; 0 retrieves from the second segment on"),
     &Config::retrieve_after},
    {"bos", "", TEXT("BOS before the text"), "", TEXT("Puts the model's BOS at position 0; it is never a target"),
     &Config::bos},
    {"cross_boundary_target", "", TEXT("Targets across boundaries"), "",
     TEXT("The last logits of a segment predict the next one's first token"), &Config::cross_boundary_target},
    {"boundary_at_prompt_end", "", TEXT("Boundary at the prompt's end"), "",
     TEXT("Generation only: closes a segment where the prompt ends, so that the question's queries retrieve for the "
          "answer"),
     &Config::boundary_at_prompt_end},
    {"pool_on_host", "", TEXT("Pool in host memory"), "",
     TEXT("Keeps the retrieval pool in host memory although the model is on a GPU"), &Config::pool_on_host},
    {"pool_keys", "", TEXT("Pool keys"), "",
     TEXT("Format of the pool's keys: model (exact), bf16, or int8 for a pool in host memory; the last two take less "
          "memory, and hits may differ"),
     &Config::pool_keys},
    {"rope", "", TEXT("RoPE"), "",
     TEXT("Scaling of positions in place of the checkpoint's: default, linear:8, dynamic:10, llama3:8"), &Config::rope},
};

#undef TEXT

}  // namespace

std::string SegmentField::flag() const {
  std::string name = std::string("--") + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::span<const SegmentField> segment_fields() {
  return fields;
}

const SegmentField* find_segment_field(std::string_view key) {
  const auto found =
      std::find_if(std::begin(fields), std::end(fields), [&](const auto& field) { return key == field.key; });
  return found == std::end(fields) ? nullptr : found;
}

}  // namespace carryover
