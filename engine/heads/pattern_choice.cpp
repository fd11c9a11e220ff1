// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/pattern_choice.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/pattern_index.h"
#include "engine/ops/prefix_attention.h"
#include "engine/policies/prepared_run.h"
#include "engine/runs/text_run.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

struct PatternTrial {
  HeadPattern pattern;
  std::int64_t off = 0;   ///< number of output values that differ from dense attention's
  std::int64_t seen = 0;  ///< number of query-key pairs
};

at::Tensor head_output(const HeadTensors& head, const ops::AttentionWindow& window, const KeyIndex* index) {
  const auto alone = [](const at::Tensor& rows) { return rows.unsqueeze(0).unsqueeze(0); };  // [1, 1, N, d]
  ops::PrefixAttention attention;
  attention.queries = alone(head.queries);
  attention.keys = alone(head.keys);
  attention.values = alone(head.values);
  attention.window = window;
  attention.index = index;
  attention.score_cap = head.score_cap;
  return ops::prefix_attention(attention);
}

/// Counts the outputs that differ from the dense ones by more than the tolerance, NaN included.
std::int64_t values_off(const at::Tensor& output, const at::Tensor& dense) {
  const auto opmath = ops::compute_type(dense.scalar_type());
  const at::Tensor near = (output.to(opmath) - dense.to(opmath)).abs_().le(kPatternTolerance);
  return near.numel() - near.sum().item<std::int64_t>();
}

/// Returns the number of query-key pairs in a window over n queries, each of which sees the last `most` keys or as many
/// as there are.
std::int64_t pairs_of_window(std::int64_t n, std::int64_t most) {
  const std::int64_t rising = std::min(n, most);
  return rising * (rising + 1) / 2 + (n - rising) * most;
}

/// Returns the number of query-key pairs that an index of one row, over a whole text, lists.
std::int64_t pairs_of_index(const KeyIndex& index) {
  std::int64_t pairs = 0;
  for (std::int64_t tile = 0; tile < index.tiles(); ++tile)
    for (const KeyRange& range : index.list(0, tile)) {
      const std::int64_t first = index.first(tile), end = index.end(tile);
      if (range.end <= first + 1) {
        pairs += (end - first) * range.length();
        continue;
      }
      for (std::int64_t query = first; query < end; ++query)  // some of it is ahead of some of them
        pairs += std::clamp<std::int64_t>(query + 1 - range.first, 0, range.length());
    }
  return pairs;
}

PatternTrial try_pattern(const HeadTensors& head, const at::Tensor& dense, const HeadPattern& pattern) {
  PatternTrial trial{pattern};
  if (pattern.kind == PatternKind::AShape) {
    trial.off = values_off(head_output(head, {pattern.slash, pattern.vertical, {}}, nullptr), dense);
    trial.seen = pairs_of_window(head.queries.size(0), pattern.vertical + pattern.slash);
    return trial;
  }
  const KeyIndex index = pattern_index(pattern, {head.queries, head.keys}, head.score_cap);
  trial.off = values_off(head_output(head, {}, &index), dense);
  trial.seen = pairs_of_index(index);
  return trial;
}

/// The text as one segment of full attention.
RunRequest whole_text(const PatternSearchRequest& request, const ModelConfig& model) {
  const std::int64_t tokens = request.ids ? std::ssize(*request.ids) : 0;
  if (tokens < kLeastPatternTokens)
    throw EngineError(Fault::BadInput, "text",
                      "has " + std::to_string(tokens) + " tokens, and patterns are searched on " +
                          std::to_string(kLeastPatternTokens) + " or more",
                      "Give a longer text, or raise --tokens.");
  if (!(request.most_keys > 0 && request.most_keys <= 1))
    throw EngineError(Fault::BadInput, "--most-keys", "is not a share of the keys", "Give a number above 0, up to 1.");
  RunRequest run;
  run.ids = request.ids;
  run.policy = "full";
  run.config = SegmentConfig::defaults_for(model);
  run.config.segment_length = tokens;
  run.loss = false;
  return run;
}

}  // namespace

FoundPattern best_pattern(const HeadTensors& head, double most_keys, RunControl& control) {
  const at::Tensor dense = head_output(head, {}, nullptr);
  const std::int64_t n = head.queries.size(0);
  std::vector<PatternTrial> trials;
  for (const HeadPattern& candidate : pattern_candidates(n)) {
    control.checkpoint();
    trials.push_back(try_pattern(head, dense, candidate));
  }
  const auto affordable = static_cast<std::int64_t>(most_keys * static_cast<double>(pairs_of_window(n, n)));
  const PatternTrial& best = *std::ranges::min_element(trials, {}, [&](const PatternTrial& trial) {
    const std::int64_t above = std::max<std::int64_t>(0, trial.seen - affordable);
    return std::tuple(above, trial.off, trial.seen);
  });
  FoundPattern found{best.pattern, static_cast<double>(best.seen) / static_cast<double>(pairs_of_window(n, n))};
  found.pattern.score = static_cast<double>(best.off) / static_cast<double>(dense.numel());
  return found;
}

FoundPatterns search_patterns(const Decoder& decoder, const PatternSearchRequest& request, RunControl& control) {
  const at::NoGradGuard no_gradients;
  const ModelConfig& model = decoder.config;
  const RunRequest run = whole_text(request, model);
  check_request(decoder, run);
  FoundPatterns patterns{std::ssize(*run.ids), model.layers, model.heads, {}};
  const auto look_at = [&](const AttentionSight& sight, int head) {
    if (request.progress)
      request.progress(static_cast<double>(patterns.found.size()) / static_cast<double>(model.layers * model.heads),
                       "layer " + std::to_string(sight.layer) + ", head " + std::to_string(head));
    if (model.is_windowed(sight.layer)) {
      patterns.found.push_back({{}, 0});
      return;
    }
    const std::int64_t kv_head = head / model.group_size();
    patterns.found.push_back(
        best_pattern({sight.queries[head], sight.kv.rotated_keys[kv_head], sight.kv.values[kv_head], model.score_cap},
                     request.most_keys, control));
  };
  RunSetup setup{run.policy, run.config, patterns.tokens};
  setup.after_layer = [&](int) { control.checkpoint(); };
  setup.watch_attention = [&](const AttentionSight& sight) {
    for (int head = 0; head < model.heads; ++head) look_at(sight, head);
  };
  PreparedRun prepared(decoder, std::move(setup));
  prepared.runner().peek_segment(ids_tensor(decoder, *run.ids));
  return patterns;
}

}  // namespace carryover
