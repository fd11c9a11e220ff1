// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_figure.h"

#include <QFileInfo>

#include "app/window/figure_file.h"
#include "engine/core/base/error.h"
#include "engine/experiments/results_view.h"
#include "engine/formats/json_file.h"
#include "widgets/look/qstring.h"
#include "widgets/panels/loss_by_position.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

/// The file of results; empty where there is none.
std::string results_file(const std::string& path) {
  const QFileInfo file(qstring(path));
  if (file.isFile() && file.suffix() == QStringLiteral("json")) return path;
  const std::string within = path + "/results.json";
  return QFileInfo::exists(qstring(within)) ? within : std::string();
}

QString chosen_text(const FigureRequest& request) {
  const std::string text = "Text=";
  for (const std::string& choice : request.choices)
    if (!choice.starts_with(text))
      throw EngineError(Fault::Usage, "--choose", "'" + choice + "' is not a choice of this figure",
                        "Name a text of the experiment: \"Text=Dracula\".");
  return request.choices.empty() ? QString() : qstring(request.choices.back().substr(text.size()));
}

}  // namespace

bool is_experiment(const std::string& path) {
  return !results_file(path).empty();
}

void make_experiment_figure(const FigureRequest& request) {
  if (request.figure != loss_by_position_figure)
    throw EngineError(Fault::Usage, "--figure", "'" + request.figure + "' is not a figure of an experiment",
                      std::string("Use ") + loss_by_position_figure + ".");
  const std::string file = results_file(request.folder);
  PlotView plot(qstring(request.figure));
  plot.resize(1000, 600);
  draw_loss_by_position(plot, results_view(read_json_file(file), file), chosen_text(request));
  write_figure(plot, request);
}

}  // namespace carryover
