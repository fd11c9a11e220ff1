// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDateTime>
#include <deque>

#include "widgets/lab/panel.h"

class QComboBox;
class QPlainTextEdit;

namespace carryover {

enum class LogLevel { Info, Warning, Error };

/// The log of what the program did and met, a line each with its time. The newest ten thousand lines are kept.
class LogPanel : public Panel {
  Q_OBJECT
 public:
  explicit LogPanel(LabContext& context, QWidget* parent = nullptr);
  QString text() const;  ///< all kept lines, whatever the filter shows

 public Q_SLOTS:
  void append_line(carryover::LogLevel level, const QString& text);

 protected:
  void refresh() override;
  void changeEvent(QEvent* event) override;

 private:
  struct Line {
    QDateTime time;
    LogLevel level;
    QString text;
  };
  static QString format(const Line& line);
  void show_line(const Line& line);
  void save();

  std::deque<Line> lines_;
  std::size_t shown_ = 0;  ///< of lines_, from the start, already in the view
  QComboBox* least_level_;
  QPlainTextEdit* view_;
};

}  // namespace carryover
