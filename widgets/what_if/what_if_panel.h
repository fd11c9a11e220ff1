// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>

#include "widgets/lab/panel.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTabWidget;

namespace carryover {

class AblationView;
class EditForm;
class FoilField;
class WhatIfDelta;
class WhatIfList;

/// Changes something in the selected segment and runs it again: the form, its price, and what came of it. GUI thread.
class WhatIfPanel : public Panel {
  Q_OBJECT
 public:
  explicit WhatIfPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  /// Runs the draft on the selected segment.
  void run();

 protected:
  void refresh() override;
  QString source_folder() override { return {}; }  // no command makes its figure: a run's folder has no what-ifs

 private:
  QWidget* make_head();
  QTabWidget* make_results();
  void ask_price();
  void show_price();
  void show_prediction();
  void show_state();
  QString problem() const;  ///< why the form or the foil is not as typed; empty: it is

  LabContext& lab_;
  QLabel *segment_, *price_, *prediction_;
  FoilField* foil_;
  EditForm* form_;
  QLineEdit* name_;
  QPushButton *run_, *cancel_, *clear_;
  QProgressBar* progress_;
  QTabWidget* tabs_;
  WhatIfDelta* delta_;
  WhatIfList* list_;
  AblationView* ablation_;
  QTimer price_timer_;  ///< a form that is being filled in is priced once it rests
};

}  // namespace carryover
