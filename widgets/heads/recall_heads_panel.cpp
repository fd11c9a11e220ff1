// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/recall_heads_panel.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "engine/config/recall_preset.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/warning_box.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/heads/recall_heads_form.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr double kMebibyte = 1 << 20;

QTableView* table_of(QAbstractItemModel& model, const QString& name, QWidget* parent) {
  auto* view = new QTableView(parent);
  prepare_table(*view, name);
  view->setModel(&model);
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->horizontalHeader()->setStretchLastSection(true);
  add_copy_actions(*view);
  return view;
}

}  // namespace

RecallHeadsPanel::RecallHeadsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Find heads"), parent), form_(new RecallHeadsForm) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(scrolled(form_, tr("Settings of the search for heads"), this));
  split->addWidget(build_result());
  split->setStretchFactor(1, 1);
  split->setSizes({225, 600});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  connect(&lab, &LabContext::model_changed, this, [this] {
    form_->set_has_model(context().model().has_value());
    show_heads({}, {}, {});
  });
  connect(&lab, &LabContext::weights_changed, this, [this] { show_heads({}, {}, {}); });
  connect(&lab, &LabContext::config_changed, this, &Panel::request_refresh);
  form_->set_has_model(lab.model().has_value());
  request_refresh();
}

std::vector<PlotView*> RecallHeadsPanel::plots() {
  return {plot_};
}

QWidget* RecallHeadsPanel::build_result() {
  auto* page = new QWidget(this);
  summary_ = new QLabel(page);
  summary_->setWordWrap(true);
  summary_->setMargin(6);
  summary_->setAccessibleName(tr("Result of the search for heads"));
  apply_ = new QPushButton(tr("Apply"), page);
  apply_->setToolTip(tr("Applies the preset for recall with these heads to the next run (undo: Ctrl+Z)"));
  connect(apply_, &QPushButton::clicked, this, &RecallHeadsPanel::apply);
  save_ = new QPushButton(tr("Save…"), page);
  save_->setToolTip(tr("Saves these heads and how they were found as a file that Heads × layers imports"));
  connect(save_, &QPushButton::clicked, this, &RecallHeadsPanel::save);
  for (QPushButton* button : {apply_, save_}) button->setEnabled(false);
  searchers_view_ = table_of(searchers_, tr("Searchers"), page);
  readers_view_ = table_of(readers_, tr("Readers"), page);
  connect(searchers_view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const HeadRef head = searchers_.row(index.row()).head;
    context().select_head(head.layer, head.head);
  });
  plot_ = new PlotView(QStringLiteral("recall_heads"), page);
  plot_->set_axes(tr("Pool of a document (MiB)"), tr("Share, and loss in nats"));
  plot_->set_y_range(0, 1);  // the loss may go beyond
  plot_->set_title(tr("Recall against memory"));
  answered_curve_ = plot_->add_curve(tr("answered"), {series_colour(0)});
  loss_curve_ = plot_->add_curve(tr("loss"), {series_colour(1), true});
  auto* tables = new QSplitter(Qt::Vertical, page);
  tables->addWidget(searchers_view_);
  tables->addWidget(readers_view_);
  auto* body = new QSplitter(Qt::Horizontal, page);
  body->addWidget(tables);
  body->addWidget(plot_);
  body->setStretchFactor(0, 1);
  body->setStretchFactor(1, 1);
  body->setSizes({330, 260});
  auto* bar = control_bar();
  bar->addWidget(summary_, 1);
  bar->addWidget(save_);
  bar->addWidget(apply_);
  put_bar_above(page, bar, body);
  return page;
}

void RecallHeadsPanel::show_heads(const RecallHeads& heads, const RecallOrder& order, const QString& provenance) {
  heads_ = heads;
  const bool has_model = context().model().has_value();
  tokens_ = has_model ? order.segments * recall_preset(*context().model(), {}).segment_length : 0;
  searchers_.set_heads(heads_);
  readers_.set_heads(heads_, tokens_);
  plot_->set_provenance(provenance_ = provenance);
  request_refresh();
}

QString RecallHeadsPanel::summary() const {
  if (heads_.searchers.empty())
    return tr(
        "The search inserts needles into novels. It finds the heads whose search retrieves the answers, then the "
        "smallest set of heads that has to read them.");
  const SearcherStep& last = heads_.searchers.back();
  QString text = filled(tr("Found together by %1: %2 % of the answers, %3 % on documents held out."),
                        QString::fromStdString(text_of_heads(heads_.search_heads())),
                        decimal_text(100 * last.found.chosen_by, 1), decimal_text(100 * last.found.held_out, 1));
  if (heads_.readers.empty()) return text;
  const ReaderStep &all = heads_.readers.front(), &fewest = heads_.readers.back();
  text +=
      QLatin1Char(' ') + filled(tr("These readers need %2 of the pool instead of %1; the loss is %3 instead of %4."),
                                bytes_text(all.entry_bytes * tokens_), bytes_text(fewest.entry_bytes * tokens_),
                                decimal_text(fewest.loss, 3), decimal_text(all.loss, 3));
  return heads_.complete ? text : text + QLatin1Char(' ') + tr("The search is not finished.");
}

void RecallHeadsPanel::refresh() {
  summary_->setText(summary());
  for (QPushButton* button : {apply_, save_})
    button->setEnabled(context().model().has_value() && !heads_.readers.empty());
  plot_->clear_curves();
  for (auto step = heads_.readers.rbegin(); step != heads_.readers.rend(); ++step) {  // the pool grows
    const double x = static_cast<double>(step->entry_bytes * tokens_) / kMebibyte;
    plot_->append(answered_curve_, x, step->answered);
    plot_->append(loss_curve_, x, step->loss);
  }
  plot_->set_empty_text(heads_.readers.empty() ? tr("No readers have been measured yet") : QString());
  plot_->request_replot();
}

SegmentConfig RecallHeadsPanel::settings() {
  const ModelConfig& model = *context().model();
  return with_recall_heads(recall_preset(model, SegmentConfig::untrained_defaults_for(model)), heads_);
}

void RecallHeadsPanel::apply() {
  if (!context().model() || heads_.readers.empty()) return;
  context().edit_settings(settings(), kMethodPolicy, tr("heads for recall"));
}

void RecallHeadsPanel::write(const QString& path) {
  nlohmann::json found{{"config", settings()}, {"heads", heads_}};
  for (const QString& line : provenance_.split(u'\n', Qt::SkipEmptyParts))
    found["made_of"].push_back(line.toStdString());
  write_file_atomically(path.toStdString(), json_text(found, 2) + "\n");
}

void RecallHeadsPanel::save() {
  const QString title = tr("Save the heads");
  const QString path = QFileDialog::getSaveFileName(this, title, QStringLiteral("heads.json"), tr("JSON (*.json)"));
  if (path.isEmpty()) return;
  showing_errors(this, title, [&] {
    write(path);
    context().lab().add_written(path);
  });
}

}  // namespace carryover
