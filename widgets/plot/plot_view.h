// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "engine/runs/values/snapshot.h"
#include "widgets/plot/figure_style.h"

namespace carryover {

struct FigureInfo;
struct PlotScene;

/// Colours are named by their meaning in the theme, so that a plot follows a change of theme by itself.
using ThemeColour = std::function<QColor(const Theme&)>;
ThemeColour series_colour(std::size_t index);  ///< Theme::series, cyclic

struct CurveStyle {
  ThemeColour colour;
  bool dashed = false;
  bool filled = false;
  bool stacked = false;  ///< stands on the visible stacked curves added before it; append to all of them at the same x
  bool points = false;   ///< marks without a line; dashed: hollow ones
  bool strokes = false;  ///< a line without marks, however few its points are
};

/// Frames around cells of a map.
struct OutlineStyle {
  ThemeColour colour;
  bool dashed = false;
  double inset = 0;  ///< from the cell's edges, in shares of the cell, so that frames of one cell don't hide each other
};

/// A colour map or curves with axes, export and linked cursors: hides qcustomplot.h from the panels. Drag pans, the
/// wheel zooms (keys: Shift+arrows, plus and minus), a double click or Home shows everything again; until the first
/// zoom the axes follow the data. GUI thread.
class PlotView : public QWidget {
  Q_OBJECT
 public:
  explicit PlotView(const QString& id, QWidget* parent = nullptr);  ///< id names exported files
  ~PlotView() override;

  const QString& id() const;
  void set_title(const QString& title);                           ///< drawn above the plot, also in figures
  void set_axes(const QString& x_label, const QString& y_label);  ///< with units
  const QString& y_label() const;
  /// An axis at the right with the same values in another unit: what a value of the left one is there.
  void set_second_axis(const QString& label, const std::function<double(double)>& value);
  void set_integer_axes(bool x, bool y);                ///< ticks at whole numbers only
  void set_y_names(const std::vector<QString>& names);  ///< labels for y = 0, 1, 2 … instead of numbers
  void set_x_names(const std::vector<QString>& names);  ///< likewise for x
  void set_y_reversed(bool reversed);                   ///< y grows downwards, as rows are read
  void set_log_y(bool logarithmic);  ///< stacked curves then stand by themselves: a stack has no meaning on a log axis
  void set_empty_text(const QString& text);  ///< shown in place of an empty plot
  bool is_empty() const;

  // Curves.
  int add_curve(const QString& name, const CurveStyle& style);
  void append(int curve, double x, double y);
  void append(int curve, const std::vector<double>& x, const std::vector<double>& y);
  void clear_curve(int curve);
  void clear_curves();  ///< their data, not the curves
  void set_curve_visible(int curve, bool visible);
  void set_curve_name(int curve, const QString& name);  ///< without one it isn't in the legend
  /// The line through all its points as drawn, stacking included. For tests and hover texts.
  std::vector<std::pair<double, double>> drawn_points(int curve) const;

  // A map: one at a time; NaN cells are left blank. x spans [x0, x1], y spans [y0, y1] (cell edges).
  /// Zero is in the middle of Diverging (orange above) and of Contributions (blue above: contribution_colour()).
  enum class Gradient { Viridis, Cividis, Diverging, Contributions, Categories };
  void set_map(const Map& map, double x0, double x1, double y0, double y1, const QString& value_label,
               Gradient gradient);
  void clear_map();
  void set_value_range(double low, double high);  ///< of the colours; NaN: the map's own
  void set_categories(
      const std::vector<std::pair<QString, ThemeColour>>& categories);  ///< values 0, 1, 2 … of Categories
  /// Cells of size 1 that are framed over the map, and named in the legend while there are any.
  int add_outline(const OutlineStyle& style);
  void set_outline(int outline, const QString& name, const std::vector<QPointF>& centres);
  /// The colour that the cell under (x, y) is painted in; invalid where it is blank.
  QColor map_colour(double x, double y) const;

  void set_cursor(double x);      ///< vertical line on a buffered layer of its own: cheap. NaN hides it.
  void set_row_cursor(double y);  ///< horizontal line, likewise
  /// Sets a dashed vertical line, likewise: the reference. Values under the pointer then have Δ to it.
  void set_reference(double x);
  QString values_at(double x) const;      ///< "name: value" of each visible curve, with Δ where there is a reference
  QString y_unit() const;                 ///< of values_at()'s, as the axis names it; empty: none
  void set_extent(const QRectF& extent);  ///< what fit() shows, in place of the data's bounds; a null one undoes that
  /// Sets the range that fit() shows of curves along an axis: from `low` to `high`, and beyond only where data are.
  /// Axes of shares run from 0 to 1. NaN undoes that.
  void set_x_range(double low, double high);
  void set_y_range(double low, double high);
  bool following() const;  ///< nobody has zoomed: the axes follow the data
  void fit();              ///< axes to the data or extent, and following it again
  void zoom_to(double x0, double x1, double y0, double y1);
  QRectF view() const;       ///< visible range; (left, top) is the smallest x and y
  QSize map_pixels() const;  ///< size of the plotting area: a map with more cells than this hides some
  void request_replot();     ///< queued, collapses bursts
  void set_hover_text(std::function<QString(double x, double y)> text);  ///< in place of "name: value" lines

  enum class Format { Png, Pdf, Svg, Csv, Npy };
  static Format format_of(const QString& path);  ///< by its suffix; throws EngineError{Usage}
  /// Throws EngineError{Io}, EngineError{Usage} where there is nothing to export. Vector formats are clipped to the
  /// axes; `size_mm` is the page's; CSV writes the data; .npy the cells of a map as drawn, [rows, columns], or curves,
  /// [points, 1 + curves], x first. Figures are drawn in the light theme. Atomic.
  void export_to(const QString& path, Format format, const QSizeF& size_mm, int dpi = 300,
                 const FigureStyle& style = {}) const;
  void set_provenance(
      const QString& text);  ///< run id, model hash, command: into PNG text, PDF, SVG metadata, CSV header
  const QString& provenance() const;
  /// The words of the command that exports this plot again, up to its size and file; asked for at each export.
  void set_remake(std::function<QStringList()> command);
  /// Rows in place of what is drawn, for CSV, where a plot shows a summary. Header line first.
  void set_csv_source(std::function<QString()> csv);
  QString csv() const;  ///< what it shows as rows with a header

 public Q_SLOTS:
  void open_export_dialog();
  void copy_image();

 Q_SIGNALS:
  void clicked(double x, double y);
  void hovered(double x, double y);
  void left();                          ///< the pointer left the plot
  void stepped(int columns, int rows);  ///< arrow keys; rows > 0 is down
  void view_changed();                  ///< visible range or pixel size
  void exported(const QString& path);   ///< as the user asked in its dialog

 protected:
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  FigureInfo figure_info(const QString& path, Format format, const QSizeF& size_mm, int dpi,
                         const FigureStyle& style) const;
  void move_view(double zoom, double shift);
  void name_for_readers();

  std::unique_ptr<PlotScene> d_;
};

}  // namespace carryover
