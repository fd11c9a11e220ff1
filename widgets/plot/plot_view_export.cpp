// SPDX-License-Identifier: GPL-3.0-or-later
// The part of PlotView that makes figures and data of it.
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/npy.h"
#include "engine/runs/records/run_command.h"
#include "widgets/plot/plot_export.h"
#include "widgets/plot/plot_scene.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

/// The scene as a figure has it, for as long as this lives: light, in the figure's text and lines, and without the
/// window's cursor.
class PrintLook {
 public:
  PrintLook(PlotScene& scene, const QSizeF& size_mm, const FigureStyle& style) : d_(scene) {
    constexpr int any_height = std::numeric_limits<int>::max();  // a figure shows all that it has
    constexpr int rest = 70;                                     // title, legend and axis around the plotting area
    d_.titled = style.titled;
    d_.style(figure_theme(style));
    d_.cursor_layer->setVisible(false);
    d_.arrange(layout_pixels(size_mm.width()), any_height);
    d_.set_y_ticks(layout_pixels(size_mm.height()) - rest);
  }
  ~PrintLook() {
    d_.titled = true;
    d_.style(current_theme());
    d_.cursor_layer->setVisible(true);
    d_.arrange(d_.plot->width(), d_.plot->height());
    d_.plot->replot(QCustomPlot::rpQueuedReplot);
  }
  PrintLook(const PrintLook&) = delete;
  PrintLook& operator=(const PrintLook&) = delete;

 private:
  PlotScene& d_;
};

nlohmann::json axis(const QString& label, double first, double last) {
  return {{"label", label.toStdString()}, {"from", first}, {"to", last}};
}

void write_array(const PlotScene& scene, const QString& path, const FigureInfo& info) {
  nlohmann::json about{{"title", info.title.toStdString()}, {"provenance", info.provenance.toStdString()}};
  if (scene.map->has_data()) {
    const Map& map = scene.map->data();
    const QRectF edges = scene.map->bounds();
    about["rows"] = axis(scene.y_label, edges.top(), edges.bottom());
    about["columns"] = axis(scene.x_label, edges.left(), edges.right());
    about["value"] = scene.map->value_label().toStdString();
    return write_npy(path.toStdString(), npy_array(std::span<const float>(map.values), {map.rows, map.columns}), about);
  }
  std::int64_t rows = 0;
  const std::vector<double> values = scene.curves->table(rows);
  about["columns"] = nlohmann::json::array({scene.x_label.toStdString()});
  for (const QString& name : scene.curves->names()) about["columns"].push_back(name.toStdString());
  write_npy(path.toStdString(), npy_array(std::span<const double>(values), {rows, scene.curves->count() + 1}), about);
}

}  // namespace

PlotView::Format PlotView::format_of(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  for (const auto& [name, format] : {std::pair("png", Format::Png),
                                     {"pdf", Format::Pdf},
                                     {"svg", Format::Svg},
                                     {"csv", Format::Csv},
                                     {"npy", Format::Npy}})
    if (suffix == QLatin1String(name)) return format;
  throw EngineError(Fault::Usage, path.toStdString(), tr("has a suffix that is not supported").toStdString(),
                    tr("Use .pdf, .svg, .png, .csv or .npy.").toStdString());
}

FigureInfo PlotView::figure_info(const QString& path, Format format, const QSizeF& size_mm, int dpi,
                                 const FigureStyle& style) const {
  FigureInfo info{d_->title.isEmpty() ? d_->id : d_->title, d_->provenance};
  QStringList words = d_->remake ? d_->remake() : QStringList();
  if (words.isEmpty()) return info;
  if (!following()) {
    const QRectF range = view();
    const auto number = [](double value) { return QString::number(value, 'g', 9); };
    words += QStringLiteral("--view=%1,%2,%3,%4")
                 .arg(number(range.left()), number(range.right()), number(range.top()), number(range.bottom()));
  }
  const bool picture = format != Format::Csv && format != Format::Npy;
  if (picture) words += {QStringLiteral("--size"), figure_size_text(size_mm), QStringLiteral("--style"), style.name};
  if (format == Format::Png) words += {QStringLiteral("--dpi"), QString::number(dpi)};
  words += {QStringLiteral("-o"), QFileInfo(path).fileName()};
  std::vector<std::string> command;
  for (const QString& word : words) command.push_back(word.toStdString());
  info.provenance += QStringLiteral("\nremade by: ") + QString::fromStdString(shell_command(command));
  return info;
}

void PlotView::export_to(const QString& path, Format format, const QSizeF& size_mm, int dpi,
                         const FigureStyle& style) const {
  if (is_empty())
    throw EngineError(Fault::Usage, path.toStdString(),
                      tr("the plot “%1” is empty").arg(d_->title.isEmpty() ? d_->id : d_->title).toStdString(),
                      (d_->empty->text().isEmpty() ? tr("run a text first") : d_->empty->text()).toStdString());
  const FigureInfo info = figure_info(path, format, size_mm, dpi, style);
  if (format == Format::Npy) return write_array(*d_, path, info);
  if (format == Format::Csv) {
    const QString rows = d_->csv_source        ? d_->csv_source()
                         : d_->map->has_data() ? d_->map->csv(d_->x_label, d_->y_label)
                                               : d_->curves->csv(d_->x_label);
    return write_csv(path, rows, info);
  }
  const PrintLook look(*d_, size_mm, style);
  if (d_->following) d_->apply_fit();
  if (format == Format::Png) return write_png(*d_->plot, path, size_mm, dpi, info);
  if (format == Format::Pdf) return write_pdf(*d_->plot, path, size_mm, info);
  write_svg(*d_->plot, path, size_mm, info);
}

}  // namespace carryover
