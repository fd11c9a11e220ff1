// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include "widgets/plot/plot_view.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace carryover {

/// Asks for a figure's file, format, style and size, and writes it; says what went wrong in place, without closing.
class ExportDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ExportDialog(PlotView& plot);
  void accept() override;

 private:
  void browse();
  void follow_format();
  void take_size(int index);

  PlotView& plot_;
  QComboBox *format_, *style_, *size_;
  QLineEdit* path_;
  QString replaceable_;  ///< an existing file that the user agreed to replace
  QDoubleSpinBox *width_, *height_;
  QSpinBox* dpi_;
  QLabel* problem_;
};

}  // namespace carryover
