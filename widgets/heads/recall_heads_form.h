// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "engine/heads/choice/recall_order.h"

class QDoubleSpinBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace carryover {

/// The data on which heads for recall are to be found: novels, and the number of documents with needles; the button
/// that starts the search, its progress, and Cancel. It runs nothing itself. GUI thread.
class RecallHeadsForm : public QWidget {
  Q_OBJECT
 public:
  explicit RecallHeadsForm(QWidget* parent = nullptr);

  void set_has_model(bool has_model);
  void set_open_text(const QString& path);   ///< taken where no novels are chosen; empty: none is open, or no file
  void set_engine_busy(const QString& why);  ///< empty: it is free
  void set_texts(const QStringList& paths);  ///< the novels; none: the open text
  void set_unfinished(bool unfinished);      ///< a search for the same was stopped: Start goes on
  void begin();
  void set_progress(double share, const QString& what);
  void end();

  RecallOrder order() const;
  void set_order(const RecallOrder& order);
  QString why_not() const;  ///< empty: a search can start

 public Q_SLOTS:
  void start();  ///< as the button does; nothing where that is not offered

 Q_SIGNALS:
  void order_changed();
  void search_wanted(const carryover::RecallOrder& order);
  void cancel_wanted();

 private:
  void choose_texts();
  void update_offer();

  QPushButton *texts_button_, *start_, *cancel_;
  QSpinBox *documents_, *held_out_, *segments_, *needles_, *searchers_;
  QDoubleSpinBox* rise_;
  QProgressBar* progress_;
  QLabel* status_;  ///< what goes on
  QStringList texts_;
  QString open_text_, busy_;
  bool has_model_ = false, running_ = false, unfinished_ = false;
};

}  // namespace carryover
