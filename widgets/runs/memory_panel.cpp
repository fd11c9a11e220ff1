// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/memory_panel.h"

#include <QCheckBox>

#include "engine/cost/policy_table.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {}  // namespace

MemoryPanel::MemoryPanel(LabContext& lab, QWidget* parent)
    : SegmentCurvesPanel(lab, tr("Memory"), parent), plot_(new PlotView(QStringLiteral("memory"), this)) {
  weights_shown_ = new QCheckBox(tr("Weights"), this);
  full_shown_ = new QCheckBox(tr("Full attention's KV"), this);
  full_shown_->setChecked(true);
  logarithmic_ = new QCheckBox(tr("Logarithmic"), this);
  logarithmic_->setToolTip(tr("Draw each kind of memory as a separate curve instead of stacking them"));
  WrappingBar* bar = control_bar();
  for (QCheckBox* box : {weights_shown_, full_shown_, logarithmic_}) bar->addWidget(box);
  place(bar, Across::Tokens);

  const auto stacked = [this](const QString& name, const ThemeColour& colour) {
    return plot_->add_curve(name, {colour, false, true, true});
  };
  weights_ = stacked(tr("weights"), [](const Theme& theme) { return theme.local; });
  attention_ = stacked(tr("attention-visible KV"), series_colour(0));
  carry_ = stacked(tr("carry"), [](const Theme& theme) { return theme.carry; });
  pool_ = stacked(tr("pool"), series_colour(3));
  activations_ = stacked(tr("activations"), series_colour(4));
  predicted_ = plot_->add_curve(tr("predicted total"), {[](const Theme& theme) { return theme.text; }, true});
  full_ = plot_->add_curve(tr("full attention's KV"), {series_colour(1), true});
  plot_->set_curve_visible(weights_, false);
  plot_->set_axes(tr("Tokens read"), tr("Memory (MB)"));
  plot_->set_integer_axes(true, false);
  plot_->set_title(tr("Memory by kind"));

  connect(weights_shown_, &QCheckBox::toggled, this, [this](bool shown) {
    plot_->set_curve_visible(weights_, shown);
    draw_prediction();
    plot_->fit();
  });
  connect(full_shown_, &QCheckBox::toggled, this, [this](bool shown) {
    plot_->set_curve_visible(full_, shown);
    plot_->fit();
  });
  connect(logarithmic_, &QCheckBox::toggled, plot_, &PlotView::set_log_y);
}

void MemoryPanel::start() {
  const RunModel& run = context().run();
  plot_->clear_curves();
  plot_->set_empty_text(no_run_text(context().run()));
  if (run.is_empty()) return;
  plot_->set_provenance(run_provenance(run));
  draw_prediction();
  for (int segment = 0; segment < run.expected_segments(); ++segment)
    if (context().range().contains(segment))
      plot_->append(full_, static_cast<double>(run.tokens_after(segment)),
                    megabytes(run.cost().full_attention_bytes(run.tokens_after(segment))));
  plot_->fit();
}

void MemoryPanel::draw_prediction() {
  plot_->clear_curve(predicted_);
  const RunModel& run = context().run();
  const PolicyRow* policy = find_policy(run.request().policy);
  if (run.is_empty() || policy == nullptr || policy->runs_in_chunks) return;
  for (int segment = 0; segment < run.expected_segments(); ++segment) {
    if (!context().range().contains(segment)) continue;
    const MemoryBytes bytes = policy->memory(run.cost(), run.tokens_after(segment), {});
    const std::int64_t sum = bytes.attention_kv + bytes.carry + bytes.pool + bytes.activations +
                             (weights_shown_->isChecked() ? bytes.weights : 0);
    plot_->append(predicted_, static_cast<double>(run.tokens_after(segment)), megabytes(sum));
  }
}

void MemoryPanel::append(const SegmentRecord& record) {
  const auto tokens = static_cast<double>(record.first_token + record.length);
  const MemoryBytes& bytes = record.memory;
  plot_->append(weights_, tokens, megabytes(bytes.weights));
  plot_->append(attention_, tokens, megabytes(bytes.attention_kv));
  plot_->append(carry_, tokens, megabytes(bytes.carry));
  plot_->append(pool_, tokens, megabytes(bytes.pool));
  plot_->append(activations_, tokens, megabytes(bytes.activations));
}

}  // namespace carryover
