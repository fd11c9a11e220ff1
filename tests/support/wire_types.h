// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/families/family.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"

namespace carryover::test {

/// Any bits that the field's row allows, NaN and denormal ones too; lists of 0 to 3 entries.
class RandomFields {
 public:
  template <typename T>
  using Value = T;

  explicit RandomFields(unsigned seed) : random_(seed) {}
  template <typename T>
  T any() {
    T value{};
    fill(value);
    return value;
  }
  template <typename T>
  void operator()(const char*, T& value) {
    fill(value);
  }
  template <typename T, typename Range>
  void operator()(const char*, T& value, Range range) {
    fill(value);
    put_inside(value, range);
  }
  template <typename T, typename ToText, typename FromText>
  void as_text(const char*, T& value, ToText, FromText) {
    fill_text(value);
  }

 private:
  void fill_text(SegmentConfig& config) {
    config.segment_length = static_cast<std::int64_t>(random_() % 5000);
    config.grouping = Grouping({0, 3}, {{0, 1}, {2}, {}, {3}});
    if (random_() % 2 == 0) config.anchors = 7;
    if (random_() % 2 == 0) config.rope = RopeConfig{RopeConfig::Kind::Llama3, 1e4 / 3, 8.1, 1, 4, 8192};
    config.bos = random_() % 2 == 0;
  }
  void fill_text(Grouping& grouping) {
    grouping = Grouping({1, static_cast<int>(2 + random_() % 3)}, {{0, static_cast<int>(1 + random_() % 3)}});
  }
  void fill_text(std::shared_ptr<const TrainingPlan>& plan) {
    auto made = std::make_shared<TrainingPlan>();
    made->model = "/there/a model";
    made->data = {"a.txt", "Bücher"};
    made->training.learning_rate = 0.1 / static_cast<double>(1 + random_() % 100);
    fill_text(made->config);
    plan = made;
  }
  void put_inside(const auto& /*value*/, AnyNumber) {}
  void put_inside(const std::string& /*text*/, TextRange) {}
  template <typename T, typename Range>
  void put_inside(std::optional<T>& value, Range range) {
    if (value) put_inside(*value, range);
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void put_inside(T& value, WholeRange range) {
    if (is_inside(value, range)) return;
    const std::uint64_t most = std::min(static_cast<std::uint64_t>(range.most - range.least),
                                        static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
    value = static_cast<T>(range.least + static_cast<std::int64_t>(random_() % most));
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void put_inside(T& value, RealRange range) {
    const double share = static_cast<double>(random_() % 1000) / 1000;
    if (!is_inside(value, range)) value = static_cast<T>(range.least * (1 - share) + range.most * share);
  }
  /// Sizes that fit each other.
  void fill_text(ModelConfig& model) {
    const auto up_to = [this](std::int64_t most) {
      return 1 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
    };
    model.architecture = families()[random_() % families().size()].name;
    model.layers = up_to(1024);
    model.hidden = up_to(1 << 18);
    model.intermediate = up_to(1 << 20);
    model.kv_heads = up_to(64);
    model.heads = model.kv_heads * up_to(64);
    if (find_family(model.architecture)->projections == StoredProjections::FusedByHead) model.kv_heads = model.heads;
    model.head_dim = 2 * up_to(2048);
    model.rotated_dims = random_() % 2 == 0 ? 0 : 2 * up_to(model.head_dim / 2);
    model.vocabulary = up_to(1 << 26);
    model.context = up_to(std::int64_t{1} << 31);
    model.norm_epsilon = 1.0 / static_cast<double>(1 + up_to(1000));
    for (double* scale : {&model.embedding_scale, &model.query_scale, &model.residual_scale, &model.logit_divisor})
      *scale = 1.0 / static_cast<double>(up_to(1000));
    for (double* cap : {&model.score_cap, &model.logit_cap}) *cap = random_() % 2 == 0 ? 0 : up_to(100);
    for (auto* id : {&model.bos_id, &model.eos_id})
      if (random_() % 2 == 0) *id = up_to(model.vocabulary) - 1;
    for (auto* layers : {&model.window_layers, &model.unrotated_layers}) {
      layers->clear();
      for (int layer = 0; layer < model.layers; ++layer)
        if (random_() % 3 == 0) layers->push_back(layer);
    }
    model.window = model.window_layers.empty() ? 0 : up_to(4096);
    model.tied_embeddings = random_() % 2 == 0;
    model.parallel_blocks = random_() % 2 == 0;
    fill_rope(model.rope);
    if (random_() % 2 == 0) {
      fill_rope(model.window_rope.emplace());
      if (depends_on_length(model.window_rope->kind)) model.window_rope.reset();
    }
  }
  void fill_rope(RopeConfig& rope) {
    rope.kind = static_cast<RopeConfig::Kind>(random_() % static_cast<unsigned>(RopeConfig::Kind::Longrope));
    rope.theta = 1e4 / 3;
    rope.factor = 8.1;
    rope.original_context = 1 + static_cast<std::int64_t>(random_() % 8192);
    rope.low_frequency_factor = 1.0 / 3;
    rope.high_frequency_factor = 4;
  }
  template <typename T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = random_() % 2 == 0;
    } else if constexpr (std::is_same_v<T, Map>) {  // whose size must fit
      value.rows = static_cast<std::int64_t>(random_() % 4);
      value.columns = static_cast<std::int64_t>(random_() % 4);
      for (std::int64_t left = value.rows * value.columns; left > 0; --left) fill(value.values.emplace_back());
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(random_() % (static_cast<unsigned>(last_of(T{})) + 1));
    } else if constexpr (std::is_arithmetic_v<T>) {
      const std::uint64_t bits = random_();
      std::memcpy(&value, &bits, sizeof value);
    } else {
      describe(*this, value);
    }
  }
  void fill(std::string& text) {
    for (std::uint64_t left = random_() % 9; left > 0; --left) text += static_cast<char>(random_() % 256);
  }
  template <typename T>
  void fill(std::vector<T>& values) {
    values.resize(random_() % 4);
    for (T& value : values) fill(value);
  }
  template <typename T>
  void fill(std::optional<T>& value) {
    if (random_() % 2 == 0) fill(value.emplace());
  }
  template <typename T>
  void fill(std::shared_ptr<const T>& value) {
    if (random_() % 3 == 0) return;
    auto made = std::make_shared<T>();
    fill(*made);
    value = std::move(made);
  }

  std::mt19937_64 random_;
};

/// Calls action.operator()<T>() with each type that travels.
template <typename... T>
void for_each_type(auto action) {
  (action.template operator()<T>(), ...);
}

inline void for_all_types(auto action) {
  for_each_type<EnginePlace, Failure, ModelFile, TextToEncode, MemoryBytes, ModelRequest, ModelInfo>(action);
  for_each_type<CaptureOptions, RunRequest, RunSummary, SinkSummary, SegmentRecord, Map, Hit, HeadHits,
                SegmentSnapshot>(action);
  for_each_type<Sampling, GenerateRequest, TopToken, GeneratedToken, GenerateResult, StateInfo, Document, Corpus,
                TrainRequest, TrainOrder>(action);
  for_each_type<GradientReach, StepRecord, StepSnapshot, ValidationRecord::Length, ValidationRecord>(action);
  for_each_type<TokenRange, SlotRef, SegmentEdit, PredictionQuestion, Prediction, WhatIfOutcome, RecordedSegment,
                PatchSource, WhatIfRequest, WhatIfBase>(action);
  for_each_type<HeadRef, AttentionPair, InspectionParts, InspectRequest, AttentionMap, SlotMasses, SearchSteps::Ranked,
                SearchSteps>(action);
  for_each_type<HeadRecall, NeuronShare, LogitAttribution, LensReading, LogitLens, AblatedPrediction,
                PredictionAblations, Inspection>(action);
  for_each_type<HeadProfileRequest, HeadScores, ProbeScores, HeadProfile>(action);
  for_each_type<Needle, NeedleDocument, FoundShare, SearcherStep, ReaderStep, RecallHeads, RecallHeadsRequest>(action);
  for_each_type<TrainingAlert, TrainingSummary, AuditRequest, AuditCheck, AuditReport>(action);
  for_each_type<PatternSearchRequest, HeadPattern, FoundPattern, FoundPatterns>(action);
  for_each_type<PasskeyParts, PasskeyPlan, DuoGates, DuoGatesRequest>(action);
}

}  // namespace carryover::test
