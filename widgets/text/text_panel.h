// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;

namespace carryover {

class TextSearch;
class TextSources;
class TokenView;

/// The text with the selected segment, its hits and the tail carried into it marked; search on top. GUI thread.
class TextPanel : public Panel {
  Q_OBJECT
 public:
  TextPanel(LabContext& context, QWidget* parent = nullptr);

 Q_SIGNALS:
  void why_wanted();  ///< why the selected token was predicted

 protected:
  void refresh() override;
  void unseen() override;

 private:
  void build_bar(QWidget* bar);
  void connect_bar();
  void say_of_search(const QString& text);
  void choose_colour();
  void choose_sources();
  void offer_loss_changes();  ///< as colours: against the pinned run, and of the shown what-if
  void offer_colour(int index, bool offered);
  float loss_change(std::int64_t token);  ///< of the chosen colour; nats, NaN where there is none
  void show_menu(const QPoint& global_position);
  void offer_what_ifs(QMenu& menu, const TokenRange& range, const QString& what);
  void offer_slots(QMenu& menu, const TokenRange& range, const QString& what);
  QString slot_obstacle(const TokenRange& range);  ///< why the selected head can't be made to read it, or empty
  void choose_token(std::int64_t token);
  void take_token(std::int64_t token);  ///< for a menu
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
  TextSources* sources_;
};

}  // namespace carryover
