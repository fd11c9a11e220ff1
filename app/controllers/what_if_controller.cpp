// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/what_if_controller.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <algorithm>
#include <utility>

#include "app/controllers/inspect_controller.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/what_if/patching.h"

namespace carryover {
namespace {

bool patches(const WhatIfPlan& plan) {
  return std::ranges::any_of(plan.edits, &SegmentEdit::patches);
}

QString name_of(const RunModel& run) {
  return QStringLiteral("%1 (%2)").arg(QString::fromStdString(run.origin().id), run.text_name());
}

}  // namespace

WhatIfController::WhatIfController(LabContext& context, RunController& runs)
    : EngineJob(context, runs, tr("The what-if was cancelled")) {
  WhatIfs& what_ifs = context.what_ifs();
  connect(&what_ifs, &WhatIfs::price_wanted, this, &WhatIfController::ask_price);
  connect(&what_ifs, &WhatIfs::run_wanted, this,
          [this](const WhatIfPlan& plan, const QString& name) { start(plan, name, false); });
  connect(&what_ifs, &WhatIfs::sweep_wanted, this, [this](const WhatIfPlan& plan) { start(plan, {}, true); });
  connect(&what_ifs, &WhatIfs::cancel_wanted, this, &WhatIfController::cancel);
  connect(&context.run(), &RunModel::reset, this, [this] {
    ++run_;
    ++price_tag_;
  });
  connect(&runs, &RunController::state_changed, this,
          [this] { context_.what_ifs().set_unavailable(active() ? QString() : runs_.why_engine_is_busy()); });
  connect(this, &EngineJob::ended, &what_ifs, &WhatIfs::end);
}

WhatIfRequest WhatIfController::make_request(const WhatIfPlan& plan) const {
  const RunModel& run = context_.run();
  WhatIfRequest request{run.request(), plan.segment, plan.edits, recorded_segment(run, plan.segment),
                        prediction_question(context_, plan.segment)};
  if (patches(plan) && context_.pinned_run())
    request.patch_source =
        PatchSource{context_.pinned_run()->request(), recorded_segment(*context_.pinned_run(), plan.segment)};
  return request;
}

void WhatIfController::ask_price(const WhatIfPlan& plan) {
  ++price_tag_;
  if (active() || !runs_.why_engine_is_busy().isEmpty() || plan.segment < 0 ||
      plan.segment >= context_.run().segment_count())
    return context_.what_ifs().set_price({});
  const auto count = [request = make_request(plan)](EngineCall& call) {
    return call.session_of(request.record).what_if_segments(request);
  };
  const auto show = [this, tag = price_tag_](std::optional<std::int64_t> segments) {
    if (tag != price_tag_) return;
    const RunSummary& last = context_.run().summary();
    const double each = last.segments > 0 ? last.seconds / static_cast<double>(last.segments) : 0;
    context_.what_ifs().set_price(
        segments ? std::optional(WhatIfPrice{*segments, each * static_cast<double>(*segments)}) : std::nullopt);
  };
  calls_.start(std::make_shared<RunControl>(), count, show, [show](const ErrorReport&) { show(std::nullopt); });
}

void WhatIfController::start(const WhatIfPlan& plan, const QString& name, bool sweep) {
  const QString why = active() ? tr("a what-if is running") : runs_.why_engine_is_busy();
  if (!why.isEmpty() || plan.segment < 0 || plan.segment >= context_.run().segment_count()) {
    Q_EMIT failed({Fault::Usage, tr("what-if"), why.isEmpty() ? tr("no segment is selected") : why,
                   why.isEmpty() ? tr("Select one that has been run.") : tr("Stop it first, or wait for its end.")});
    return;
  }
  if (const QString missing = runs_.why_not_repeat(); !missing.isEmpty())
    return Q_EMIT failed({Fault::BadInput, tr("what-if"), missing, tr("Put the file back, or run the text again.")});
  for (const SegmentEdit& edit : plan.edits)
    if (const QString obstacle = patch_obstacle(context_, plan.segment, edit); !obstacle.isEmpty()) {
      Q_EMIT failed({Fault::Usage, tr("patch"), obstacle, tr("Pin a run whose segments correspond to this one's.")});
      return;
    }
  plan_ = plan;
  patched_from_ = patches(plan) ? name_of(*context_.pinned_run()) : QString();
  name_ = name;
  sweep_ = sweep;
  started_in_ = run_;
  before_ = context_.run().snapshot(plan.segment).target_nll;
  outcome_.reset();
  context_.what_ifs().begin(sweep);
  const auto replay = [this, request = make_request(plan)](EngineCall& call) {
    QElapsedTimer timer;
    timer.start();
    const auto done = [this, &call](std::size_t edit, const WhatIfOutcome& outcome) {
      call.tell([this, edit, shared = std::make_shared<const WhatIfOutcome>(outcome)] {
        take(static_cast<int>(edit), shared);
      });
    };
    WhatIfBase base = call.session_of(request.record).what_if(request, done, call.control());
    return std::pair(std::move(base), static_cast<double>(timer.elapsed()) / 1000);
  };
  start_work(tr("a what-if is using the engine"), replay,
             [this](const std::pair<WhatIfBase, double>& replayed) { finish(replayed.first, replayed.second); });
}

void WhatIfController::take(int edit, const std::shared_ptr<const WhatIfOutcome>& outcome) {
  if (!active() || started_in_ != run_) return;
  if (!sweep_) {
    outcome_ = outcome;
    return;
  }
  if (before_.size() == outcome->target_nll.size())
    context_.what_ifs().set_ablation(static_cast<std::size_t>(edit),
                                     bootstrap_mean(loss_changes(before_, outcome->target_nll)));
  context_.what_ifs().set_progress(static_cast<double>(edit + 1) / static_cast<double>(plan_.edits.size()));
}

void WhatIfController::finish(const WhatIfBase& base, double seconds) {
  const auto outcome = std::exchange(outcome_, nullptr);
  if (sweep_ || !outcome || started_in_ != run_) {
    context_.what_ifs().end();
    if (sweep_)
      context_.add_note(filled(tr("Hits of segment %2 ablated, one at a time: %1"), plan_.edits.size(), plan_.segment));
    return;
  }
  WhatIfResult result;
  result.name = name_;
  result.segment = plan_.segment;
  result.first_token = base.first_token;
  result.run_config = context_.run().request().config;
  result.edit = plan_.edits.front();
  result.segments_run = base.segments_run;
  result.seconds = seconds;
  result.made_ms = QDateTime::currentMSecsSinceEpoch();
  result.provenance = run_provenance(context_.run());
  result.patched_from = patched_from_;
  compare(result, context_.run(), base.as_it_was, *outcome);
  context_.add_note(filled(tr("What-if “%1”, segment %2: Δ mean loss %3 nats"), result.name, result.segment,
                           signed_text(result.change.mean, 4)));
  context_.what_ifs().end();
  context_.what_ifs().append(std::move(result));
}

}  // namespace carryover
