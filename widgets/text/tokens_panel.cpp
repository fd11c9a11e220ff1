// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/tokens_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <algorithm>
#include <cmath>

#include "widgets/controls/elided_label.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_export.h"
#include "widgets/runs/state/foil_token.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr std::size_t most_tokens_listed = 1000;  ///< those that nobody would read are left out

}  // namespace

TokensTable::TokensTable(const RunModel& run, QObject* parent) : ColumnTable(parent) {
  using Row = const TokenLoss&;
  const auto nats = [](double loss) { return decimal_text(loss, 3); };
  set_columns({
      numbers(tr("Loss"), tr("−log of the token's probability, in nats"), nats, &TokenLoss::loss),
      figures(tr("Probability"),
              [](Row row) { return probability_text(token_probability(static_cast<float>(row.loss))); })
          .sorted_by([](Row row) { return std::exp(-row.loss); }),
      numbers(
          tr("Δ loss"), tr("Loss minus the loss in the pinned run"),
          [](double change) { return signed_text(change, 3); }, &TokenLoss::change),
      numbers(tr("Segment"), {}, index_text, [&run](Row row) { return run.segment_of_token(row.position); }),
      numbers(tr("Position"), {}, index_text, [](Row row) { return static_cast<double>(row.position); }),
      words(tr("Token"), [&run](Row row) { return quoted_token(run.token_text(row.position)); }),
      words(tr("Text"), tr("Text around the token"), [&run](Row row) { return text_around(run, row.position, 12, 4); })
          .tipped_by_text(),
  });
}

TokensPanel::TokensPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Tokens by loss"), parent),
      lab_(lab),
      table_(lab.run()),
      view_(new QTableView(this)),
      order_(new QComboBox(this)),
      count_(new ElidedLabel(this)) {
  order_->addItems({tr("Highest loss"), tr("Largest rise of loss"), tr("Largest fall of loss")});
  order_->setAccessibleName(tr("Tokens listed"));
  order_->setToolTip(tr("Rise and fall are against the pinned run"));
  count_->setAccessibleName(tr("Number of tokens listed"));
  sorted_.setSourceModel(&table_);
  make_table();
  WrappingBar* bar = control_bar();
  bar->addWidget(order_);
  bar->addWidget(filter_field(sorted_, tr("Filter tokens by text"), this));
  bar->addWidget(count_, 1);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, view_);
  connect(order_, &QComboBox::currentIndexChanged, this, &TokensPanel::restart);
  connect(&lab.run(), &RunModel::reset, this, &TokensPanel::restart);
  for (const auto signal : {&LabContext::range_changed, &LabContext::pinned_run_changed})
    connect(&lab, signal, this, &TokensPanel::restart);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
}

void TokensPanel::make_table() {
  prepare_table(*view_, title());
  view_->setModel(&sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(-1, Qt::AscendingOrder);  // as the order says
  QHeaderView* header = view_->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(TokensTable::Text, QHeaderView::Stretch);
  add_copy_actions(*view_);
  add_export_action(*view_, tr("Export the tokens"), QStringLiteral("tokens.csv"),
                    [this](const QString& path) { export_csv(path); });
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(view_, signal, this, &TokensPanel::go_to);
}

void TokensPanel::restart() {
  first_.clear();
  table_.set_rows({});
  segments_ = 0;
  tokens_ = 0;
  request_refresh();
}

double TokensPanel::key(const TokenLoss& token) const {
  if (order_->currentIndex() == HighestLoss) return token.loss;
  return order_->currentIndex() == LargestRise ? token.change : -token.change;
}

void TokensPanel::collect() {
  const RunModel& run = lab_.run();
  for (; segments_ < run.segment_count(); ++segments_) {
    if (!context().range().contains(segments_)) continue;
    const SegmentRecord& record = run.record(segments_);
    for (std::int64_t at = record.first_token; at < record.first_token + record.length; ++at) {
      const double loss = run.nll_of_token(at);
      const TokenLoss token{at, loss, lab_.comparison() ? lab_.comparison()->loss_change(at) : std::nan("")};
      if (std::isnan(loss) || std::isnan(key(token))) continue;
      first_.push_back(token);
      ++tokens_;
    }
    if (first_.size() > 64 * most_tokens_listed) keep_first();
  }
  keep_first();
}

void TokensPanel::keep_first() {
  const auto earlier = [this](const TokenLoss& a, const TokenLoss& b) {
    return std::pair(-key(a), a.position) < std::pair(-key(b), b.position);
  };
  const auto end = first_.begin() + std::min(std::ssize(first_), static_cast<std::ptrdiff_t>(most_tokens_listed));
  std::partial_sort(first_.begin(), end, first_.end(), earlier);
  first_.erase(end, first_.end());
}

void TokensPanel::refresh() {
  if (segments_ < lab_.run().segment_count()) {
    collect();
    table_.set_rows(first_);
  }
  view_->setColumnHidden(TokensTable::Change, lab_.comparison() == nullptr);
  show_count();
  show_selected();
}

void TokensPanel::show_count() {
  if (lab_.run().segment_count() == 0)
    count_->setText(no_run_text(lab_.run()));
  else if (order_->currentIndex() != HighestLoss && !lab_.comparison())
    count_->setText(tr("Pin a run to compare its losses"));
  else if (first_.empty())
    count_->setText(tr("No token here has a loss"));
  else
    count_->setText(filled(tr("%1 of %2 tokens"), count_text(std::ssize(first_)), count_text(tokens_)));
}

void TokensPanel::show_selected() {
  const auto selected = std::ranges::find(first_, context().selected().token, &TokenLoss::position);
  if (selected == first_.end()) return;
  const QModelIndex row = sorted_.mapFromSource(table_.index(static_cast<int>(selected - first_.begin()), 0));
  if (row.isValid() && !view_->selectionModel()->isRowSelected(row.row())) view_->selectRow(row.row());
}

void TokensPanel::go_to(const QModelIndex& index) {
  context().select_token(table_.rows()[static_cast<std::size_t>(sorted_.mapToSource(index).row())].position);
}

void TokensPanel::export_csv(const QString& path) const {
  write_csv(path, table_text(sorted_, {}, QLatin1Char(',')), {title(), run_provenance(lab_.run())});
}

}  // namespace carryover
