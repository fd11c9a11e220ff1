// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/export_menu.h"

#include <QDir>
#include <QFileDialog>
#include <utility>

#include "app/window/message_bar.h"
#include "app/window/panel_docks.h"
#include "engine/runs/records/run_data.h"
#include "widgets/lab/config_files.h"
#include "widgets/panels/lab_report.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

ExportMenu::ExportMenu(Lab& lab, PanelDocks& docks, MessageBar& messages, QWidget* parent)
    : QMenu(parent), lab_(lab), docks_(docks), messages_(messages) {
  add(this, tr("All plots (PNG, PDF, SVG, CSV, NumPy)…"), [this] {
    const QString directory = QFileDialog::getExistingDirectory(parentWidget(), tr("Folder for the plots"));
    if (!directory.isEmpty()) export_plots(directory);
  });
  QMenu* numbers = addMenu(tr("Data of the run (CSV, NumPy)"));
  for (const auto& [kind, title] :
       {std::pair("hits", tr("Hits…")), std::pair("nll", tr("Loss by token…")), std::pair("segments", tr("Segments…")),
        std::pair("carry_maps", tr("Carry maps…")), std::pair("sinks", tr("Sinks…"))})
    add(numbers, title, [this, kind = std::string(kind)] {
      ask_file(tr("Export data"), QString::fromStdString(kind + ".csv"), tr("CSV (*.csv);;NumPy (*.npy)"),
               [&](const QString& path) { write_run_data(lab_.runs.run_contents(), kind, path.toStdString()); });
    });
  add(this, tr("Report (HTML, PDF)…"), [this] {
    ask_file(tr("Report"), QStringLiteral("report.html"), tr("HTML (*.html);;PDF (*.pdf)"),
             [this](const QString& path) { write_report(path); });
  });
  addSeparator();
  add(this, tr("Settings as JSON…"), [this] { export_config(lab_.context, parentWidget()); });
  add(this, tr("Grouping as JSON…"), [this] { export_grouping(lab_.context, parentWidget()); });
  add(this, tr("Head patterns as MInference's JSON…"), [this] { export_patterns(lab_.context, parentWidget()); });
  add(this, tr("Import settings or grouping…"), [this] { import_config(lab_.context, parentWidget()); });
  add(this, tr("Import head patterns of MInference…"), [this] { import_patterns(lab_.context, parentWidget()); });
  addSeparator();
  QAction* save = add(this, tr("Save the run as a folder…"), [this] {
    const QString directory =
        QFileDialog::getSaveFileName(parentWidget(), tr("New folder for the run"), QStringLiteral("run"));
    if (!directory.isEmpty()) lab_.runs.save_run(directory);
  });
  const auto update = [this, save] { save->setEnabled(lab_.context.run().finished()); };
  connect(&lab.context.run(), &RunModel::reset, save, update);
  connect(&lab.context.run(), &RunModel::ended, save, update);
  update();
}

QAction* ExportMenu::add(QMenu* menu, const QString& text, const std::function<void()>& slot) {
  QAction* action = menu->addAction(text);
  connect(action, &QAction::triggered, this, slot);
  return action;
}

void ExportMenu::write_plots(const QString& directory) {
  using Format = PlotView::Format;
  if (!QDir().mkpath(directory))
    throw EngineError(Fault::Io, directory.toStdString(), tr("can't be created").toStdString(),
                      tr("Choose a folder that can be written.").toStdString());
  for (PlotView* plot : docks_.filled_plots())
    for (const auto& [format, suffix] : {std::pair(Format::Png, "png"),
                                         {Format::Pdf, "pdf"},
                                         {Format::Svg, "svg"},
                                         {Format::Csv, "csv"},
                                         {Format::Npy, "npy"}})
      plot->export_to(QStringLiteral("%1/%2.%3").arg(directory, plot->id(), QLatin1String(suffix)), format,
                      QSizeF(160, 100));
}

void ExportMenu::write_report(const QString& path) {
  write_lab_report(lab_.context, docks_.filled_plots(), path);
}

void ExportMenu::export_plots(const QString& directory) {
  attempt_export([&] { write_plots(directory); }, directory);
}

void ExportMenu::ask_file(const QString& title, const QString& path, const QString& filter,
                          const std::function<void(const QString&)>& write) {
  const QString chosen = QFileDialog::getSaveFileName(parentWidget(), title, path, filter);
  if (!chosen.isEmpty()) attempt_export([&] { write(chosen); }, chosen);
}

void ExportMenu::attempt_export(const std::function<void()>& write, const QString& path) {
  if (const auto problem = attempt(write))
    messages_.show_error(*problem);
  else
    lab_.context.add_written(path);
}

}  // namespace carryover
