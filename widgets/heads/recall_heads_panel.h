// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/heads/choice/recall_order.h"
#include "widgets/heads/recall_heads_table.h"
#include "widgets/lab/panel.h"

class QLabel;
class QPushButton;
class QTableView;

namespace carryover {

class RecallHeadsForm;

/// Shows which heads search well enough to find a needle, and which ones have to read it: a form for the search, the
/// heads found so far, and the button that makes them the settings. It runs nothing itself. GUI thread.
class RecallHeadsPanel : public Panel {
  Q_OBJECT
 public:
  explicit RecallHeadsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  RecallHeadsForm& form() { return *form_; }
  /// Shows the heads found so far; `order` says on what. Empty heads clear the page.
  void show_heads(const RecallHeads& heads, const RecallOrder& order, const QString& provenance);
  const RecallHeads& heads() const { return heads_; }
  /// Writes the settings with these heads, which the grid imports, and what they were found on. Throws EngineError{Io}.
  void write(const QString& path);

 public Q_SLOTS:
  void apply();  ///< the preset for recall with these heads; undoable
  void save();   ///< asks for a file

 protected:
  void refresh() override;
  QString source_folder() override { return {}; }

 private:
  QWidget* build_result();
  QString summary() const;
  SegmentConfig settings();  ///< there must be a model, and readers

  RecallHeadsForm* form_;
  QLabel* summary_;
  QPushButton *apply_, *save_;
  QString provenance_;
  SearchersTable searchers_;
  ReadersTable readers_;
  QTableView *searchers_view_, *readers_view_;
  PlotView* plot_;
  int answered_curve_ = 0, loss_curve_ = 0;
  RecallHeads heads_;
  std::int64_t tokens_ = 0;  ///< of a document
};

}  // namespace carryover
