// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/panel_support.h"

#include <QHeaderView>
#include <QObject>
#include <QScrollArea>
#include <QTableView>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/io/run_command.h"

namespace carryover {

namespace {

int shown_segment_of(const RunModel& run, const Selection& selected, const SegmentRange& range) {
  const int last = run.segment_count() - 1;
  if (selected.segment >= 0 && selected.segment <= last) return selected.segment;
  return range.is_set() ? std::min(last, range.last) : last;
}

}  // namespace

int shown_segment(LinkedContext& context) {
  return shown_segment_of(context.run(), context.selected(), context.range());
}
int shown_segment(LabContext& context) {
  return shown_segment_of(context.run(), context.selected(), context.range());
}

HeadRef shown_head(LinkedContext& context) {
  int layer = context.selected().layer, head = context.selected().head;
  const Grouping& grouping = context.run().request().config.grouping;
  if (layer < 0 && !grouping.long_range_layers().empty()) layer = grouping.long_range_layers().front();
  if (head < 0 && layer >= 0 && !grouping.long_heads(layer).empty()) head = grouping.long_heads(layer).front();
  return {layer, head};
}

RunDescription describe(const RunModel& run) {
  RunDescription description;
  description.model = run.model();
  description.request = run.request();
  description.id = run.origin().id;
  description.text = run.origin().text;
  description.command_line = run.origin().command_line;
  return description;
}

QString run_provenance(const RunModel& run) {
  return run.is_empty() ? QString() : QString::fromStdString(run_provenance(describe(run)));
}

QString training_provenance(const TrainingModel& run) {
  const std::string folder = run.directory().toStdString();
  const std::string command =
      shell_command({"carryover", "train", "--config", folder + "/config.json", "--output", folder + "-again"});
  return QStringLiteral("training run: %1\nplan: %2\nmade by: %3")
      .arg(run.directory(), QString::fromStdString(plan_json(run.plan()).dump()), QString::fromStdString(command));
}

QString current_training_folder(LabContext& context) {
  const TrainingModel* run = context.training().current();
  return run == nullptr ? QString() : run->directory();
}

QString text_around(const RunModel& run, std::int64_t position, int before, int after) {
  QString text;
  const std::int64_t end = std::min(run.token_count(), position + after + 1);
  for (std::int64_t i = std::max<std::int64_t>(0, position - before); i < end; ++i) {
    const QString token = run.token_text(i);
    text += i == position ? QStringLiteral("⟦%1⟧").arg(token) : token;
  }
  return text.replace(QLatin1Char('\n'), QChar(0x23ce));
}

QString no_run_text() {
  return QObject::tr("No run yet: press Run");
}

QScrollArea* scrolled(QWidget* page, const QString& name, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setWidget(page);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setAccessibleName(name);
  return area;
}

void prepare_table(QTableView& table, const QString& accessible_name) {
  table.setAccessibleName(accessible_name);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.setWordWrap(false);
  table.setFrameShape(QFrame::NoFrame);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 6);
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.horizontalHeader()->setHighlightSections(false);
  table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table.setTabKeyNavigation(false);
}

}  // namespace carryover
