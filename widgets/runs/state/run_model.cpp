// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/run_model.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/config/head_reads.h"
#include "engine/runs/records/run_id.h"
#include "engine/tokenizers/tokenizer.h"
#include "widgets/runs/state/segment_cache.h"

namespace carryover {
struct RunModel::State {
  bool begun = false, finished = false;
  ModelInfo model;
  RunRequest request;
  RunSummary summary;
  RunOrigin origin;
  CostModel cost;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<RunOutline> outline = std::make_shared<RunOutline>();  ///< shared: must not change
  std::shared_ptr<const SegmentSource> source;
  SegmentCache cache;
  std::int64_t tokens_done = 0;
  int loaded = 0;
  bool told_unreadable = false;

  /// Returns an outline that may be changed: a copy if others share it.
  RunOutline& own_outline() {
    if (outline.use_count() > 1) outline = std::make_shared<RunOutline>(*outline);
    return *outline;
  }
  std::int64_t tokens_closed() const {
    if (outline->count() == 0) return 0;
    const SegmentRecord& last = outline->segment(outline->count() - 1).record;
    return last.first_token + last.length;
  }
};

RunModel::RunModel(QObject* parent, std::int64_t cache_bytes)
    : QObject(parent), state_(std::make_unique<State>()), cache_bytes_(cache_bytes) {}
RunModel::~RunModel() = default;

void RunModel::begin(const ModelInfo& model, const RunRequest& request, std::shared_ptr<const Tokenizer> tokenizer) {
  auto state = std::make_unique<State>();
  state->begun = true;
  state->model = model;
  state->request = request;
  if (!state->request.ids) state->request.ids = std::make_shared<const std::vector<std::int32_t>>();
  state->origin.id = run_id(model, state->request);
  state->tokenizer = std::move(tokenizer);
  state->cost = cost_model(model.config, request.config, model.dtype);
  state->outline = std::make_shared<RunOutline>(std::ssize(*state->request.ids));
  state_ = std::move(state);
  Q_EMIT reset();
}

void RunModel::clear() {
  if (is_empty()) return;
  state_ = std::make_unique<State>();
  Q_EMIT reset();
}

void RunModel::append(const std::vector<std::shared_ptr<const SegmentSnapshot>>& snapshots) {
  CARRYOVER_CHECK(state_->begun);
  if (snapshots.empty()) return;
  const int first = segment_count();
  RunOutline& outline = state_->own_outline();
  for (const auto& snapshot : snapshots) {
    outline.append(*snapshot);
    state_->cache.put(outline.count() - 1, snapshot);
    state_->tokens_done = std::max(state_->tokens_done, snapshot->record.first_token + snapshot->record.length);
  }
  state_->cache.shrink(cache_bytes_, state_->source ? state_->source->count() : 0);
  Q_EMIT segments_appended(first, segment_count() - 1);
}

void RunModel::show(std::shared_ptr<RunOutline> outline, std::shared_ptr<const SegmentSource> source) {
  CARRYOVER_CHECK(state_->begun && segment_count() == 0 && outline->count() <= source->count());
  state_->outline = std::move(outline);
  state_->source = std::move(source);
  if (segment_count() == 0) return;
  state_->tokens_done = state_->tokens_closed();
  Q_EMIT segments_appended(0, segment_count() - 1);
}

void RunModel::set_source(std::shared_ptr<const SegmentSource> source) {
  state_->source = std::move(source);
}

void RunModel::finish(const RunSummary& summary) {
  state_->finished = true;
  state_->summary = summary;
  state_->tokens_done = state_->tokens_closed();  // a segment that was stopped is not part of it
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
  copy->state_->cache.shrink(0, state_->source ? state_->source->count() : 0);
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
  return state_->outline->count();
}

std::int64_t RunModel::token_count() const {
  return state_->request.ids ? static_cast<std::int64_t>(state_->request.ids->size()) : 0;
}

int RunModel::expected_segments() const {
  const std::int64_t length = state_->request.config.segment_length;
  return static_cast<int>((token_count() + length - 1) / length);
}

std::shared_ptr<const SegmentSnapshot> RunModel::shared_snapshot(int segment) const {
  CARRYOVER_CHECK(segment >= 0 && segment < segment_count());
  if (auto cached = state_->cache.find(segment)) return cached;
  auto loaded = load(segment);
  state_->cache.put(segment, loaded);
  state_->cache.shrink(cache_bytes_, state_->source->count());
  return loaded;
}

std::shared_ptr<const SegmentSnapshot> RunModel::load(int segment) const {
  try {
    ++state_->loaded;
    return state_->source->load(segment);
  } catch (const EngineError& error) {
    if (!std::exchange(state_->told_unreadable, true))
      Q_EMIT unreadable(QString::fromStdString(error.where()), QString::fromStdString(error.problem()),
                        QString::fromStdString(error.advice()));
    return state_->outline->remains(segment, *state_->request.ids, state_->request.config.search == SearchBy::Shared);
  }
}

std::shared_ptr<const SegmentSource> RunModel::segments() const {
  if (state_->source && state_->source->count() >= segment_count()) return state_->source;
  std::vector<std::shared_ptr<const SegmentSnapshot>> all;
  for (int segment = 0; segment < segment_count(); ++segment) all.push_back(shared_snapshot(segment));
  return std::make_shared<HeldSegments>(std::move(all));
}

const SegmentDigest& RunModel::digest(int segment) const {
  CARRYOVER_CHECK(segment >= 0 && segment < segment_count());
  return state_->outline->segment(segment);
}
const RunOutline& RunModel::outline() const {
  return *state_->outline;
}
std::int64_t RunModel::cached_bytes() const {
  return state_->cache.bytes();
}
int RunModel::segments_loaded() const {
  return state_->loaded;
}

int RunModel::segment_of_token(std::int64_t position) const {
  if (position < 0 || position >= token_count()) return -1;
  return static_cast<int>(position / state_->request.config.segment_length);
}

std::int64_t RunModel::tokens_after(int segment) const {
  return std::min(token_count(), (segment + 1) * state_->request.config.segment_length);
}

float RunModel::nll_of_token(std::int64_t position) const {
  return state_->outline->nll(position);
}

std::optional<HeadRef> RunModel::list_of(int layer, int head) const {
  const SegmentConfig& config = state_->request.config;
  if (config.search != SearchBy::Shared || config.search_heads.empty()) return HeadRef{layer, head};
  if (layer < 0 || layer >= cost().model.layers) return std::nullopt;
  const HeadRef list = config.search_heads.front();
  const std::vector<int> readers = reader_heads(config, cost().model, layer);
  if (list != HeadRef{layer, head} && std::ranges::find(readers, head) == readers.end()) return std::nullopt;
  return list;
}

BriefHits RunModel::brief_hits(int segment, int layer, int head) const {
  const auto list = list_of(layer, head);
  return list ? hit_index().of(segment, list->layer, list->head) : BriefHits();
}

const HeadHits* RunModel::hits(int segment, int layer, int head) const {
  if (segment < 0 || segment >= segment_count() || brief_hits(segment, layer, head).empty()) return nullptr;
  return find_hits(snapshot(segment).hits, layer, head);
}

std::vector<std::pair<std::int64_t, int>> RunModel::hit_counts(int segment) const {
  std::vector<std::pair<std::int64_t, int>> counts;
  std::vector<std::int64_t> positions;
  for (const HitIndex::Column& column : hit_index().columns())
    for (const BriefHit hit : column.of(segment))
      if (hit.is_evidence()) positions.push_back(hit.position());
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

QString no_run_text(const RunModel& run) {
  const bool begun = !run.is_empty() && !run.finished();
  return begun ? QObject::tr("No segment is complete yet")
               : QObject::tr("No run yet: open a model and a text, and press Run");
}

}  // namespace carryover
