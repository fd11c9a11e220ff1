// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/runs/values/sweep.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace carryover {

/// The sweep to run over one segment of the run on show.
struct SweepPlan {
  int segment = -1;
  SweepSite site = SweepSite::Heads;
  SweepSource source = SweepSource::Zero;
  PredictionQuestion question;
  bool losses = false;
  std::optional<TokenRange> tokens;
};

/// Returns the engine's request for a plan, with the pinned run as the other one. The records are the caller's to add.
SweepRequest sweep_request(LabContext& lab, const SweepPlan& plan);

/// Activation patching and ablation as a heatmap: how much a prediction changes with one value replaced, by layer and
/// head or by layer and token. What it shows stays while another token is selected. GUI thread.
class SweepPanel : public Panel {
  Q_OBJECT
 public:
  explicit SweepPanel(LabContext& lab, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

  void set_engine_busy(const QString& why);
  void begin(const carryover::SweepPlan& plan);  ///< it runs from now on
  void set_base(const carryover::SweepBase& base);
  void add_cells(const std::vector<carryover::SweepCell>& cells);
  void end();

 Q_SIGNALS:
  void run_wanted(const carryover::SweepPlan& plan);
  void cancel_wanted();

 protected:
  void refresh() override;
  QString source_folder() override { return {}; }

 private:
  enum Shown { Logit, LogProbability, Loss };
  struct Next {
    SweepPlan plan;
    QString obstacle;  ///< why it can't be run; empty: it can
  };
  Next next();
  std::int64_t tokens_wanted(SweepSite site) const;
  void build_bar();
  void forget();
  void draw();
  void select_cell(double x, double y);
  void run_as_what_if();
  double change(const SweepCell& cell) const;
  const SweepCell* cell_at(double x, double y) const;
  QString text_at(double x, double y) const;
  QString column_name(const SweepPlace& place) const;
  QString title_text() const;
  QString price_text(const SweepPlan& plan) const;
  QString csv() const;
  std::int64_t columns() const;
  std::int64_t first_column() const;

  LabContext& lab_;
  QComboBox *site_, *source_, *shown_;
  class FoilField* foil_;
  QSpinBox* tokens_;
  QWidget* tokens_row_;
  QCheckBox* losses_;
  QToolButton *run_, *stop_, *what_if_;
  QLabel* says_;
  PlotView* plot_;
  QString busy_;
  bool running_ = false;
  std::optional<SweepPlan> plan_;  ///< of what is shown
  std::optional<SweepBase> base_;
  std::vector<SweepCell> cells_;
  std::size_t expected_ = 0;          ///< cells
  std::optional<SweepPlace> chosen_;  ///< the cell that was clicked last
};

}  // namespace carryover
