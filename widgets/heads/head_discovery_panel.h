// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/error.h"
#include "widgets/heads/proposals_table.h"
#include "widgets/heads/state/head_score_sets.h"
#include "widgets/lab/panel.h"

class QLayout;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;
class QToolButton;

namespace carryover {

class HeadProbeForm;
class HeadScoreMap;

/// Shows which heads retrieve: scores of all heads from probes or from a file, the grouping that they propose beside
/// the presets, and how well two sets of scores agree. It runs nothing itself: it asks by signals, and is told the
/// results. GUI thread.
class HeadDiscoveryPanel : public Panel {
  Q_OBJECT
 public:
  explicit HeadDiscoveryPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  HeadProbeForm& form() { return *form_; }  ///< what to profile; told of the text and of the engine by the window
  void begin();
  void end();  ///< without scores: cancelled, or failed
  void show_profile(const HeadProfile& profile, const QString& provenance);

  const HeadScoreSets& sets() const { return sets_; }
  const HeadScores* scores() const;       ///< that are shown; null where there are none
  Grouping proposal();                    ///< by the scores that are shown, in as many layers and heads as is chosen
  void import_file(const QString& path);  ///< Throws EngineError{BadInput, Io, Usage}; then nothing has changed.
  void export_file(const QString& path);  ///< the scores that are shown. Throws EngineError{Usage, Io}.

 public Q_SLOTS:
  void apply_proposal();  ///< undoable

 Q_SIGNALS:
  void failed(const carryover::EngineError& error);

 protected:
  void refresh() override;
  QString source_folder() override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QLayout* build_bar();
  QWidget* build_result();
  QWidget* build_proposals();
  QToolButton* tool(const QString& icon, const QString& what);
  void adopt_model();
  void forget_profile();
  void list_sets(std::size_t shown);
  void import_all(const QStringList& paths);
  void ask_import();
  void ask_export();
  HeadMeasure measure() const;
  const HeadScoreSet* shown_set() const;
  void show_proposals();
  void show_agreement();

  HeadProbeForm* form_;
  QComboBox *shown_, *measure_, *against_;
  QToolButton* export_;
  HeadScoreMap* map_;
  QWidget *proposals_box_, *sets_box_;
  QTableView* list_;
  QSpinBox *layers_, *heads_;
  QPushButton* apply_;
  QLabel* agreement_;
  ProposalsTable proposals_;
  HeadScoreSets sets_;
};

}  // namespace carryover
