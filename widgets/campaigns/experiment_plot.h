// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "widgets/campaigns/compared_losses_plot.h"
#include "widgets/campaigns/perplexity_frontier.h"
#include "widgets/campaigns/state/experiment_model.h"
#include "widgets/plot/plot_view.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QStackedWidget;

namespace carryover {

/// Figures of an experiment: a column of its cells against another, with a point for each cell and a colour for each
/// recipe (for each evaluation if recipes are the axis); perplexity against attention-visible KV; and its comparisons.
/// GUI thread.
class ExperimentPlot : public QWidget {
  Q_OBJECT
 public:
  explicit ExperimentPlot(QWidget* parent = nullptr);
  PlotView& plot() { return *plot_; }
  std::vector<PlotView*> plots() const { return {plot_, frontier_plot_, comparisons_plot_}; }
  /// Draws these rows of the model; no other rows are shown.
  void draw(const ExperimentModel& model, std::vector<int> rows);

 Q_SIGNALS:
  void choice_changed();

 private:
  struct Point;
  QComboBox* add_choice(const QString& name, bool numbers_alone, CellColumn chosen);
  std::vector<Point> points(const ExperimentModel& model, const std::vector<int>& rows) const;
  void add_points(const std::vector<Point>& points, const std::vector<QString>& series);
  QString csv_rows(const ExperimentModel& model) const;
  bool choose_scale(const std::vector<Point>& points);
  void build_bar();
  void show_figure();
  void draw_cells(const ExperimentModel& model, std::vector<int> rows);
  void draw_results(const ExperimentModel& model, const std::vector<int>& rows);
  void fill_choices(const ResultsView* results);
  std::int64_t length_of(const ResultsView& results) const;

  /// The inputs of the figures of results.
  struct Drawn {
    std::shared_ptr<const ExperimentFigures> figures;  ///< null: nothing
    QString folder;
    bool too_much = false;             ///< to draw
    bool any_cell = false;             ///< that the filter leaves
    std::vector<std::string> recipes;  ///< of those cells; none: all
    std::int64_t length = 0;
    int comparison = -1;  ///< place in the results; -1: all
    bool operator==(const Drawn&) const = default;
  };

  enum Figure { Cells, Frontier, Comparisons };
  PlotView *plot_, *frontier_plot_, *comparisons_plot_;
  PerplexityFrontier frontier_;
  ComparedLosses comparisons_;
  QStackedWidget* pages_;
  QComboBox *figure_, *x_ = nullptr, *y_ = nullptr, *length_ = nullptr, *comparison_ = nullptr;
  QLabel* against_ = nullptr;
  QCheckBox* log_ = nullptr;
  std::optional<std::int64_t> wanted_length_;  ///< that somebody chose; else the tables'
  Drawn drawn_results_;
  int curves_ = 0;
  bool drawn_log_ = false;
  std::vector<int> rows_;
  const ExperimentModel* drawn_ = nullptr;
  CellColumn drawn_x_ = CellColumn::Recipe, drawn_y_ = CellColumn::Perplexity;  ///< what points() are of
};

}  // namespace carryover
