// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/panel_registry.h"

#include <QCoreApplication>
#include <QDataStream>
#include <QIODevice>

#include "widgets/campaigns/evaluations_panel.h"
#include "widgets/campaigns/experiments_panel.h"
#include "widgets/campaigns/prompts_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/heads/head_discovery_panel.h"
#include "widgets/heads/head_grid_panel.h"
#include "widgets/heads/recall_heads_panel.h"
#include "widgets/inspection/attention_panel.h"
#include "widgets/inspection/attribution_panel.h"
#include "widgets/inspection/carry_panel.h"
#include "widgets/inspection/hits_panel.h"
#include "widgets/inspection/prefix_panel.h"
#include "widgets/inspection/recall_panel.h"
#include "widgets/inspection/retrieval_map_panel.h"
#include "widgets/inspection/sinks_panel.h"
#include "widgets/panels/log_panel.h"
#include "widgets/runs/config_panel.h"
#include "widgets/runs/distance_panel.h"
#include "widgets/runs/loss_panel.h"
#include "widgets/runs/memory_panel.h"
#include "widgets/runs/runs_panel.h"
#include "widgets/runs/time_panel.h"
#include "widgets/text/ask_panel.h"
#include "widgets/text/notes_panel.h"
#include "widgets/text/passages_panel.h"
#include "widgets/text/text_panel.h"
#include "widgets/training/audit_panel.h"
#include "widgets/training/reach_panel.h"
#include "widgets/training/training_panel.h"
#include "widgets/training/training_runs_panel.h"
#include "widgets/what_if/what_if_panel.h"

namespace carryover {
namespace {

template <typename T>
PanelEntry row(const char* id, const char* title, PanelArea area, PanelGroup group = PanelGroup::Inspect) {
  return {QString::fromLatin1(id), QCoreApplication::translate("PanelRegistry", title), area, group,
          [](LabContext& context, QWidget* parent) -> Panel* { return new T(context, parent); }};
}

/// Ids of earlier versions, and those of today.
const std::vector<std::pair<QString, QString>>& former_ids() {
  static const std::vector<std::pair<QString, QString>> ids = {
      {QStringLiteral("misses"), QStringLiteral("retrieval_recall")}};
  return ids;
}

/// Returns a dock's name as QMainWindow::saveState() writes it.
QByteArray streamed(const QString& text) {
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream << text;
  return bytes;
}

}  // namespace

// The first panel of an area is the tab in front.
const std::vector<PanelEntry>& panel_registry() {
  static const std::vector<PanelEntry> rows = {
      row<HeadGridPanel>("grid", QT_TRANSLATE_NOOP("PanelRegistry", "Heads × layers"), PanelArea::Left),
      row<RunsPanel>("runs", QT_TRANSLATE_NOOP("PanelRegistry", "Runs"), PanelArea::Left),
      row<TextPanel>("text", QT_TRANSLATE_NOOP("PanelRegistry", "Text"), PanelArea::Centre),
      row<RetrievalMapPanel>("retrieval_map", QT_TRANSLATE_NOOP("PanelRegistry", "Retrieval map"), PanelArea::Centre),
      row<PrefixPanel>("prefix", QT_TRANSLATE_NOOP("PanelRegistry", "Prefix"), PanelArea::Centre),
      row<AttentionPanel>("attention", QT_TRANSLATE_NOOP("PanelRegistry", "Attention"), PanelArea::Centre),
      row<CarryPanel>("carry", QT_TRANSLATE_NOOP("PanelRegistry", "Carried tail"), PanelArea::Centre),
      row<SinksPanel>("sinks", QT_TRANSLATE_NOOP("PanelRegistry", "Sinks"), PanelArea::Centre),
      row<HeadDiscoveryPanel>("head_discovery", QT_TRANSLATE_NOOP("PanelRegistry", "Head scores"), PanelArea::Centre,
                              PanelGroup::Measure),
      row<RecallHeadsPanel>("recall_heads", QT_TRANSLATE_NOOP("PanelRegistry", "Find heads"), PanelArea::Centre,
                            PanelGroup::Measure),
      row<ComparePanel>("compare", QT_TRANSLATE_NOOP("PanelRegistry", "Compare"), PanelArea::Centre),
      row<HitsPanel>("hits", QT_TRANSLATE_NOOP("PanelRegistry", "Hits"), PanelArea::Right),
      row<PassagesPanel>("passages", QT_TRANSLATE_NOOP("PanelRegistry", "Retrieved passages"), PanelArea::Right),
      row<WhatIfPanel>("what_if", QT_TRANSLATE_NOOP("PanelRegistry", "What-if"), PanelArea::Right),
      row<ConfigPanel>("config", QT_TRANSLATE_NOOP("PanelRegistry", "Settings"), PanelArea::Right),
      row<LossPanel>("loss", QT_TRANSLATE_NOOP("PanelRegistry", "Loss"), PanelArea::Bottom),
      row<AskPanel>("ask", QT_TRANSLATE_NOOP("PanelRegistry", "Ask"), PanelArea::Bottom),
      row<MemoryPanel>("memory", QT_TRANSLATE_NOOP("PanelRegistry", "Memory"), PanelArea::Bottom),
      row<TimePanel>("time", QT_TRANSLATE_NOOP("PanelRegistry", "Time"), PanelArea::Bottom),
      row<DistancePanel>("distances", QT_TRANSLATE_NOOP("PanelRegistry", "Hit distances"), PanelArea::Bottom),
      row<RecallPanel>("retrieval_recall", QT_TRANSLATE_NOOP("PanelRegistry", "Retrieval recall"), PanelArea::Bottom),
      row<AttributionPanel>("attribution", QT_TRANSLATE_NOOP("PanelRegistry", "Direct logit attribution"),
                            PanelArea::Bottom),
      row<TrainingPanel>("training", QT_TRANSLATE_NOOP("PanelRegistry", "Training"), PanelArea::Bottom,
                         PanelGroup::Train),
      row<ReachPanel>("reach", QT_TRANSLATE_NOOP("PanelRegistry", "Gradient reach"), PanelArea::Bottom,
                      PanelGroup::Train),
      row<TrainingRunsPanel>("training_runs", QT_TRANSLATE_NOOP("PanelRegistry", "Training runs"), PanelArea::Bottom,
                             PanelGroup::Train),
      row<ExperimentsPanel>("experiments", QT_TRANSLATE_NOOP("PanelRegistry", "Experiments"), PanelArea::Bottom,
                            PanelGroup::Measure),
      row<EvaluationsPanel>("evaluations", QT_TRANSLATE_NOOP("PanelRegistry", "Evaluations"), PanelArea::Bottom,
                            PanelGroup::Measure),
      row<PromptsPanel>("prompts", QT_TRANSLATE_NOOP("PanelRegistry", "Prompt sets"), PanelArea::Bottom,
                        PanelGroup::Measure),
      row<AuditPanel>("audit", QT_TRANSLATE_NOOP("PanelRegistry", "Audit"), PanelArea::Bottom, PanelGroup::Measure),
      row<LogPanel>("log", QT_TRANSLATE_NOOP("PanelRegistry", "Log"), PanelArea::Bottom),
      row<NotesPanel>("notes", QT_TRANSLATE_NOOP("PanelRegistry", "Notes"), PanelArea::Bottom),
  };
  return rows;
}

QString current_panel_id(const QString& id) {
  for (const auto& [former, current] : former_ids())
    if (id == former) return current;
  return id;
}

QByteArray with_current_panel_ids(QByteArray layout) {
  for (const auto& [former, current] : former_ids()) layout.replace(streamed(former), streamed(current));
  return layout;
}

}  // namespace carryover
