// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that exports: plots, data, settings, the run, and a report of all of it.
#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <utility>

#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "engine/records/run_data.h"
#include "widgets/panels/lab_report.h"
#include "widgets/panels/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/state/config_files.h"

namespace carryover {

PlotView& MainWindow::plot(const QString& name) {
  QStringList names;
  for (const QString& id : panel_ids()) {
    Panel& shown = *panel(id);
    const auto plots = shown.plots();
    for (PlotView* plot : plots) {
      names += plot->id();
      if (plot->id() != name && (id != name || plot != plots.front())) continue;
      shown.catch_up();
      return *plot;
    }
  }
  throw EngineError(Fault::Usage, name.toStdString(), tr("is no figure").toStdString(),
                    tr("The figures are %1.").arg(names.join(QStringLiteral(", "))).toStdString());
}

void MainWindow::write_plots(const QString& directory) {
  using Format = PlotView::Format;
  if (!QDir().mkpath(directory))
    throw EngineError(Fault::Io, directory.toStdString(), tr("can't be created").toStdString(),
                      tr("Choose a folder that can be written.").toStdString());
  for (const auto& [id, panel] : panels_) {
    panel->catch_up();
    for (PlotView* plot : panel->plots()) {
      if (plot->is_empty()) continue;
      for (const auto& [format, suffix] : {std::pair(Format::Png, "png"),
                                           {Format::Pdf, "pdf"},
                                           {Format::Svg, "svg"},
                                           {Format::Csv, "csv"},
                                           {Format::Npy, "npy"}})
        plot->export_to(QStringLiteral("%1/%2.%3").arg(directory, plot->id(), QLatin1String(suffix)), format,
                        QSizeF(160, 100));
    }
  }
}

void MainWindow::export_plots(const QString& directory) {
  const auto problem = attempt([&] { write_plots(directory); });
  if (problem)
    messages_->show_error(*problem);
  else
    context_.add_note(tr("Plots exported to %1").arg(directory));
}

void MainWindow::write_report(const QString& path) {
  std::vector<PlotView*> plots;
  for (const QString& id : panel_ids()) {
    panel(id)->catch_up();
    for (PlotView* plot : panel(id)->plots())
      if (!plot->is_empty()) plots.push_back(plot);
  }
  write_lab_report(context_, plots, path);
}

void MainWindow::ask_export(const QString& title, const QString& path, const QString& filter,
                            const std::function<void(const QString&)>& write) {
  const QString chosen = QFileDialog::getSaveFileName(this, title, path, filter);
  if (chosen.isEmpty()) return;
  const auto problem = attempt([&] { write(chosen); });
  if (problem)
    messages_->show_error(*problem);
  else
    context_.add_note(tr("Written: %1").arg(chosen));
}

void MainWindow::ask_run() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open the folder of a run"));
  if (!folder.isEmpty()) controller_.open_run(folder);
}

QMenu* MainWindow::build_export_menu() {
  auto* menu = new QMenu(this);
  connect(menu->addAction(tr("All plots (PNG, PDF, SVG, CSV, NumPy)…")), &QAction::triggered, this, [this] {
    const QString directory = QFileDialog::getExistingDirectory(this, tr("Folder for the plots"));
    if (!directory.isEmpty()) export_plots(directory);
  });
  QMenu* numbers = menu->addMenu(tr("Data of the run (CSV, NumPy)"));
  for (const auto& [kind, title] : {std::pair("hits", tr("Hits…")), std::pair("nll", tr("Loss by token…")),
                                    std::pair("segments", tr("Segments…")), std::pair("carry_maps", tr("Carry maps…"))})
    connect(numbers->addAction(title), &QAction::triggered, this, [this, kind = std::string(kind)] {
      ask_export(tr("Export data"), QString::fromStdString(kind + ".csv"), tr("CSV (*.csv);;NumPy (*.npy)"),
                 [&](const QString& path) { write_run_data(controller_.run_contents(), kind, path.toStdString()); });
    });
  connect(menu->addAction(tr("Report (HTML, PDF)…")), &QAction::triggered, this, [this] {
    ask_export(tr("Report"), QStringLiteral("report.html"), tr("HTML (*.html);;PDF (*.pdf)"),
               [this](const QString& path) { write_report(path); });
  });
  menu->addSeparator();
  connect(menu->addAction(tr("Settings as JSON…")), &QAction::triggered, this,
          [this] { export_config(context_, this); });
  connect(menu->addAction(tr("Grouping as JSON…")), &QAction::triggered, this,
          [this] { export_grouping(context_, this); });
  connect(menu->addAction(tr("Import settings or grouping…")), &QAction::triggered, this,
          [this] { import_config(context_, this); });
  menu->addSeparator();
  save_ = menu->addAction(tr("Save the run as a folder…"));
  connect(save_, &QAction::triggered, this, [this] {
    const QString directory = QFileDialog::getSaveFileName(this, tr("New folder for the run"), QStringLiteral("run"));
    if (!directory.isEmpty()) controller_.save_run(directory);
  });
  menu->addSeparator();
  connect(menu, &QMenu::aboutToShow, this, [this, menu, filled = false]() mutable {
    if (std::exchange(filled, true)) return;
    for (const auto& [id, dock] : docks_) menu->addAction(dock->toggleViewAction());
  });
  return menu;
}

}  // namespace carryover
