// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "engine/core/snapshot.h"

namespace carryover {

/// A colour map or curves with axes, export and linked cursors: hides qcustomplot.h from the panels. GUI thread.
class PlotView : public QWidget {
  Q_OBJECT
 public:
  explicit PlotView(const QString& id, QWidget* parent = nullptr);  ///< id names exported files
  ~PlotView() override;

  const QString& id() const;
  void set_title(const QString& title);
  void set_axes(const QString& x_label, const QString& y_label);  ///< with units

  // Curves.
  int add_curve(const QString& name, const QColor& colour, bool dashed = false, bool filled = false);
  void append(int curve, double x, double y);
  void append(int curve, const std::vector<double>& x, const std::vector<double>& y);
  void clear_curve(int curve);

  // A map: one at a time; NaN cells are left blank. x spans [x0, x1], y spans [y0, y1] (cell edges).
  enum class Gradient { Viridis, Cividis, Categories };
  void set_map(const Map& map, double x0, double x1, double y0, double y1, const QString& value_label, Gradient gradient);
  void set_categories(const std::vector<std::pair<QString, QColor>>& categories);  ///< values 0, 1, 2 … of Categories

  void set_cursor(double x);       ///< vertical line on a buffered layer of its own: cheap. NaN hides it.
  void fit();                      ///< axes to the data
  void request_replot();           ///< queued, collapses bursts

  enum class Format { Png, Pdf, Svg, Csv };
  /// Throws EngineError{Io}. Vector formats are clipped to the axes; `size_mm` is the page's; CSV writes the data.
  void export_to(const QString& path, Format format, const QSizeF& size_mm, int dpi = 300) const;
  void set_provenance(const QString& text);  ///< run id, model hash, command: into PNG text, PDF metadata, CSV header

 Q_SIGNALS:
  void clicked(double x, double y);
  void hovered(double x, double y);

 private:
  struct Private;
  std::unique_ptr<Private> d_;
};

}  // namespace carryover
