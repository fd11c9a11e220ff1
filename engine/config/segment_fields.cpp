// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/segment_fields.h"

#include <algorithm>
#include <type_traits>

namespace carryover {

namespace {

using Config = SegmentConfig;

template <auto member>
constexpr Choice choice(const char* type, std::span<const std::string_view> names) {
  return {type, names, [](const Config& config) { return static_cast<std::size_t>(config.*member); },
          [](Config& config, std::size_t place) {
            config.*member = static_cast<std::remove_cvref_t<decltype(config.*member)>>(place);
          }};
}

#define TEXT(text) text  // scripts/translations.sh collects these texts

constexpr SegmentField fields[] = {
    {"segment_length", "S", TEXT("Segment"), TEXT(" tokens"),
     TEXT("Tokens per segment; one step of the recurrence reads one segment"), &Config::segment_length, 1},
    {"carry_length", "M", TEXT("Carry"), TEXT(" tokens"),
     TEXT("Carried tail: the last tokens of a segment, which the local heads of the next one read; at most S; 0: no "
          "carry"),
     &Config::carry_length},
    {"sink_length", "n", TEXT("Sinks"), TEXT(" tokens"),
     TEXT("First tokens of the text, which every head reads as attention sinks; n + M is at most S; 0: the paper's "
          "method"),
     &Config::sink_length},
    {"retrieval_length", "R", TEXT("Retrieval"), TEXT(" tokens"),
     TEXT("Past tokens that a long-range head retrieves; may exceed S; 0: no retrieval"), &Config::retrieval_length},
    {"truncation_depth", "K", TEXT("TBPTT depth"), "",
     TEXT("Segment transitions that gradients cross in training; the forward does not depend on it"),
     &Config::truncation_depth},
    {"long_range_layers", "", TEXT("Long-range layers"), "", TEXT("Layers that retrieve, counted from 0"),
     &Config::grouping},
    {"long_range_heads", "", TEXT("Long-range heads"), "",
     TEXT("Query heads that are long-range, counted from 0: one list, or in a file one for each layer"),
     &Config::grouping},
    {"local_reads", "", TEXT("Local heads read"), "",
     TEXT("Parts of a local head's prefix, in order: sinks, retrieved, carry. Only long-range layers have retrieved "
          "tokens. The paper: carry"),
     choice<&Config::local_reads>("PARTS", kPrefixPartsNames)},
    {"long_reads", "", TEXT("Long-range heads read"), "",
     TEXT("Parts of a long-range head's prefix, in order. The paper: retrieved"),
     choice<&Config::long_reads>("PARTS", kPrefixPartsNames)},
    {"search", "", TEXT("Search"), "",
     TEXT("per-head: each reader searches for itself (the paper); shared: the search heads find positions for all "
          "readers"),
     choice<&Config::search>("WHO", kSearchByNames)},
    {"search_heads", "", TEXT("Search heads"), "",
     TEXT("Heads whose queries search if the search is shared, as layer.head; their scores are added up"),
     &Config::search_heads},
    {"search_scores", "", TEXT("Scores"), "",
     TEXT("summaries: dot products of keys with means of queries (the paper); centred: the largest dot product with a "
          "query, of keys minus their mean, as z-scores"),
     choice<&Config::search_scores>("KIND", kSearchScoresNames)},
    {"retrieve", "", TEXT("Retrieve"), "",
     TEXT("anchors: the best positions with their neighbours (the paper); windows: whole windows with the best mean "
          "scores"),
     choice<&Config::retrieve>("KIND", kRetrieveByNames)},
    {"window_length", "W", TEXT("Window length"), TEXT(" tokens"), TEXT("Positions of a retrieved window"),
     &Config::window_length, 1},
    {"query_length", "L_q", TEXT("Queries"), TEXT(" tokens"),
     TEXT("Last queries of a segment, which search for the prefix of the next segment"), &Config::query_length, 1},
    {"summary_window", "w", TEXT("Window"), TEXT(" queries"), TEXT("Queries averaged into one summary"),
     &Config::summary_window, 1},
    {"summary_stride", "s", TEXT("Stride"), TEXT(" queries"), TEXT("Distance between two summaries"),
     &Config::summary_stride, 1},
    {"summary_tail", "t", TEXT("Tail"), TEXT(" queries"), TEXT("Last queries, averaged into one more summary"),
     &Config::summary_tail, 1},
    {"top_k", "k", TEXT("Top-k"), TEXT(" per summary"), TEXT("Best keys of the pool for each summary"), &Config::top_k,
     1},
    {"anchors", "A", TEXT("Anchors"), "", TEXT("Best keys of a head, which are expanded; default: R/(o⁻ + o⁺ + 1)"),
     &Config::anchors, 1},
    {"expand_before", "o⁻", TEXT("Expand before"), TEXT(" tokens"), TEXT("Positions taken before an anchor"),
     &Config::expand_before},
    {"expand_after", "o⁺", TEXT("Expand after"), TEXT(" tokens"), TEXT("Positions taken after an anchor"),
     &Config::expand_after},
    {"attention_window", "", TEXT("Attention window"), TEXT(" tokens"),
     TEXT("Policies sliding, streaming, duo, infllm, cca and nsa: number of last keys, its own included, that a query "
          "sees besides sinks; must be at least S under infllm; a minimum under cca; one of three branches under nsa"),
     &Config::attention_window, 1},
    {"cache_positions", "", TEXT("Positions in the cache"), "",
     TEXT("Policy streaming: sinks get the RoPE positions right before the window, as in StreamingLLM's cache; off: "
          "they keep their positions in the text (MInference's A-shape)"),
     &Config::cache_positions},
    {"head_patterns", "", TEXT("Head patterns"), "",
     TEXT("Policy minference: pattern of each head, in the format of MInference's files; heads that are not listed use "
          "vertical_and_slash with 1000 columns and 6096 diagonals"),
     &Config::head_patterns},
    {"kv_budget", "", TEXT("KV budget"), TEXT(" tokens"),
     TEXT("Policy snapkv: tokens of a prompt whose keys and values a KV head keeps, including the last L_q tokens"),
     &Config::kv_budget, 1},
    {"memory_blocks", "", TEXT("Memory blocks"), "",
     TEXT("Policy infllm: past blocks that each segment, and in decoding each token, looks up"), &Config::memory_blocks,
     1},
    {"memory_block_length", "", TEXT("Memory block"), TEXT(" tokens"),
     TEXT("Policy infllm: tokens per block; a block is looked up as a whole"), &Config::memory_block_length, 1},
    {"memory_representatives", "", TEXT("Representatives"), TEXT(" tokens"),
     TEXT("Policy infllm: tokens of a block, those with most attention, the mean of whose keys represents the block in "
          "lookups"),
     &Config::memory_representatives, 1},
    {"core_group_length", "g", TEXT("Core group"), TEXT(" tokens"),
     TEXT("Policy cca: tokens per group; each group is pooled into one core token, which queries see beyond the "
          "attention window"),
     &Config::core_group_length, 1},
    {"selected_block_length", "", TEXT("Selected block"), TEXT(" tokens"),
     TEXT("Policy nsa: tokens per block; queries see the mean of each complete block, and all tokens of the blocks "
          "that they select"),
     &Config::selected_block_length, 1},
    {"selected_blocks", "", TEXT("Selected blocks"), "",
     TEXT("Policy nsa: blocks that each query selects, including its own"), &Config::selected_blocks, 1},
    {"bos", "", TEXT("BOS before the text"), "", TEXT("Puts the model's BOS at position 0; it is never a target"),
     &Config::bos},
    {"cross_boundary_target", "", TEXT("Targets across boundaries"), "",
     TEXT("The last logits of a segment predict the next one's first token"), &Config::cross_boundary_target},
    {"boundary_at_prompt_end", "", TEXT("Boundary at the prompt's end"), "",
     TEXT("Generation only: ends a segment at the end of the prompt, so that the question's queries retrieve for the "
          "answer, except for its first token"),
     &Config::boundary_at_prompt_end},
    {"question_pass", "", TEXT("Question pass"), "",
     TEXT("Generation only: runs the prompt's question twice, first as a draft that only searches, then after the "
          "retrieved tokens, so that the answer's first token can use them"),
     &Config::question_pass},
    {"pool_on_host", "", TEXT("Pool in host memory"), "",
     TEXT("Keeps the retrieval pool in host memory when the model is on a GPU"), &Config::pool_on_host},
    {"pool_keys", "", TEXT("Pool keys"), "",
     TEXT("Format of the pool's keys: model (exact), bf16, or int8 for a pool in host memory; the last two take less "
          "memory, and hits may differ"),
     choice<&Config::pool_keys>("FORMAT", kPoolKeysNames)},
    {"rope", "", TEXT("RoPE"), "",
     TEXT("RoPE scaling that overrides the checkpoint's: default, linear:8, dynamic:10, llama3:8"), &Config::rope},
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
