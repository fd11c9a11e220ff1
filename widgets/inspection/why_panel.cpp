// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/why_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/runs/values/logit_shares.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/foil_field.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prediction_change.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"
#include "widgets/what_if/state/what_if_result.h"

namespace carryover {
namespace {

constexpr std::int64_t likely_count = 5, share_count = 20;

double largest(const std::vector<LogitShare>& shares) {
  double most = 0;
  for (const LogitShare& share : shares) most = std::max(most, std::abs(share.logit));
  return most;
}

}  // namespace

WhyPanel::WhyPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Why this token?"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("why"), this, [this] { request_refresh(); }),
      ablations_view_(lab, QStringLiteral("why_ablations"), this, [this] { request_refresh(); }),
      foil_(new FoilField(lab, this)),
      says_(new QLabel(this)),
      ablations_say_(new QLabel(this)),
      parts_(tr("Heads and neurons"), tr("Through"), tr("What it adds to the logit directly")),
      sources_(tr("Position"), tr("Token"), tr("What all heads add to the logit by reading it")),
      probabilities_(ShareBars::Probabilities),
      part_bars_(ShareBars::Contributions),
      source_bars_(ShareBars::Contributions),
      likely_view_(add_table(likely_, tr("Likeliest tokens"))),
      lens_view_(add_table(lens_, tr("Logit lens by layer"))),
      parts_view_(add_table(parts_, tr("Heads and neurons that change the logit most"))),
      sources_view_(add_table(sources_, tr("Positions that change the logit most"))),
      lens_plot_(new PlotView(QStringLiteral("logit_lens"), this)) {
  says_->setWordWrap(true);
  says_->setAccessibleName(tr("The prediction"));
  ablations_say_->setWordWrap(true);
  ablations_say_->setMargin(5);
  ablations_say_->setAccessibleName(tr("Where the likeliest tokens are still missing"));
  for (const int column : {LikelyTable::AsItWas, LikelyTable::NoSinks, LikelyTable::NoRetrieved, LikelyTable::NoCarry})
    likely_view_->setItemDelegateForColumn(column, &probabilities_);
  for (const int column : {LensTable::Probability, LensTable::Target, LensTable::CarryTarget})
    lens_view_->setItemDelegateForColumn(column, &probabilities_);
  parts_view_->setItemDelegateForColumn(LogitShareTable::Logit, &part_bars_);
  sources_view_->setItemDelegateForColumn(LogitShareTable::Logit, &source_bars_);
  lens_plot_->set_axes(tr("Layer (−1: embedding)"), tr("Probability"));
  lens_plot_->set_integer_axes(true, false);
  lens_plot_->set_y_range(0, 1);
  lens_plot_->set_csv_source([this] { return lens_csv(); });
  residual_ = lens_plot_->add_curve(tr("target, residual stream"), {[](const Theme& theme) { return theme.accent; }});
  carry_ = lens_plot_->add_curve(tr("target, carry path"), {[](const Theme& theme) { return theme.carry; }});
  against_ = lens_plot_->add_curve(tr("foil, residual stream"), {[](const Theme& theme) { return theme.muted; }, true});
  build_layout();
  connect_rows();
  offer_what_ifs();
  connect(&lab.foil(), &FoilToken::changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
}

QTableView* WhyPanel::add_table(QAbstractItemModel& model, const QString& name) {
  auto* table = new QTableView(this);
  prepare_table(*table, name);
  table->setModel(&model);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  add_copy_actions(*table);
  return table;
}

void WhyPanel::build_layout() {
  WrappingBar* bar = control_bar();
  bar->addWidget(says_, 1);
  bar->addWidget(foil_);
  bar->addWidget(sync_toggle());
  auto* first = new QWidget(this);
  auto* column = new QVBoxLayout(first);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(likely_view_, 1);
  column->addWidget(ablations_say_);
  auto* lens = new QSplitter(Qt::Horizontal, this);
  lens->addWidget(lens_plot_);
  lens->addWidget(lens_view_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  for (QWidget* part : std::initializer_list<QWidget*>{first, lens, parts_view_, sources_view_}) split->addWidget(part);
  lens->setSizes({180, 330});
  split->setSizes({345, 475, 260, 200});
  put_bar_above(this, bar, split);
}

/// A row of a head or neuron selects it; a row of a position selects its token, so that its own prediction is
/// explained.
void WhyPanel::connect_rows() {
  connect(parts_view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const LogitShare& share = parts_.row(index.row());
    if (share.kind == LogitShare::Head) return context().select_head(share.layer, static_cast<int>(share.number));
    Selection selection = context().selected();
    selection.layer = share.layer;
    context().select(selection);
  });
  connect(sources_view_, &QTableView::activated, this,
          [this](const QModelIndex& index) { context().select_token(sources_.row(index.row()).number); });
  connect(lens_view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    Selection selection = context().selected();
    selection.layer = std::max(0, lens_.row(index.row()).layer);
    context().select(selection);
  });
}

void WhyPanel::offer(QTableView* table, const QString& text, const std::function<void(int row, int column)>& action) {
  add_table_action(*table, text, {}, [table, action] {
    if (const QModelIndex index = table->currentIndex(); index.isValid()) action(index.row(), index.column());
  });
}

/// Runs the explained segment again without what a row names, as a what-if, which *What-if* then shows.
void WhyPanel::offer_what_ifs() {
  offer(likely_view_, tr("Run the segment without this column's part"), [this](int, int column) {
    if (column == LikelyTable::NoSinks) run_without(edit_without(PrefixPart::Sinks));
    if (column == LikelyTable::NoRetrieved) run_without(edit_without(PrefixPart::Retrieved));
    if (column == LikelyTable::NoCarry) run_without(edit_without(PrefixPart::Carry));
  });
  offer(parts_view_, tr("Run the segment without this head's output"), [this](int row, int) {
    const LogitShare& share = parts_.row(row);
    if (share.kind != LogitShare::Head) return;
    SegmentEdit edit;
    edit.zeroed_heads = {{share.layer, static_cast<int>(share.number)}};
    run_without(edit);
  });
  offer(sources_view_, tr("Run the segment without this position in any retrieved prefix"), [this](int row, int) {
    const std::int64_t position = sources_.row(row).number;
    SegmentEdit edit;
    if (answer_)
      edit.dropped = slots_at(context().run(), static_cast<int>(answer_->segment), {{position, position + 1}});
    if (!edit.dropped.empty()) run_without(edit);
  });
}

void WhyPanel::run_without(const SegmentEdit& edit) {
  if (!answer_ || !lab_.what_ifs().unavailable().isEmpty()) return;
  lab_.what_ifs().ask_run({static_cast<int>(answer_->segment), {edit}},
                          edit_text(edit, context().run().request().config));
}

void WhyPanel::unseen() {
  view_.forget();
  ablations_view_.forget();
  request_refresh();
}

void WhyPanel::refresh() {
  const RunModel& run = context().run();
  const std::int64_t token = context().selected().token;
  const int segment = run.segment_of_token(token - 1);  // whose outputs predict it
  answer_.reset();
  ablations_.reset();
  lens_plot_->set_provenance(run_provenance(run));
  if (run.segment_count() == 0) return clear(no_run_text(run));
  if (token < 1 || std::isnan(run.nll_of_token(token)) || segment >= run.segment_count())
    return clear(tr("Select a token in the text to see why it was predicted"));
  if (!lab_.foil().problem().isEmpty()) return clear(lab_.foil().problem());
  InspectionParts parts, ablations;
  parts.foil = ablations.foil = lab_.foil().id();
  parts.attribution = parts.lens = parts.sources = ablations.ablations = token - 1 - run.record(segment).first_token;
  parts.neurons = share_count;
  ablations.top = likely_count;
  answer_ = view_.ask(segment, parts);
  ablations_ = ablations_view_.ask(segment, ablations);
  if (!answer_ || !answer_->attribution || !answer_->lens || !answer_->sources) return clear(view_.why_not());
  show_parts(*answer_);
  show_ablations();
}

void WhyPanel::clear(const QString& why) {
  says_->setText(why);
  ablations_say_->hide();
  likely_.set_rows({});
  lens_.set_rows({});
  parts_.set_rows({});
  sources_.set_rows({});
  lens_plot_->clear_curves();
  lens_plot_->set_title({});
  lens_plot_->set_empty_text(QString());
  lens_plot_->request_replot();
}

void WhyPanel::show_parts(const Inspection& seen) {
  says_->setText(summary(seen));
  lens_.set_rows(lens_rows(context().run(), *seen.lens));
  const auto parts = part_shares(*seen.attribution, share_count);
  const auto sources = source_shares(context().run(), *seen.sources, share_count);
  part_bars_.set_full(largest(parts));
  source_bars_.set_full(largest(sources));
  parts_.set_rows(parts);
  sources_.set_rows(sources);
  draw_lens(*seen.lens);
}

void WhyPanel::show_ablations() {
  const bool known = ablations_ && ablations_->ablations;
  ablations_say_->setVisible(!known);
  ablations_say_->setText(ablations_view_.why_not());
  likely_.set_rows(known ? likely_tokens(context().run(), *ablations_->ablations) : std::vector<LikelyToken>());
  for (const int column : {LikelyTable::NoSinks, LikelyTable::NoRetrieved, LikelyTable::NoCarry})
    likely_view_->setColumnHidden(column, likely_.rowCount() > 0 && std::isnan(likely_.number(0, column)));
}

void WhyPanel::draw_lens(const LogitLens& lens) {
  lens_plot_->clear_curves();
  const bool has_foil = answer_->attribution->prediction.foil.has_value();
  const auto probability = [](float logprob) { return std::exp(static_cast<double>(logprob)); };
  for (std::size_t i = 0; i < lens.residual.size(); ++i) {
    const double x = static_cast<double>(i) - 1;
    lens_plot_->append(residual_, x, probability(lens.residual[i].target_logprob));
    if (has_foil) lens_plot_->append(against_, x, probability(lens.residual[i].foil_logprob));
  }
  for (std::size_t i = 0; i < lens.carry.size(); ++i)
    lens_plot_->append(carry_, static_cast<double>(lens.first_carry_layer) + static_cast<double>(i),
                       probability(lens.carry[i].target_logprob));
  lens_plot_->set_curve_visible(against_, has_foil);
  lens_plot_->set_title(tr("Logit lens: %1").arg(quoted_token(id_text(context().run(), lens.target))));
  const Selection& selected = context().selected();
  lens_plot_->set_cursor(selected.layer >= 0 ? selected.layer : NAN);
  lens_plot_->request_replot();
}

QString WhyPanel::summary(const Inspection& seen) const {
  const RunModel& run = lab_.run();
  const std::int64_t token = run.record(static_cast<int>(seen.segment)).first_token + seen.lens->token + 1;
  const Prediction prediction = with_loss(seen.attribution->prediction, run.nll_of_token(token));
  const QString name =
      logit_name(id_text(run, prediction.target), prediction.foil ? id_text(run, *prediction.foil) : QString());
  const auto settled = settled_from(seen.lens->residual);
  const QString when = !settled        ? tr("The target is not the likeliest token after the last layer.")
                       : *settled == 0 ? tr("The target is the likeliest token from the embedding on.")
                                       : tr("The target is the likeliest token from layer %1 on.").arg(*settled - 1);
  return filled(tr("At %1, %2 = %3, probability %4. %5"), token, name,
                decimal_text(static_cast<double>(seen.attribution->logit), 2), probability_text(prediction.probability),
                when);
}

QString WhyPanel::lens_csv() const {
  QString text = QStringLiteral("layer,likeliest_id,likeliest_logprob,rank,target_logprob,foil_logprob,path\n");
  if (!answer_ || !answer_->lens) return text;
  const LogitLens& lens = *answer_->lens;
  const auto add = [&](std::int64_t layer, const LensReading& reading, const QString& path) {
    text +=
        filled(QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n"), layer, reading.top.id,
               QString::number(reading.top.logprob, 'g', 9), reading.rank + 1,
               QString::number(reading.target_logprob, 'g', 9), QString::number(reading.foil_logprob, 'g', 9), path);
  };
  for (std::size_t i = 0; i < lens.residual.size(); ++i)
    add(static_cast<std::int64_t>(i) - 1, lens.residual[i], QStringLiteral("residual"));
  for (std::size_t i = 0; i < lens.carry.size(); ++i)
    add(lens.first_carry_layer + static_cast<std::int64_t>(i), lens.carry[i], QStringLiteral("carry"));
  return text;
}

}  // namespace carryover
