// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/panel.h"
#include "widgets/text/passages_table.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableView;
class QTextBrowser;

namespace carryover {

/// A question about the text that was run, or that a document's state stands behind: the answer as it is generated and,
/// where the policy retrieves, the same with that switched off and the passages that the question retrieved. GUI
/// thread.
class AskPanel : public Panel {
  Q_OBJECT
 public:
  explicit AskPanel(LabContext& context, QWidget* parent = nullptr);

 protected:
  void refresh() override;

 private:
  void ask();
  void ask_again(bool remove);  ///< without the chosen passage, or with it alone
  void show_passages();
  void show_buttons();
  void show_progress();
  void select_passage(int row);
  QString answers_to(const Question& question, bool done) const;
  QString probabilities() const;
  bool fits(const HeadHits& hits) const;
  /// The last question, if it was asked of what the next one will be; else null.
  const Question* current() const;

  LabContext& lab_;
  QLineEdit* question_;
  QPushButton* ask_;
  QLabel *why_not_, *probability_;
  QProgressBar* progress_;
  QPushButton *remove_, *only_;
  QTextBrowser* answers_;
  QTableView* view_;
  PassagesTable table_;
};

}  // namespace carryover
