// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_figure.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <functional>
#include <map>

#include "app/window/figure_file.h"
#include "engine/core/base/error.h"
#include "engine/experiments/results_view.h"
#include "engine/formats/json_file.h"
#include "widgets/look/qstring.h"
#include "widgets/panels/compared_losses.h"
#include "widgets/panels/loss_by_position.h"
#include "widgets/panels/perplexity_frontier.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

struct ExperimentFigure {
  Q_DECLARE_TR_FUNCTIONS(ExperimentFigure)
};

/// The file of results; empty where there is none.
std::string results_file(const std::string& path) {
  const QFileInfo file(qstring(path));
  if (file.isFile() && file.suffix() == QStringLiteral("json")) return path;
  const std::string within = path + "/results.json";
  return QFileInfo::exists(qstring(within)) ? within : std::string();
}

/// What --choose says, by switch, in its order.
using Choices = std::map<std::string, std::vector<std::string>>;

struct Figure {
  const char* name;
  std::vector<std::string> switches;
  const char* example;  ///< of a choice
  void (*draw)(PlotView& plot, const ResultsView& results, const Choices& choices);
};

std::vector<std::string> chosen(const Choices& choices, const char* name) {
  const auto found = choices.find(name);
  return found == choices.end() ? std::vector<std::string>() : found->second;
}

/// The names whose title or name each choice is; a choice that is neither is refused.
template <class Named>
std::vector<std::string> chosen_names(const Choices& choices, const char* what, const std::vector<Named>& all,
                                      const std::function<std::pair<std::string, std::string>(const Named&)>& names) {
  std::vector<std::string> found;
  for (const std::string& wanted : chosen(choices, what)) {
    std::string known;
    const std::size_t before = found.size();
    for (const Named& one : all) {
      const auto& [name, title] = names(one);
      if (wanted == name || wanted == title) found.push_back(name);
      known += (known.empty() ? "" : "; ") + title;
    }
    if (found.size() == before)
      throw EngineError(Fault::Usage, what, "'" + wanted + "' is not one of the experiment's",
                        known.empty() ? "It has none." : "Use one of: " + known + ".");
  }
  return found;
}

void draw_position(PlotView& plot, const ResultsView& results, const Choices& choices) {
  const std::vector<std::string> texts = chosen(choices, "Text");
  draw_loss_by_position(plot, results, texts.empty() ? QString() : qstring(texts.back()));
}

std::int64_t chosen_length(const ResultsView& results, const Choices& choices) {
  const std::vector<std::string> lengths = chosen(choices, "Length");
  if (lengths.empty()) return results.common_length(results.models.empty() ? "" : results.models.front().name);
  std::string known;
  for (const std::int64_t length : results.lengths) {
    if (std::to_string(length) == lengths.back()) return length;
    known += (known.empty() ? "" : ", ") + std::to_string(length);
  }
  throw EngineError(Fault::Usage, "Length", "'" + lengths.back() + "' is not a length of the experiment",
                    "Use one of " + known + ".");
}

void draw_frontier(PlotView& plot, const ResultsView& results, const Choices& choices) {
  using Name = ResultsView::Name;
  PerplexityFrontier(plot).draw(results, chosen_length(results, choices),
                                chosen_names<Name>(choices, "Recipe", results.recipes,
                                                   [](const Name& one) { return std::pair(one.name, one.title); }));
}

void draw_comparisons(PlotView& plot, const ResultsView& results, const Choices& choices) {
  using Comparison = ResultsView::Comparison;
  ComparedLosses(plot).draw(
      results, chosen_names<Comparison>(choices, "Comparison", results.comparisons,
                                        [](const Comparison& one) { return std::pair(one.title, one.title); }));
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = {
      {"loss-by-position", {"Text"}, "Text=Dracula", &draw_position},
      {"frontier", {"Length", "Recipe"}, "Length=8192", &draw_frontier},
      {"comparisons", {"Comparison"}, "Comparison=TITLE", &draw_comparisons},
  };
  return all;
}

const Figure& figure_of(const std::string& name) {
  std::string known;
  for (const Figure& figure : figures()) {
    if (name == figure.name) return figure;
    known += (known.empty() ? "" : ", ") + std::string(figure.name);
  }
  throw EngineError(Fault::Usage, "--figure", "'" + name + "' is not a figure of an experiment",
                    "Use one of " + known + ".");
}

Choices choices_of(const FigureRequest& request, const Figure& figure) {
  Choices choices;
  for (const std::string& choice : request.choices) {
    const std::size_t equals = choice.find('=');
    const std::string name = choice.substr(0, equals);
    if (equals == std::string::npos || std::ranges::find(figure.switches, name) == figure.switches.end())
      throw EngineError(Fault::Usage, "--choose", "'" + choice + "' is not a choice of the figure " + figure.name,
                        std::string("Write it like \"") + figure.example + "\".");
    choices[name].push_back(choice.substr(equals + 1));
  }
  return choices;
}

QString provenance_of(const ResultsView& results) {
  return ExperimentFigure::tr("Experiment: %1, %2\nMachine: %3\nCommit: %4")
      .arg(qstring(results.experiment), qstring(results.title), qstring(results.processor), qstring(results.commit));
}

}  // namespace

bool is_experiment(const std::string& path) {
  return !results_file(path).empty();
}

void make_experiment_figure(const FigureRequest& request) {
  const Figure& figure = figure_of(request.figure);
  const Choices choices = choices_of(request, figure);
  const std::string file = results_file(request.folder);
  const ResultsView results = results_view(read_json_file(file), file);
  PlotView plot(qstring(request.figure));
  plot.resize(1000, 600);
  figure.draw(plot, results, choices);
  plot.set_provenance(provenance_of(results));
  plot.request_replot();
  write_figure(plot, request);
}

}  // namespace carryover
