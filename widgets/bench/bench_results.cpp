// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bench/bench_results.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/page_parts.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr int most_gap_lines = 4;  ///< more are scrolled

QString machine_text(const BenchReport& bench) {
  QStringList programs;
  for (const std::string& program : bench.programs) programs += qstring(program);
  programs += qstring(bench.libraries);
  QString said = filled(BenchResults::tr("%1, %2 on %3, %4 threads of %5 cores · %6"), qstring(bench.model),
                        qstring(bench.dtype), qstring(bench.device), static_cast<qlonglong>(bench.threads),
                        static_cast<qlonglong>(bench.cores), qstring(bench.gpu.empty() ? bench.processor : bench.gpu));
  said += u'\n' + programs.join(QStringLiteral(" · "));
  said += u'\n' +
          filled(BenchResults::tr("Shares are relative to %1 GFLOP/s (fastest matmul) and %2 GB/s (memory bandwidth)"),
                 decimal_text(bench.best_flops_per_second * 1e-9, 1), decimal_text(bench.bytes_per_second * 1e-9, 1));
  return said;
}

QString gaps_text(const BenchReport& bench) {
  QStringList lines;
  if (bench.interrupted) lines += BenchResults::tr("Stopped: the rest was not measured");
  for (const BenchGap& gap : bench.not_measured)
    lines += BenchResults::tr("Not measured: %1, %2: %3").arg(qstring(gap.what), qstring(gap.who), qstring(gap.why));
  return lines.join(u'\n');
}

}  // namespace

BenchResults::BenchResults(QWidget* parent)
    : QWidget(parent),
      where_(new QLabel(this)),
      view_(new QTableView(this)),
      gaps_(new QPlainTextEdit(this)),
      plot_bar_(new QHBoxLayout),
      plot_row_(new QHBoxLayout) {
  where_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  where_->setTextFormat(Qt::PlainText);
  where_->setWordWrap(true);
  where_->setText(tr("Nothing has been measured yet. Start measures, and Open shows an earlier bench."));
  sorted_.setSourceModel(&rows_);
  prepare_table(*view_, tr("Measurements"));
  view_->setModel(&sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(-1, Qt::AscendingOrder);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(BenchTable::Who, QHeaderView::Stretch);
  add_copy_actions(*view_);
  gaps_->setReadOnly(true);
  gaps_->setFrameShape(QFrame::NoFrame);
  gaps_->setTabChangesFocus(true);
  gaps_->setLineWrapMode(QPlainTextEdit::NoWrap);
  gaps_->document()->setDocumentMargin(0);
  gaps_->setAccessibleName(tr("What was not measured"));
  gaps_->viewport()->setAutoFillBackground(false);
  gaps_->hide();
  build_plot_bar();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(where_);
  layout->addWidget(view_, 3);
  layout->addWidget(gaps_);
  layout->addLayout(plot_bar_);
  layout->addLayout(plot_row_, 4);
  draw();
}

void BenchResults::build_plot_bar() {
  kind_ = new QComboBox(this);
  for (const BenchKind kind : bench_kinds) kind_->addItem(bench_kind_title(kind));
  kind_->setAccessibleName(tr("Work shown in the plot"));
  across_ = new QComboBox(this);
  across_->addItems({tr("Memory by length"), tr("Memory by time")});
  across_->setAccessibleName(tr("Horizontal axis of the memory plot"));
  plot_bar_->addWidget(kind_);
  plot_bar_->addStretch(1);
  plot_bar_->addWidget(across_);
  for (QComboBox* box : {kind_, across_}) connect(box, &QComboBox::currentIndexChanged, this, &BenchResults::draw);
}

void BenchResults::show_report(const BenchReport& report, const QString& folder) {
  report_ = report;
  folder_ = folder;
  rows_.set_rows(report.measurements);
  where_->setText(machine_text(report));
  gaps_->setPlainText(gaps_text(report));
  const int lines = std::min(most_gap_lines, gaps_->blockCount());
  gaps_->setFixedHeight(lines * gaps_->fontMetrics().lineSpacing() + 4);
  gaps_->setVisible(!gaps_->toPlainText().isEmpty());
  const auto drawn = [&](const BenchMeasurement& row) { return static_cast<int>(row.kind) == kind_->currentIndex(); };
  if (!report.measurements.empty() && std::none_of(report.measurements.begin(), report.measurements.end(), drawn))
    kind_->setCurrentIndex(static_cast<int>(report.measurements.front().kind));
  draw();
}

// New ones, because a plot keeps every curve that it ever had, for its legend and its CSV.
void BenchResults::draw() {
  for (PlotView* plot : plots_) delete plot;
  plots_.clear();
  const BenchKind kind = bench_kinds[kind_->currentIndex()];
  const BenchPlot memory = across_->currentIndex() == 0 ? BenchPlot::MemoryByTokens : BenchPlot::MemoryByTime;
  for (const BenchPlot what : {BenchPlot::TimeByTokens, memory}) {
    const BenchFigure figure{kind, what};
    auto* plot = new PlotView(bench_figure_name(figure), this);
    draw_bench(*plot, report_, figure);
    if (!folder_.isEmpty())
      plot->set_remake([folder = folder_, name = plot->id()] {
        return QStringList{QStringLiteral("carryover"), QStringLiteral("export"), folder, QStringLiteral("--figure"),
                           name};
      });
    plot_row_->addWidget(plot, 1);
    QMetaObject::invokeMethod(plot, &PlotView::request_replot,
                              Qt::QueuedConnection);  // at the size that it has by then
    plots_.push_back(plot);
  }
}

QString BenchResults::said() const {
  return where_->text() + u'\n' + gaps_->toPlainText();
}

}  // namespace carryover
