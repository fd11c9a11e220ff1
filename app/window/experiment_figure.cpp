// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_figure.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <map>

#include "app/window/figure_file.h"
#include "engine/base/error.h"
#include "engine/campaigns/experiments/results_view.h"
#include "engine/formats/json_file.h"
#include "widgets/campaigns/compared_losses_plot.h"
#include "widgets/campaigns/loss_by_position.h"
#include "widgets/campaigns/lost_sinks_plot.h"
#include "widgets/campaigns/perplexity_frontier.h"
#include "widgets/look/qstring.h"
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

/// The values of --choose by switch, in their order.
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

/// Returns the place in `all` of each choice, by its name or title; an unknown choice is refused.
template <typename Named, typename IsNamed>
std::vector<std::size_t> chosen_places(const Choices& choices, const char* what, const std::vector<Named>& all,
                                       const IsNamed& is_named) {
  std::vector<std::size_t> found;
  for (const std::string& wanted : chosen(choices, what)) {
    std::string known;
    const std::size_t before = found.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_named(all[i], wanted)) found.push_back(i);
      known += (known.empty() ? "" : "; ") + all[i].title;
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
  if (lengths.empty()) return results.common_length(results.first_model());
  std::string known;
  for (const std::int64_t length : results.lengths) {
    if (std::to_string(length) == lengths.back()) return length;
    known += (known.empty() ? "" : ", ") + std::to_string(length);
  }
  throw EngineError(Fault::Usage, "Length", "'" + lengths.back() + "' is not a length of the experiment",
                    "Use one of " + known + ".");
}

void draw_frontier(PlotView& plot, const ResultsView& results, const Choices& choices) {
  std::vector<std::string> recipes;
  for (const std::size_t place : chosen_places(choices, "Recipe", results.recipes, [](const auto&one, const auto&name) {
         return one.name == name || one.title == name;
       }))
    recipes.push_back(results.recipes[place].name);
  PerplexityFrontier(plot).draw(results, chosen_length(results, choices), recipes);
}

void draw_comparisons(PlotView& plot, const ResultsView& results, const Choices& choices) {
  const auto places =
      chosen_places(choices, "Comparison", results.comparisons,
                    [](const ResultsView::Comparison& one, const std::string& title) { return one.title == title; });
  ComparedLosses(plot).draw(results, compared_losses(results), places);
}

void draw_sinks(PlotView& plot, const ResultsView& results, const Choices& choices) {
  draw_lost_sinks(plot, results, chosen_length(results, choices));
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = {
      {"loss-by-position", {"Text"}, "Text=Dracula", &draw_position},
      {"frontier", {"Length", "Recipe"}, "Length=8192", &draw_frontier},
      {"comparisons", {"Comparison"}, "Comparison=TITLE", &draw_comparisons},
      {"lost-sinks", {"Length"}, "Length=8192", &draw_sinks},
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
  const ResultsView results = results_view(read_json_file(file, JsonKind::Results), file);
  if (!is_drawable(results))
    throw EngineError(Fault::BadInput, file, "has too many runs or comparisons for a figure",
                      "`carryover experiment --render` has its tables.");
  PlotView plot(qstring(request.figure));
  plot.resize(1000, 600);
  figure.draw(plot, results, choices);
  plot.set_provenance(provenance_of(results));
  plot.request_replot();
  write_figure(plot, request);
}

}  // namespace carryover
