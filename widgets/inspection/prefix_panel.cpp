// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/prefix_panel.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/runs/state/prefix_slots.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr int slots_height = 116, plot_height = 84;
constexpr float carry_category = 3, sink_category = 4, segment_category = 5;

/// Returns how many of the segment's tokens are drawn behind its prefix: all of them would leave the prefix no room.
std::int64_t segment_shown(std::int64_t held, std::int64_t segment) {
  return std::min(segment, std::max<std::int64_t>(8, held / 2));
}

}  // namespace

PrefixPanel::PrefixPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Prefix"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("prefix"), this, [this] { request_refresh(); }),
      steps_(new QButtonGroup(this)),
      what_(new QLabel(this)),
      scores_(new PlotView(QStringLiteral("prefix_scores"), this)),
      slots_(new PlotView(QStringLiteral("prefix_slots"), this)),
      list_(new QTableView(this)) {
  make_plots();
  make_table();
  what_->setMargin(5);
  what_->setWordWrap(true);
  what_->setAccessibleName(tr("Description of the step"));
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(scores_);
  split->addWidget(list_);
  scores_->setMinimumHeight(plot_height);
  list_->setMinimumHeight(48);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_bar());
  layout->addWidget(what_);
  layout->addWidget(split, 1);
  layout->addWidget(slots_);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
    answer_.reset();
    scores_->fit();
    slots_->fit();
    request_refresh();
  });
}

QWidget* PrefixPanel::make_bar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(6, 4, 6, 0);
  row->setSpacing(3);
  for (int i = 0; i < search_step_count; ++i) {
    auto* button = new QPushButton(bar);
    button->setCheckable(true);
    button->setChecked(i == static_cast<int>(step_));
    button->setMinimumWidth(40);
    steps_->addButton(button, i);
    row->addWidget(button);
  }
  row->addStretch(1);
  row->addWidget(sync_toggle());
  connect(steps_, &QButtonGroup::idClicked, this, [this](int id) { go_to(static_cast<SearchStep>(id)); });
  name_steps();
  return bar;
}

/// Names the steps of the run's search: a search by positions has no top-k of its own.
void PrefixPanel::name_steps() {
  const SegmentConfig config = lab_.run().is_empty() ? lab_.config() : lab_.run().request().config;
  const std::vector<SearchStep> walked = steps_of(config);
  if (std::ranges::find(walked, step_) == walked.end()) step_ = SearchStep::Anchors;
  for (int i = 0; i < search_step_count; ++i) {
    const auto step = static_cast<SearchStep>(i);
    const auto place = std::ranges::find(walked, step) - walked.begin();
    steps_->button(i)->setText(filled(QStringLiteral("%1 %2"), place + 1, search_step_name(step, config)));
    steps_->button(i)->setVisible(place < std::ssize(walked));
    steps_->button(i)->setChecked(step == step_);
  }
}

void PrefixPanel::make_plots() {
  scores_->set_integer_axes(true, true);
  scores_->set_y_reversed(true);
  scores_->set_axes(tr("Position in the pool (token)"), tr("Queries of a summary"));
  const auto marks = [this](const QString& name, ThemeColour colour) {
    return scores_->add_curve(name, {std::move(colour), false, false, false, true});
  };
  queries_ = marks(tr("queries"), [](const Theme& theme) { return theme.carry; });
  ranked_ = marks(tr("top-k"), [](const Theme& theme) { return theme.text; });
  padding_ = marks(tr("padding"), [](const Theme& theme) { return theme.padding; });
  expanded_ = marks(tr("expanded"), [](const Theme& theme) { return theme.expanded; });
  anchor_ = marks(tr("anchor"), [](const Theme& theme) { return theme.anchor; });
  connect(scores_, &PlotView::clicked, this, [this](double x, double) {
    const SearchSteps* steps = shown();
    if (!steps) return;
    const auto near = [x](std::int64_t position) { return std::abs(static_cast<double>(position) - x); };
    std::int64_t best = std::llround(x);
    double error = scores_->view().width() / 100;  // what a pointer can aim at
    const auto consider = [&](std::int64_t position) {
      if (near(position) < error) error = near(position), best = position;
    };
    for (const Hit& hit : steps->hits.hits) consider(hit.position);
    for (const SearchSteps::Ranked& ranked : steps->ranked) consider(ranked.position);
    select_position(best);
  });
  slots_->setFixedHeight(slots_height);
  slots_->set_integer_axes(true, true);
  slots_->set_axes(tr("Slot, then the segment (re-indexed position)"), QString());
  slots_->set_y_names({QString()});
  slots_->set_categories({{tr("padding"), [](const Theme& theme) { return theme.padding; }},
                          {tr("expanded"), [](const Theme& theme) { return theme.expanded; }},
                          {tr("anchor"), [](const Theme& theme) { return theme.anchor; }},
                          {tr("carried"), [](const Theme& theme) { return theme.carry; }},
                          {tr("sink"), [](const Theme& theme) { return theme.text; }},
                          {tr("segment"), [](const Theme& theme) { return theme.accent; }}});
  slots_->set_hover_text([this](double x, double) {
    const std::int64_t slot = std::llround(x), held = std::ssize(prefix_);
    if (!shown() || slot < 0) return QString();
    if (slot >= held) return tr("token %1 of the segment").arg(slot - held);
    const PrefixSlot& at = prefix_[static_cast<std::size_t>(slot)];
    const QString what = at.part == PrefixPart::Sinks   ? tr("sink")
                         : at.part == PrefixPart::Carry ? tr("carried")
                                                        : hit_kind_text(at.kind);
    return filled(tr("slot %1: position %2, %3\n%4"), slot, at.position, what, text_around(lab_.run(), at.position));
  });
  connect(slots_, &PlotView::clicked, this, [this](double x, double) {
    const std::int64_t slot = std::llround(x), count = std::ssize(prefix_);
    if (!shown() || slot < 0) return;
    select_position(slot < count ? prefix_[static_cast<std::size_t>(slot)].position
                                 : lab_.run().record(static_cast<int>(answer_->segment)).first_token + slot - count);
  });
  connect(slots_, &PlotView::stepped, this, [this](int columns, int) {
    if (!shown() || columns == 0 || prefix_.empty()) return;
    const auto now = std::ranges::find(prefix_, context().selected().token, &PrefixSlot::position);
    const std::int64_t from = now == prefix_.end() ? -1 : now - prefix_.begin();
    const std::int64_t slot = std::clamp<std::int64_t>(from + columns, 0, std::ssize(prefix_) - 1);
    select_position(prefix_[static_cast<std::size_t>(slot)].position);
  });
}

void PrefixPanel::make_table() {
  prepare_table(*list_, tr("Result of the step"));
  list_->setModel(&table_);
  list_->horizontalHeader()->setStretchLastSection(true);
  connect(list_, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (const std::int64_t position = table_.row(index.row()).position; position >= 0) select_position(position);
  });
}

void PrefixPanel::go_to(SearchStep step) {
  step_ = step;
  name_steps();
  request_refresh();
}

void PrefixPanel::unseen() {
  view_.forget();
  request_refresh();
}

const SearchSteps* PrefixPanel::shown() const {
  return answer_ && answer_->search ? &*answer_->search : nullptr;
}

void PrefixPanel::refresh() {
  const RunModel& run = context().run();
  const int segment = shown_segment(context());
  const HeadRef head = run.is_empty() ? HeadRef{} : shown_head(context());
  answer_.reset();
  prefix_.clear();
  name_steps();
  if (segment < 0) return clear(no_run_text(context().run()));
  if (!run.hits(segment, head.layer, head.head)) return clear(why_nothing_retrieved(run, segment, head));
  InspectionParts parts;
  parts.search = head;
  answer_ = view_.ask(segment, parts);
  const SearchSteps* steps = shown();
  if (!steps) return clear(view_.why_not());
  what_->setText(describe_step(step_, *steps, run.request().config));
  prefix_ = prefix_slots(run, segment, head, steps->hits.hits);
  for (PlotView* plot : {scores_, slots_}) plot->set_provenance(run_provenance(run));
  draw_scores(*steps);
  draw_slots(*steps);
  const bool same = listed_ == answer_ && listed_step_ == step_;
  listed_ = answer_;
  listed_step_ = step_;
  if (!same) {
    table_.set(rows_of_step(step_, *steps, [&run](std::int64_t position) { return text_around(run, position); }));
    list_->resizeColumnsToContents();
  }
  follow_selection();
}

void PrefixPanel::clear(const QString& why) {
  what_->clear();
  listed_.reset();
  table_.set({});
  for (PlotView* plot : {scores_, slots_}) {
    plot->clear_map();
    plot->clear_curves();
    plot->set_extent({});
    plot->set_empty_text(plot == scores_ ? why : QString());
    plot->request_replot();
  }
}

// The summaries' rows, and one below them for the prefix that comes of it.
void PrefixPanel::draw_scores(const SearchSteps& steps) {
  const auto rows = static_cast<double>(steps.scores.rows);
  const auto pool = static_cast<double>(lab_.run().record(static_cast<int>(answer_->segment)).first_token);
  scores_->set_extent(QRectF(-0.5, -0.5, std::max(1.0, pool), rows + 1));
  std::vector<QString> names = summary_names(steps);
  names.push_back(tr("prefix"));
  scores_->set_y_names(names);
  const std::vector<SearchStep> walked = steps_of(lab_.run().request().config);
  scores_->set_title(filled(tr("Layer %1, head %2: prefix of segment %3, step %4: %5"), steps.head.layer,
                            steps.head.head, answer_->segment, std::ranges::find(walked, step_) - walked.begin() + 1,
                            search_step_name(step_, lab_.run().request().config)));
  scores_->clear_map();
  if (step_ != SearchStep::Summaries && !steps.scores.values.empty())
    scores_->set_map(steps.scores, -0.5, static_cast<double>(steps.position_step * steps.scores.columns) - 0.5, -0.5,
                     rows - 0.5,
                     steps.position_step == 1 ? tr("Score") : tr("Best score of %1").arg(steps.position_step),
                     PlotView::Gradient::Cividis);
  draw_marks(steps);
  scores_->request_replot();
}

void PrefixPanel::draw_marks(const SearchSteps& steps) {
  scores_->clear_curves();
  if (step_ == SearchStep::Summaries)
    for (std::size_t row = 0; row < steps.summaries.size(); ++row)
      for (std::int64_t query = steps.summaries[row].first; query < steps.summaries[row].last; ++query)
        scores_->append(queries_, static_cast<double>(query), static_cast<double>(row));
  if (step_ >= SearchStep::TopK)
    for (const SearchSteps::Ranked& ranked : steps.ranked)
      scores_->append(ranked.anchor && step_ > SearchStep::TopK ? anchor_ : ranked_,
                      static_cast<double>(ranked.position), ranked.summary);
  const auto prefix = static_cast<double>(steps.scores.rows);
  for (const Hit& hit : slots_after(step_, steps))
    scores_->append(hit.kind == HitKind::Anchor     ? anchor_
                    : hit.kind == HitKind::Expanded ? expanded_
                                                    : padding_,
                    static_cast<double>(hit.position), prefix);
}

void PrefixPanel::draw_slots(const SearchSteps& steps) {
  const std::int64_t held = std::ssize(prefix_);
  const std::int64_t segment = lab_.run().record(static_cast<int>(answer_->segment)).length;
  Map map{1, held + segment_shown(held, segment), {}};
  map.values.assign(static_cast<std::size_t>(map.columns), segment_category);
  const std::vector<Hit> there = slots_after(step_, steps);  // in the order of all of them
  auto next = there.begin();
  for (std::int64_t i = 0; i < held; ++i) {
    const PrefixSlot& slot = prefix_[static_cast<std::size_t>(i)];
    float& value = map.values[static_cast<std::size_t>(i)];
    value = slot.part == PrefixPart::Sinks ? sink_category : carry_category;
    if (slot.part != PrefixPart::Retrieved) continue;
    const bool shown = next != there.end() && next->position == slot.position;
    value = shown ? 2 - static_cast<float>(slot.kind) : NAN;
    if (shown) ++next;
  }
  slots_->set_map(map, -0.5, static_cast<double>(map.columns) - 0.5, -0.5, 0.5, tr("Slot"),
                  PlotView::Gradient::Categories);
  slots_->request_replot();
}

void PrefixPanel::follow_selection() {
  const std::int64_t token = context().selected().token;
  const auto slot = std::ranges::find(prefix_, token, &PrefixSlot::position);
  const std::int64_t held = std::ssize(prefix_);
  const std::int64_t in_segment = token - lab_.run().record(static_cast<int>(answer_->segment)).first_token;
  slots_->set_cursor(slot != prefix_.end() ? static_cast<double>(slot - prefix_.begin())
                     : in_segment >= 0 && in_segment < segment_shown(held, 1 << 30)
                         ? static_cast<double>(held + in_segment)
                         : NAN);
  scores_->set_cursor(token >= 0 && in_segment < 0 ? static_cast<double>(token) : NAN);
  if (const int row = table_.row_of(token); row >= 0 && list_->currentIndex().row() != row) list_->selectRow(row);
}

void PrefixPanel::select_position(std::int64_t position) {
  const SearchSteps* steps = shown();
  if (!steps || position < 0 || position >= lab_.run().token_count()) return;
  context().select({static_cast<int>(answer_->segment), steps->head.layer, steps->head.head, position});
}

}  // namespace carryover
