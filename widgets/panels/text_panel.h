// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace carryover {

class TextSearch;
class TokenView;

/// The text with the selected segment, its hits and the tail carried into it marked; search on top. GUI thread.
class TextPanel : public Panel {
  Q_OBJECT
 public:
  TextPanel(LabContext& context, QWidget* parent = nullptr);

 protected:
  void refresh() override;

 private:
  void build_bar(QWidget* bar);
  void connect_bar();
  void offer_loss_changes();  ///< as colours: against the pinned run, and of the shown what-if
  void offer_colour(int index, bool offered);
  float loss_change(std::int64_t token);  ///< of the chosen colour; nats, NaN where there is none
  void show_menu(const QPoint& global_position);
  void choose_token(std::int64_t token);
  void search(bool forward);

  LabContext& lab_;
  Selection shown_;  ///< what the view was last scrolled to
  TokenView* view_;
  TextSearch* search_;
  QComboBox* colour_;
  QComboBox* heads_;
  QComboBox* unit_;
  QLineEdit* query_;
  QLabel* found_;
};

}  // namespace carryover
