// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/head_ref.h"
#include "engine/runs/values/prediction.h"
#include "engine/runs/values/replay_request.h"

/// A sweep: one segment of a run again for each cell of a heatmap, with one value of the forward pass replaced. Known
/// as causal tracing and activation patching. Any thread.
namespace carryover {

/// The values of a layer that a cell replaces, or that its head no longer reads.
enum class SweepSite : std::uint8_t {
  Heads,        ///< a head's output; columns are heads
  Attention,    ///< what attention adds to the residual stream; columns are tokens
  FeedForward,  ///< what the feed-forward adds to it; columns are tokens
  Residual,     ///< the residual stream before the layer; columns are tokens
  Sinks,        ///< a head no longer reads the sinks; columns are heads
  Retrieved,    ///< a head no longer reads what was retrieved
  Carry,        ///< a head no longer reads the carry
};
inline constexpr std::array<std::string_view, 7> kSweepSiteNames{"heads", "attention", "feed-forward", "residual",
                                                                 "sinks", "retrieved", "carry"};

/// The source of what replaces a value.
enum class SweepSource : std::uint8_t {
  Zero,  ///< zero ablation
  Mean,  ///< mean ablation: the mean over the tokens of a segment, of the other run or else of the same one
  Run,   ///< the same token's value in the other run (SweepRequest::patch_source)
};
inline constexpr std::array<std::string_view, 3> kSweepSourceNames{"zero", "mean", "run"};

std::string_view sweep_site_name(SweepSite site);
std::string_view sweep_source_name(SweepSource source);
bool removes_reading(SweepSite site);     ///< of sites that are parts of a head's prefix
PrefixPart part_removed(SweepSite site);  ///< of such a site
bool has_head_columns(SweepSite site);    ///< else columns are tokens

struct SweepRequest {
  RunRequest run;
  std::int64_t segment = 0;
  SweepSite site = SweepSite::Heads;
  SweepSource source = SweepSource::Zero;
  PredictionQuestion question;            ///< the prediction that each cell gives again
  bool losses = false;                    ///< whether each cell gives the segment's loss, too, which takes longer
  std::optional<TokenRange> tokens = {};  ///< tokens that are replaced, counted from the segment's start; none: all up
                                          ///< to the prediction's or, with `losses`, to the end
  std::optional<RecordedSegment> record = std::nullopt;  ///< none: nothing is compared
  std::optional<PatchSource> patch_source = {};          ///< the other run
};

/// A cell of the heatmap; `column` is a head, or a token counted from the segment's start.
struct SweepPlace {
  int layer = 0;
  std::int64_t column = 0;
  bool operator==(const SweepPlace&) const = default;
};
struct SweepCell {
  SweepPlace place;
  double logit = 0, foil_logit = 0;  ///< as in Prediction
  double logprob = 0;                ///< of the target, nats
  double nll_sum = 0;                ///< of the segment's targets; 0 if it was not asked for

  double logit_difference() const { return logit - foil_logit; }
};

/// The segment as it was, which cells are compared with. Its own cell has the place {0, 0}.
struct SweepBase {
  Prediction prediction;
  SweepCell as_it_was;
  std::int64_t segments_run = 0;  ///< segments that were run before the first cell
};
/// Hears of the segment as it was, which comes first, and of each cell. Called on the engine thread.
struct SweepObserver {
  std::function<void(const SweepBase& base)> begun;
  std::function<void(const SweepCell& cell)> cell_done;
};

/// Returns the number of tokens of the request's segment; 0 or less if the text ends before it.
std::int64_t sweep_length(const SweepRequest& request);
/// Returns the number of tokens, from the segment's start, that each cell has to run.
std::int64_t sweep_end(const SweepRequest& request);
/// Returns the tokens that are replaced.
TokenRange sweep_tokens(const SweepRequest& request);
/// Returns the cells in the order in which they are run.
std::vector<SweepPlace> sweep_places(const SweepRequest& request, const ModelConfig& model);
/// Returns the cost of all cells in runs of a whole segment: what comes before a replaced value is not run again.
double sweep_cost(const SweepRequest& request, const ModelConfig& model);
/// Returns the reason why the sweep can't be run; empty if it can.
std::string sweep_problem(const SweepRequest& request);

}  // namespace carryover
