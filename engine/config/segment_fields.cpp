// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/segment_fields.h"

#include <algorithm>

#include "engine/base/translated_text.h"

namespace carryover {

namespace {

using Config = SegmentConfig;

template <auto member>
constexpr Choice choice(const char* type, std::span<const std::string_view> names) {
  return {named_setting<member>(names), type};
}

constexpr SegmentField first_fields[] = {
    {"segment_length", "S", TEXT("Segment"), TEXT(" tokens"),
     TEXT("Tokens per segment; one step of the recurrence reads one segment"), setting<&Config::segment_length>(), 1},
    {"carry_length", "M", TEXT("Carry"), TEXT(" tokens"),
     TEXT("Carried tail: the last tokens of a segment, which the local heads of the next one read; at most S; 0: no "
          "carry"),
     setting<&Config::carry_length>()},
    {"sink_length", "n", TEXT("Sinks"), TEXT(" tokens"),
     TEXT("First tokens of the text, which every head reads as attention sinks; n + M is at most S; 0: the paper's "
          "method"),
     setting<&Config::sink_length>()},
    {"retrieval_length", "R", TEXT("Retrieval"), TEXT(" tokens"),
     TEXT("Past tokens that a long-range head retrieves; may exceed S; 0: no retrieval"),
     setting<&Config::retrieval_length>()},
    {"truncation_depth", "K", TEXT("TBPTT depth"), "",
     TEXT("Segment transitions that gradients cross in training; the forward does not depend on it"),
     setting<&Config::truncation_depth>()},
    {"long_range_layers", "", TEXT("Long-range layers"), "", TEXT("Layers that retrieve, counted from 0"),
     setting<&Config::grouping>()},
    {"long_range_heads", "", TEXT("Long-range heads"), "",
     TEXT("Query heads that are long-range, counted from 0: one list, or in a file one for each layer"),
     setting<&Config::grouping>()},
    {"local_reads", "", TEXT("Local heads read"), "",
     TEXT("Parts of a local head's prefix, in order: sinks, retrieved, carry. Only long-range layers have retrieved "
          "tokens. The paper: carry"),
     choice<&Config::local_reads>("PARTS", kPrefixPartsNames)},
    {"long_reads", "", TEXT("Long-range heads read"), "",
     TEXT("Parts of a long-range head's prefix, in order. The paper: retrieved"),
     choice<&Config::long_reads>("PARTS", kPrefixPartsNames)},
    {"search", "", TEXT("Search"), "",
     TEXT("per-head: each reader searches for itself (the paper); shared: the search heads find positions for all "
          "readers; per-token: each query of a reader reads its own R best keys of the pool"),
     choice<&Config::search>("WHO", kSearchByNames)},
    {"search_heads", "", TEXT("Search heads"), "",
     TEXT("Heads whose queries search if the search is shared, as layer.head; their scores are added up"),
     setting<&Config::search_heads>()},
    {"search_scores", "", TEXT("Scores"), "",
     TEXT("summaries: dot products of keys with means of queries (the paper); centred: the largest dot product with a "
          "query, of keys minus their mean, as z-scores"),
     choice<&Config::search_scores>("KIND", kSearchScoresNames)},
    {"retrieve", "", TEXT("Retrieve"), "",
     TEXT("anchors: the best positions with their neighbours (the paper); windows: whole windows with the best mean "
          "scores"),
     choice<&Config::retrieve>("KIND", kRetrieveByNames)},
    {"window_length", "W", TEXT("Window length"), TEXT(" tokens"), TEXT("Positions of a retrieved window"),
     setting<&Config::window_length>(), 1},
    {"query_length", "L_q", TEXT("Queries"), TEXT(" tokens"),
     TEXT("Last queries of a segment, which search for the prefix of the next segment"),
     setting<&Config::query_length>(), 1},
    {"summary_window", "w", TEXT("Window"), TEXT(" queries"), TEXT("Queries averaged into one summary"),
     setting<&Config::summary_window>(), 1},
    {"summary_stride", "s", TEXT("Stride"), TEXT(" queries"), TEXT("Distance between two summaries"),
     setting<&Config::summary_stride>(), 1},
    {"summary_tail", "t", TEXT("Tail"), TEXT(" queries"), TEXT("Last queries, averaged into one more summary"),
     setting<&Config::summary_tail>(), 1},
    {"top_k", "k", TEXT("Top-k"), TEXT(" per summary"), TEXT("Best keys of the pool for each summary"),
     setting<&Config::top_k>(), 1},
    {"anchors", "A", TEXT("Anchors"), "", TEXT("Best keys of a head, which are expanded; default: R/(o⁻ + o⁺ + 1)"),
     setting<&Config::anchors>(), 1},
    {"expand_before", "o⁻", TEXT("Expand before"), TEXT(" tokens"), TEXT("Positions taken before an anchor"),
     setting<&Config::expand_before>()},
    {"expand_after", "o⁺", TEXT("Expand after"), TEXT(" tokens"), TEXT("Positions taken after an anchor"),
     setting<&Config::expand_after>()},
};

constexpr SegmentField last_fields[] = {
    {"bos", "", TEXT("BOS before the text"), "", TEXT("Puts the model's BOS at position 0; it is never a target"),
     setting<&Config::bos>()},
    {"cross_boundary_target", "", TEXT("Targets across boundaries"), "",
     TEXT("The last logits of a segment predict the next one's first token"),
     setting<&Config::cross_boundary_target>()},
    {"boundary_at_prompt_end", "", TEXT("Boundary at the prompt's end"), "",
     TEXT("Generation only: ends a segment at the end of the prompt, so that the question's queries retrieve for the "
          "answer, except for its first token"),
     setting<&Config::boundary_at_prompt_end>()},
    {"question_pass", "", TEXT("Question pass"), "",
     TEXT("Generation only: runs the prompt's question twice, first as a draft that only searches, then after the "
          "retrieved tokens, so that the answer's first token can use them"),
     setting<&Config::question_pass>()},
    {"pool_on_host", "", TEXT("Pool in host memory"), "",
     TEXT("Keeps the retrieval pool in host memory when the model is on a GPU"), setting<&Config::pool_on_host>()},
    {"pool_keys", "", TEXT("Pool keys"), "",
     TEXT("Format of the pool's keys: model (exact), bf16, or int8 for a pool in host memory; the last two take less "
          "memory, and hits may differ"),
     choice<&Config::pool_keys>("FORMAT", kPoolKeysNames)},
    {"rope", "", TEXT("RoPE"), "",
     TEXT("RoPE scaling that overrides the checkpoint's: default, linear:8, dynamic:10, llama3:8, yarn:4"),
     setting<&Config::rope>()},
};

}  // namespace

std::string SegmentField::flag() const {
  return flag_of_field(key);
}

bool SegmentField::of_policy() const {
  const auto is_this = [this](const SegmentField& field) { return std::string_view(field.key) == key; };
  return std::ranges::any_of(policy_fields(),
                             [&](const PolicyFields* policy) { return std::ranges::any_of(policy->fields, is_this); });
}

std::span<const SegmentField> segment_fields() {
  static const std::vector<SegmentField> all = [] {
    std::vector<SegmentField> fields(std::begin(first_fields), std::end(first_fields));
    for (const PolicyFields* policy : policy_fields())
      fields.insert(fields.end(), policy->fields.begin(), policy->fields.end());
    fields.insert(fields.end(), std::begin(last_fields), std::end(last_fields));
    return fields;
  }();
  return all;
}

const SegmentField* find_segment_field(std::string_view key) {
  const std::span<const SegmentField> all = segment_fields();
  const auto found = std::ranges::find(all, key, [](const SegmentField& field) { return std::string_view(field.key); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace carryover
