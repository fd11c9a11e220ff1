// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/inspect.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/inspection/attention_pattern.h"
#include "engine/inspection/direct_logit_attribution.h"
#include "engine/inspection/logit_lens.h"
#include "engine/inspection/pool_attention.h"
#include "engine/inspection/prediction.h"
#include "engine/inspection/prediction_ablations.h"
#include "engine/inspection/replay.h"
#include "engine/inspection/replay_check.h"
#include "engine/inspection/search_steps.h"
#include "engine/inspection/token_sources.h"
#include "engine/runs/memory_forecast.h"

namespace carryover {

namespace {

/// The lenses that were asked for, on one segment.
class Inspector {
 public:
  Inspector(const Decoder& decoder, const InspectRequest& request, RunControl& control, StateArchive& archive)
      : parts_(request.parts),
        record_(request.record),
        control_(control),
        replay_(decoder, request.run, request.segment, archive, control),
        before_(replay_.state_before(request.segment)) {
    check_parts(parts_);
    check_memory();
    inspection_.segment = request.segment;
    inspection_.hits = before_->hits;
    check_hits(record_, before_->hits, request.segment);
  }

  Inspection run() {
    check_foil(replay_.decoder().config, parts_.foil);
    if (parts_.attention) start_attention(*parts_.attention);
    if (parts_.search) inspection_.search = search_steps(replay_, *before_, *parts_.search);
    if (parts_.masses) start_masses();
    if (parts_.attribution) start_attribution(*parts_.attribution);
    if (parts_.sources) start_sources(*parts_.sources);
    if (parts_.lens) start_lens(*parts_.lens);
    if (parts_.ablations) start_ablations(*parts_.ablations);
    if (parts_.recall) start_recall();
    if (!parts_.pairs.empty()) start_pairs();
    if (!parts_.points.empty()) start_points();
    if (!lenses_.empty()) look();
    return std::move(inspection_);
  }

 private:
  /// Beyond the run's: the parts that are large, and are copied where they travel.
  void check_memory() const {
    const ModelConfig& model = replay_.decoder().config;
    const double tokens = static_cast<double>(replay_.request().ids->size());
    const double width = static_cast<double>(std::max(model.intermediate, model.heads * model.head_dim));
    require_memory("values of the forward pass",
                   2 * sizeof(float) * width * static_cast<double>(replay_.request().config.segment_length) *
                       static_cast<double>(parts_.points.size()),
                   "Ask for fewer points at a time.");
    if (parts_.sources)
      require_memory("the sources of a token",
                     2 * sizeof(float) * static_cast<double>(model.layers * model.heads) * tokens, "Run fewer tokens.");
  }

  /// A part of an inspection sees each layer while the segment runs, and then its hidden states.
  struct Lens {
    std::function<void(const LayerSight&)> see;
    std::function<void(const at::Tensor& hidden)> finish = [](const at::Tensor&) {};
  };

  void look() {
    const auto watch = [this](const LayerSight& sight) {
      for (const Lens& lens : lenses_) lens.see(sight);
    };
    const at::Tensor hidden = replay_.look(replay_.policy(), before_->clone(), watch, hook_);
    if (record_) check_losses(record_, replay_.losses(hidden, inspection_.segment), inspection_.segment);
    for (const Lens& lens : lenses_) lens.finish(hidden);
  }

  PredictionQuestion question_of(std::int64_t token) const { return {token, parts_.foil, parts_.top}; }

  void start_attention(HeadRef head) {
    check_head(replay_.decoder().config, head);
    lenses_.push_back({[this, head](const LayerSight& sight) {
      if (sight.layer != head.layer) return;
      const AttentionPattern attention(sight, head.head);
      inspection_.attention = attention_map(attention, head, parts_.map_rows, parts_.map_columns);
      inspection_.attention->prefix_positions = prefix_positions(attention, head);
    }});
  }

  void start_masses() {
    const ModelConfig& model = replay_.decoder().config;
    inspection_.prefix_mass = {model.layers, model.heads,
                               std::vector<float>(static_cast<std::size_t>(model.layers * model.heads))};
    lenses_.push_back({[this](const LayerSight& sight) { add_masses(sight); }});
  }

  void start_attribution(std::int64_t token) {
    const auto split = std::make_shared<DirectLogitAttribution>(
        replay_.decoder(), question_of(token), replay_.first_token(), replay_.target_of(token), parts_.neurons);
    lenses_.push_back({[split](const LayerSight& sight) { split->see(sight); },
                       [this, split](const at::Tensor& hidden) { inspection_.attribution = split->result(hidden); }});
  }

  void start_lens(std::int64_t token) {
    const auto lens = std::make_shared<LogitLensOfToken>(replay_.decoder(), question_of(token), replay_.first_token(),
                                                         replay_.target_of(token));
    lenses_.push_back({[lens](const LayerSight& sight) { lens->see(sight); },
                       [this, lens](const at::Tensor&) { inspection_.lens = lens->result(); }});
  }

  void start_ablations(std::int64_t token) {
    replay_.target_of(token);  // throws where the token predicts none, before the segment runs
    const auto read = std::make_shared<std::set<PrefixPart>>();
    const auto compare = [this, token, read](const at::Tensor& hidden) {
      inspection_.ablations = ablate_prediction(replay_, *before_, question_of(token), hidden, *read);
    };
    lenses_.push_back({[read](const LayerSight& sight) { note_parts(sight, *read); }, compare});
  }

  void start_recall() {
    const RetrievingPolicy* retrieving = replay_.policy().retrieving();
    if (retrieving == nullptr) return;
    const auto recall = std::make_shared<PoolAttention>(*retrieving, *before_);
    lenses_.push_back({[recall](const LayerSight& sight) { recall->see(sight); },
                       [this, recall](const at::Tensor&) { inspection_.recall = recall->recall(); }});
  }

  void start_pairs() {
    const std::int64_t length =
        std::min(replay_.request().config.segment_length, std::ssize(*replay_.request().ids) - replay_.first_token());
    for (const AttentionPair& pair : parts_.pairs)
      if (pair.key < 0 || pair.key > pair.query || pair.query >= length)
        throw EngineError(Fault::BadInput, "query " + std::to_string(pair.query) + ", key " + std::to_string(pair.key),
                          "are not a pair of the segment",
                          "Queries and keys count from its start, keys not after them.");
    const ModelConfig& model = replay_.decoder().config;
    const Map empty{model.layers, model.heads,
                    std::vector<float>(static_cast<std::size_t>(model.layers * model.heads))};
    inspection_.pair_mass = inspection_.pair_top = empty;
    lenses_.push_back({[this](const LayerSight& sight) { add_pairs(sight); }});
  }

  void start_sources(std::int64_t token) {
    const auto sources = std::make_shared<SourcesOfToken>(
        replay_.decoder(), question_of(token), replay_.first_token(), replay_.target_of(token),
        [this](const AttentionPattern& attention, HeadRef head) { return prefix_positions(attention, head); });
    lenses_.push_back({[sources](const LayerSight& sight) { sources->see(sight); },
                       [this, sources](const at::Tensor&) { inspection_.sources = sources->result(); }});
  }

  void start_points() {
    const ModelConfig& model = replay_.decoder().config;
    for (const PointRef& place : parts_.points) {
      check_head(model, {place.layer, 0});
      hook_.points.push_back(place.point);
      inspection_.points.push_back({place, {}});
    }
    hook_.replace = [this](ForwardPoint point, int layer, const at::Tensor& values) {
      for (PointValues& seen : inspection_.points)
        if (seen.place == PointRef{layer, point}) seen.values = map_of(values);
      return values;
    };
    lenses_.push_back({[](const LayerSight&) {}});
  }

  static Map map_of(const at::Tensor& values) {
    const at::Tensor host = values.to(at::kFloat).cpu().contiguous();
    const auto* numbers = host.const_data_ptr<float>();
    return {host.size(0), host.size(1), {numbers, numbers + host.numel()}};
  }

  const HeadHits* hits_of(HeadRef head) const { return find_hits(inspection_.hits, head.layer, head.head); }

  std::vector<std::int64_t> prefix_positions(const AttentionPattern& attention, HeadRef head) const {
    std::vector<std::int64_t> positions;
    for (std::int64_t slot = 0; slot < attention.prefix_length(); ++slot)
      positions.push_back(attention.position(slot, hits_of(head), replay_.first_token()));
    return positions;
  }

  void add_masses(const LayerSight& sight) {
    for (int h = 0; h < replay_.decoder().config.heads; ++h) {
      const AttentionPattern attention(sight, h);
      if (attention.prefix_length() == 0) continue;
      const at::Tensor slots = mean_attention(attention).narrow(0, 0, attention.prefix_length()).contiguous();
      const auto cell = static_cast<std::size_t>(sight.layer * inspection_.prefix_mass.columns + h);
      inspection_.prefix_mass.values[cell] = static_cast<float>(slots.sum().item<double>());
      if (!attention.reads_retrieved() || hits_of({sight.layer, h}) == nullptr) continue;
      const auto* mass = slots.const_data_ptr<double>();
      const PrefixSpan read = attention.span(PrefixPart::Retrieved);
      inspection_.slot_masses.push_back({{sight.layer, h}, {mass + read.first, mass + read.end()}});
    }
  }

  void add_pairs(const LayerSight& sight) {
    for (int h = 0; h < replay_.decoder().config.heads; ++h) {
      control_.checkpoint();
      const PairAttention found = attend_to_pairs(AttentionPattern(sight, h), parts_.pairs);
      const auto cell = static_cast<std::size_t>(sight.layer * inspection_.pair_mass.columns + h);
      inspection_.pair_mass.values[cell] = static_cast<float>(found.mass);
      inspection_.pair_top.values[cell] = static_cast<float>(found.top);
    }
  }

  InspectionParts parts_;
  const std::optional<RecordedSegment>& record_;
  RunControl& control_;
  Replay replay_;
  std::unique_ptr<PolicyState> before_;
  Inspection inspection_;
  std::vector<Lens> lenses_;
  ForwardHook hook_;  ///< keeps the values of points
};

}  // namespace

Inspection inspect_segment(const Decoder& decoder, const InspectRequest& request, RunControl& control,
                           StateArchive& archive) {
  const at::NoGradGuard no_gradients;
  archive.open(request.run);
  return Inspector(decoder, request, control, archive).run();
}

}  // namespace carryover
