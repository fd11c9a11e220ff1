// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "engine/io/run_id.h"
#include "engine/io/tokenizer.h"

namespace carryover {
namespace {

constexpr std::int64_t map_budget_bytes = 256ll << 20;
constexpr float no_value = std::numeric_limits<float>::quiet_NaN();

std::int64_t map_bytes(const SegmentSnapshot& snapshot) {
  const auto values = snapshot.carry_key_norm.values.size() + snapshot.carry_value_norm.values.size() +
                      snapshot.carry_drift.values.size();
  return static_cast<std::int64_t>(values * sizeof(float));
}

std::shared_ptr<const SegmentSnapshot> without_maps(const SegmentSnapshot& snapshot) {
  auto copy = std::make_shared<SegmentSnapshot>();
  copy->record = snapshot.record;
  copy->ids = snapshot.ids;
  copy->target_nll = snapshot.target_nll;
  copy->hits = snapshot.hits;
  return copy;
}

int bytes_per_value(DType dtype) {
  switch (dtype) {
    case DType::BFloat16:
      return 2;
    case DType::Float64:
      return 8;
    default:
      return 4;
  }
}

}  // namespace

struct RunModel::State {
  bool begun = false, finished = false;
  ModelInfo model;
  RunRequest request;
  RunSummary summary;
  RunOrigin origin;
  CostModel cost;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::shared_ptr<const SegmentSnapshot>> snapshots;
  std::vector<float> nll;  ///< by absolute position of the target
  std::int64_t tokens_done = 0;
  std::int64_t kept_map_bytes = 0;
  std::size_t first_with_maps = 0;  ///< snapshots before it have given theirs up
};

RunModel::RunModel(QObject* parent) : QObject(parent), state_(std::make_unique<State>()) {}
RunModel::~RunModel() = default;

void RunModel::begin(const ModelInfo& model, const RunRequest& request, std::shared_ptr<const Tokenizer> tokenizer) {
  auto state = std::make_unique<State>();
  state->begun = true;
  state->model = model;
  state->request = request;
  if (!state->request.ids) state->request.ids = std::make_shared<const std::vector<std::int32_t>>();
  state->origin.id = run_id(model, state->request);
  state->tokenizer = std::move(tokenizer);
  state->cost = {model.config, request.config, bytes_per_value(model.dtype)};
  state->nll.assign(state->request.ids->size(), no_value);
  state_ = std::move(state);
  Q_EMIT reset();
}

void RunModel::append(std::shared_ptr<const SegmentSnapshot> snapshot) {
  CARRYOVER_CHECK(state_->begun && snapshot);
  auto& nll = state_->nll;
  const auto first_target = static_cast<std::size_t>(snapshot->record.first_token) + 1;
  for (std::size_t i = 0; i < snapshot->target_nll.size() && first_target + i < nll.size(); ++i)
    nll[first_target + i] = snapshot->target_nll[i];
  state_->tokens_done = std::max(state_->tokens_done, snapshot->record.first_token + snapshot->record.length);
  state_->kept_map_bytes += map_bytes(*snapshot);
  auto& all = state_->snapshots;
  all.push_back(std::move(snapshot));
  while (state_->kept_map_bytes > map_budget_bytes && state_->first_with_maps + 1 < all.size()) {
    auto& oldest = all[state_->first_with_maps++];
    state_->kept_map_bytes -= map_bytes(*oldest);
    oldest = without_maps(*oldest);
  }
  const int index = segment_count() - 1;
  Q_EMIT segments_appended(index, index);
}

void RunModel::finish(const RunSummary& summary) {
  state_->finished = true;
  state_->summary = summary;
  Q_EMIT ended();
}

void RunModel::set_progress(std::int64_t tokens_done) {
  if (tokens_done <= state_->tokens_done) return;
  state_->tokens_done = tokens_done;
  Q_EMIT progressed();
}

std::shared_ptr<const RunModel> RunModel::kept() const {
  auto copy = std::make_shared<RunModel>();
  *copy->state_ = *state_;
  for (auto& snapshot : copy->state_->snapshots)
    if (map_bytes(*snapshot) > 0) snapshot = without_maps(*snapshot);
  copy->state_->kept_map_bytes = 0;
  return copy;
}

bool RunModel::is_empty() const {
  return !state_->begun;
}
const ModelInfo& RunModel::model() const {
  return state_->model;
}
QString RunModel::text_name() const {
  return QString::fromStdString(state_->origin.text);
}
const RunRequest& RunModel::request() const {
  return state_->request;
}
void RunModel::set_origin(const RunOrigin& origin) {
  state_->origin = origin;
}
const RunOrigin& RunModel::origin() const {
  return state_->origin;
}
const CostModel& RunModel::cost() const {
  return state_->cost;
}
const Tokenizer* RunModel::tokenizer() const {
  return state_->tokenizer.get();
}
bool RunModel::finished() const {
  return state_->finished;
}
const RunSummary& RunModel::summary() const {
  return state_->summary;
}
std::int64_t RunModel::tokens_done() const {
  return state_->tokens_done;
}
int RunModel::segment_count() const {
  return static_cast<int>(state_->snapshots.size());
}

std::int64_t RunModel::token_count() const {
  return state_->request.ids ? static_cast<std::int64_t>(state_->request.ids->size()) : 0;
}

int RunModel::expected_segments() const {
  const std::int64_t length = state_->request.config.segment_length;
  return static_cast<int>((token_count() + length - 1) / length);
}

const SegmentSnapshot& RunModel::snapshot(int segment) const {
  return *shared_snapshot(segment);
}

std::shared_ptr<const SegmentSnapshot> RunModel::shared_snapshot(int segment) const {
  CARRYOVER_CHECK(segment >= 0 && segment < segment_count());
  return state_->snapshots[static_cast<std::size_t>(segment)];
}

int RunModel::segment_of_token(std::int64_t position) const {
  if (position < 0 || position >= token_count()) return -1;
  return static_cast<int>(position / state_->request.config.segment_length);
}

float RunModel::nll_of_token(std::int64_t position) const {
  if (position < 0 || position >= token_count()) return no_value;
  return state_->nll[static_cast<std::size_t>(position)];
}

const HeadHits* RunModel::hits(int segment, int layer, int head) const {
  if (segment < 0 || segment >= segment_count()) return nullptr;
  for (const HeadHits& candidate : snapshot(segment).hits)
    if (candidate.layer == layer && candidate.head == head) return &candidate;
  return nullptr;
}

std::vector<std::pair<std::int64_t, int>> RunModel::hit_counts(int segment) const {
  std::vector<std::pair<std::int64_t, int>> counts;
  if (segment < 0 || segment >= segment_count()) return counts;
  std::vector<std::int64_t> positions;
  for (const HeadHits& head : snapshot(segment).hits)
    for (const Hit& hit : head.hits)
      if (hit.kind != HitKind::Padding) positions.push_back(hit.position);
  std::sort(positions.begin(), positions.end());
  for (const std::int64_t position : positions) {
    if (counts.empty() || counts.back().first != position) counts.emplace_back(position, 0);
    ++counts.back().second;
  }
  return counts;
}

QString RunModel::token_text(std::int64_t position) const {
  if (position < 0 || position >= token_count()) return {};
  const std::int32_t id = (*state_->request.ids)[static_cast<std::size_t>(position)];
  if (!state_->tokenizer) return QStringLiteral("<%1>").arg(id);
  return QString::fromStdString(state_->tokenizer->bytes(id));
}

RunSummary sum_of_segments(const RunModel& run) {
  RunSummary summary;
  for (int segment = 0; segment < run.segment_count(); ++segment) {
    const SegmentRecord& record = run.record(segment);
    summary.tokens += record.length;
    summary.targets += record.targets;
    summary.nll_sum += record.nll_sum;
    summary.seconds += record.seconds;
    summary.close_cuts += record.close_cuts;
    summary.segments += 1;
  }
  return summary;
}

}  // namespace carryover
