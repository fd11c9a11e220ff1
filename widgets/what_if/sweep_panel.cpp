// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/sweep_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/foil_field.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prediction_change.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/what_if/patching.h"

namespace carryover {
namespace {

constexpr int most_tokens = 256;      ///< columns of a heatmap that can still be read
constexpr int columns_at_first = 16;  ///< of a heatmap by token

}  // namespace

SweepRequest sweep_request(LabContext& lab, const SweepPlan& plan) {
  SweepRequest request{lab.run().request(), plan.segment, plan.site,  plan.source,
                       plan.question,       plan.losses,  plan.tokens};
  if (plan.source == SweepSource::Run && lab.pinned_run())
    request.patch_source = PatchSource{lab.pinned_run()->request()};
  return request;
}

SweepPanel::SweepPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Sweep"), parent),
      lab_(lab),
      site_(new QComboBox(this)),
      source_(new QComboBox(this)),
      shown_(new QComboBox(this)),
      foil_(new FoilField(lab, this)),
      tokens_(new QSpinBox(this)),
      tokens_row_(labelled(tr("Last tokens"), tokens_, nullptr, this)),
      losses_(new QCheckBox(tr("Loss too"), this)),
      says_(new QLabel(this)),
      plot_(new PlotView(QStringLiteral("sweep"), this)) {
  build_bar();
  says_->setWordWrap(true);
  says_->setContentsMargins(6, 0, 6, 0);
  says_->setAccessibleName(tr("Cost and progress of the sweep"));
  plot_->set_integer_axes(true, true);
  plot_->set_y_reversed(true);
  plot_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  plot_->set_csv_source([this] { return csv(); });
  connect(plot_, &PlotView::clicked, this, &SweepPanel::select_cell);
  for (QComboBox* box : {site_, source_, shown_})
    connect(box, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
  connect(tokens_, &QSpinBox::valueChanged, this, &Panel::request_refresh);
  connect(losses_, &QCheckBox::toggled, this, &Panel::request_refresh);
  connect(&lab.foil(), &FoilToken::changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::pinned_run_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &SweepPanel::forget);
}

void SweepPanel::build_bar() {
  auto* body = new QWidget(this);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(says_);
  column->addWidget(plot_, 1);
  site_->addItems({tr("Heads' outputs"), tr("Attention outputs"), tr("Feed-forward outputs"), tr("Residual stream"),
                   tr("Reading the sinks"), tr("Reading what was retrieved"), tr("Reading the carry")});
  site_->setAccessibleName(tr("What each cell replaces"));
  source_->addItems({tr("Zero"), tr("Mean of the segment"), tr("Pinned run")});
  source_->setAccessibleName(tr("What it is replaced by"));
  shown_->addItems({tr("Δ logit"), tr("Δ ln p"), tr("Δ loss")});
  shown_->setAccessibleName(tr("Value that the heatmap shows"));
  tokens_->setAccessibleName(tr("Number of tokens that are replaced"));
  tokens_->setRange(0, most_tokens);
  tokens_->setToolTip(tr("So many tokens are replaced, up to the one that makes the prediction"));
  losses_->setToolTip(tr("Each cell also gives the loss of the whole segment, which takes longer"));
  WrappingBar* bar = control_bar();
  bar->addWidget(site_);
  bar->addWidget(labelled(tr("replaced by"), source_, nullptr, this));
  bar->addWidget(tokens_row_);
  bar->addWidget(foil_);
  bar->addWidget(losses_);
  run_ = add_button(this, bar, "run", tr("Run"), tr("Run the segment again once for each cell"));
  stop_ = add_button(this, bar, "stop", tr("Stop"), tr("Stop the sweep; cells that are done stay"));
  what_if_ = add_button(this, bar, "edit", tr("As what-if"),
                        tr("Run the cell that was clicked last as a what-if, with the loss of every token"));
  bar->addStretch(1);
  bar->addWidget(shown_);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, body);
  connect(run_, &QToolButton::clicked, this, [this] {
    if (const Next wanted = next(); wanted.obstacle.isEmpty()) Q_EMIT run_wanted(wanted.plan);
  });
  connect(stop_, &QToolButton::clicked, this, &SweepPanel::cancel_wanted);
  connect(what_if_, &QToolButton::clicked, this, &SweepPanel::run_as_what_if);
}

SweepPanel::Next SweepPanel::next() {
  const RunModel& run = lab_.run();
  const std::int64_t token = context().selected().token;
  Next wanted;
  SweepPlan& plan = wanted.plan;
  plan.segment = run.segment_of_token(token - 1);  // whose outputs predict it
  plan.site = static_cast<SweepSite>(site_->currentIndex());
  plan.source = removes_reading(plan.site) ? SweepSource::Zero : static_cast<SweepSource>(source_->currentIndex());
  plan.losses = losses_->isChecked();
  if (run.segment_count() == 0)
    wanted.obstacle = no_run_text(run);
  else if (token < 1 || std::isnan(run.nll_of_token(token)) || plan.segment >= run.segment_count())
    wanted.obstacle = tr("Select a token in the text: each cell gives its prediction");
  else if (!lab_.foil().problem().isEmpty())
    wanted.obstacle = lab_.foil().problem();
  if (!wanted.obstacle.isEmpty()) return wanted;
  plan.question = {token - 1 - run.record(plan.segment).first_token, lab_.foil().id()};
  if (const std::int64_t tokens = tokens_wanted(plan.site); tokens > 0) {
    const std::int64_t end = plan.question.token + 1;
    plan.tokens = TokenRange{std::max<std::int64_t>(0, end - tokens), end};
  }
  if (plan.source == SweepSource::Run) {
    SegmentEdit patches;
    patches.patched_heads = {{0, 0}};
    wanted.obstacle = patch_obstacle(lab_, plan.segment, patches);
  }
  if (wanted.obstacle.isEmpty()) wanted.obstacle = qstring(sweep_problem(sweep_request(lab_, plan)));
  if (wanted.obstacle.isEmpty()) wanted.obstacle = busy_;
  return wanted;
}

/// Returns how many tokens up to the prediction's are replaced; 0: all. Heatmaps by token can't have all of them.
std::int64_t SweepPanel::tokens_wanted(SweepSite site) const {
  if (removes_reading(site)) return 0;
  return has_head_columns(site) || tokens_->value() > 0 ? tokens_->value() : columns_at_first;
}

void SweepPanel::set_engine_busy(const QString& why) {
  busy_ = why;
  request_refresh();
}

void SweepPanel::begin(const SweepPlan& plan) {
  forget();
  running_ = true;
  plan_ = plan;
  expected_ = sweep_places(sweep_request(lab_, plan), lab_.run().model().config).size();
}

void SweepPanel::set_base(const SweepBase& base) {
  base_ = base;
}

void SweepPanel::add_cells(const std::vector<SweepCell>& cells) {
  cells_.insert(cells_.end(), cells.begin(), cells.end());
  request_refresh();
}

void SweepPanel::end() {
  running_ = false;
  request_refresh();
}

void SweepPanel::forget() {
  plan_.reset();
  base_.reset();
  chosen_.reset();
  cells_.clear();
  request_refresh();
}

void SweepPanel::refresh() {
  const Next wanted = next();
  const SweepSite site = static_cast<SweepSite>(site_->currentIndex());
  source_->setEnabled(!removes_reading(site));
  tokens_row_->setVisible(!removes_reading(site));
  tokens_->setSpecialValueText(has_head_columns(site) ? tr("all") : QString::number(columns_at_first));
  run_->setEnabled(!running_ && wanted.obstacle.isEmpty());
  stop_->setVisible(running_);
  what_if_->setEnabled(!running_ && chosen_ && plan_ && has_head_columns(plan_->site));
  if (running_)
    says_->setText(filled(tr("%L1 of %L2 cells"), cells_.size(), expected_));
  else
    says_->setText(wanted.obstacle.isEmpty() ? price_text(wanted.plan) : wanted.obstacle);
  draw();
}

QString SweepPanel::price_text(const SweepPlan& plan) const {
  const SweepRequest request = sweep_request(lab_, plan);
  const ModelConfig& model = lab_.run().model().config;
  const double segments = sweep_cost(request, model);
  const RunSummary& last = lab_.run().summary();
  const QString work = filled(tr("%L1 cells take as much work as %2 segments"), sweep_places(request, model).size(),
                              decimal_text(segments, 1));
  if (last.segments == 0) return work;
  return tr("%1: about %2").arg(work, duration_text(segments * last.seconds / static_cast<double>(last.segments)));
}

std::int64_t SweepPanel::first_column() const {
  return has_head_columns(plan_->site) ? 0 : plan_->tokens->first;
}

std::int64_t SweepPanel::columns() const {
  return has_head_columns(plan_->site) ? lab_.run().model().config.heads : plan_->tokens->last - plan_->tokens->first;
}

double SweepPanel::change(const SweepCell& cell) const {
  const SweepCell& before = base_->as_it_was;
  switch (shown_->currentIndex()) {
    case LogProbability:
      return cell.logprob - before.logprob;
    case Loss:
      return plan_->losses ? cell.nll_sum - before.nll_sum : NAN;
    default:
      return cell.logit_difference() - before.logit_difference();
  }
}

QString SweepPanel::column_name(const SweepPlace& place) const {
  if (has_head_columns(plan_->site)) return filled(tr("head %1"), place.column);
  const std::int64_t token = lab_.run().record(plan_->segment).first_token + place.column;
  return filled(tr("token %1, %2"), token, quoted_token(lab_.run().token_text(token)));
}

QString SweepPanel::title_text() const {
  const RunModel& run = lab_.run();
  const Prediction& prediction = base_->prediction;
  const QString logit =
      logit_name(id_text(run, prediction.target), prediction.foil ? id_text(run, *prediction.foil) : QString());
  const std::int64_t token = run.record(plan_->segment).first_token + prediction.token + 1;
  return filled(tr("%1 at %2. %3, one at a time"), logit, token, site_->itemText(static_cast<int>(plan_->site)));
}

void SweepPanel::draw() {
  plot_->set_provenance(run_provenance(lab_.run()));
  plot_->clear_map();
  if (!plan_ || !base_) {
    plot_->set_title({});
    plot_->set_empty_text(running_ ? tr("Running the segment as it was…") : says_->text());
    return plot_->request_replot();
  }
  const std::int64_t layers = lab_.run().model().config.layers, width = columns();
  Map map{layers, width, std::vector<float>(static_cast<std::size_t>(layers * width), NAN)};
  for (const SweepCell& cell : cells_)
    map.values[static_cast<std::size_t>(cell.place.layer * width + cell.place.column - first_column())] =
        static_cast<float>(change(cell));
  const bool heads = has_head_columns(plan_->site);
  std::vector<QString> names;
  for (std::int64_t column = 0; !heads && column < width; ++column)
    names.push_back(lab_.run().token_text(lab_.run().record(plan_->segment).first_token + first_column() + column));
  plot_->set_x_names(names);
  plot_->set_axes(heads ? tr("Query head") : tr("Token"), tr("Layer"));
  plot_->set_title(title_text());
  plot_->set_map(map, -0.5, static_cast<double>(width) - 0.5, -0.5, static_cast<double>(layers) - 0.5,
                 shown_->currentText(), PlotView::Gradient::Contributions);
  plot_->set_cursor(chosen_ ? static_cast<double>(chosen_->column - first_column()) : NAN);
  plot_->set_row_cursor(chosen_ ? chosen_->layer : NAN);
  plot_->request_replot();
}

const SweepCell* SweepPanel::cell_at(double x, double y) const {
  if (!plan_ || !base_) return nullptr;
  const SweepPlace place{static_cast<int>(std::lround(y)), std::llround(x) + first_column()};
  const auto found = std::ranges::find(cells_, place, &SweepCell::place);
  return found == cells_.end() ? nullptr : &*found;
}

void SweepPanel::select_cell(double x, double y) {
  const SweepCell* cell = cell_at(x, y);
  if (cell == nullptr) return;
  chosen_ = cell->place;
  Selection selection = context().selected();
  selection.layer = cell->place.layer;
  if (has_head_columns(plan_->site)) selection.head = static_cast<int>(cell->place.column);
  context().select(selection);
  request_refresh();
}

/// A cell of heads is an edit that What-if can make, too; it then shows the loss of every token.
void SweepPanel::run_as_what_if() {
  if (!chosen_ || !plan_ || !lab_.what_ifs().unavailable().isEmpty()) return;
  const HeadRef head{chosen_->layer, static_cast<int>(chosen_->column)};
  SegmentEdit edit;
  if (removes_reading(plan_->site))
    edit.unread = {{head, part_removed(plan_->site)}};
  else if (plan_->source == SweepSource::Run)
    edit.patched_heads = {head};
  else
    edit.zeroed_heads = {head};
  lab_.what_ifs().ask_run({plan_->segment, {edit}}, edit_text(edit, lab_.run().request().config));
}

QString SweepPanel::text_at(double x, double y) const {
  const SweepCell* cell = cell_at(x, y);
  if (cell == nullptr) return {};
  const SweepCell& before = base_->as_it_was;
  QString text = filled(tr("layer %1, %2\nΔ logit %3\nΔ ln p %4"), cell->place.layer, column_name(cell->place),
                        signed_text(cell->logit_difference() - before.logit_difference(), 3),
                        signed_text(cell->logprob - before.logprob, 3));
  if (plan_->losses)
    text += u'\n' + filled(tr("Δ loss of the segment %1 nats"), signed_text(cell->nll_sum - before.nll_sum, 3));
  return text;
}

QString SweepPanel::csv() const {
  QString text = QStringLiteral("layer,%1,logit_change,logprob_change,loss_change\n")
                     .arg(plan_ && !has_head_columns(plan_->site) ? QStringLiteral("token") : QStringLiteral("head"));
  if (!plan_ || !base_) return text;
  const SweepCell& before = base_->as_it_was;
  const std::int64_t first = has_head_columns(plan_->site) ? 0 : lab_.run().record(plan_->segment).first_token;
  for (const SweepCell& cell : cells_)
    text += filled(QStringLiteral("%1,%2,%3,%4,%5\n"), cell.place.layer, first + cell.place.column,
                   QString::number(cell.logit_difference() - before.logit_difference(), 'g', 9),
                   QString::number(cell.logprob - before.logprob, 'g', 9),
                   plan_->losses ? QString::number(cell.nll_sum - before.nll_sum, 'g', 9) : QString());
  return text;
}

}  // namespace carryover
