// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/evaluation_controller.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/engine_thread/post.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

constexpr int sample_patience_ms = 30'000, last_sample_patience_ms = 5'000;  // it stops behind a layer

QString qtext(const std::string& text) {
  return QString::fromStdString(text);
}

QString brief(const std::string& text) {
  constexpr qsizetype most_characters = 60;
  return qtext(text).left(most_characters).simplified();
}

bool same_path(const std::string& a, const std::string& b) {
  return a == b || (!a.empty() && !b.empty() && QFileInfo(qtext(a)) == QFileInfo(qtext(b)));
}

}  // namespace

EvaluationController::EvaluationController(LabContext& context, EngineConnection& engine, ModelLoader& loader,
                                           RunController& runs, QObject* parent)
    : FolderController(tr("evaluation"), parent), context_(context), engine_(engine), loader_(loader), runs_(runs) {
  connect_work();
  connect_samples();
}

EvaluationController::~EvaluationController() {
  if (stop_order_) *stop_order_ = true;
}

void EvaluationController::connect_work() {
  connect_folder(model_, follower_.get());
  connect(follower_.get(), &EvaluationFollower::news, this,
          [this](const QString& folder, const std::shared_ptr<const EvaluationNews>& news) {
            if (folder == model_.folder()) model_.take(news);
          });
  process().set_patience(sample_patience_ms);
  process().set_last_patience(last_sample_patience_ms);
  connect(this, &FolderController::opened, this, &EvaluationController::forget_orders);
  connect(this, &FolderController::ended, this,
          [this] { context_.add_note(tr("The evaluation's process has ended")); });
}

void EvaluationController::connect_samples() {
  connect(samples_.get(), &EvaluationSamples::references_made, this,
          [this](const RemadeSamples& order, const std::vector<std::string>& references) {
            if (order.stop == stop_order_) model_.set_references(order.task, order.length, references);
          });
  connect(samples_.get(), &EvaluationSamples::run_made, this, &EvaluationController::take_run);
  connect(samples_.get(), &EvaluationSamples::failed, this, [this](const ErrorReport& report) {
    pending_.reset();
    Q_EMIT failed(report);
  });
  connect(&runs_, &RunController::state_changed, this, &EvaluationController::run_pending);
  connect(&runs_, &RunController::run_ended, this, &EvaluationController::select_answer);
  connect(&loader_, &ModelLoader::failed, this, [this] { pending_.reset(); });
}

void EvaluationController::start(const EvaluationRequest& request) {
  if (process().running()) return;
  std::vector<std::string> command;
  if (const auto problem = attempt([&] { command = evaluation_command(request); })) return Q_EMIT failed(*problem);
  const QString model = qtext(request.plan.model), adapter = qtext(request.plan.adapter);
  context_.add_note(
      tr("Evaluating %1 into %2")
          .arg(adapter.isEmpty() ? model : QStringLiteral("%1 + %2").arg(model, adapter), qtext(request.out)));
  request_ = request;
  run(command, request.out);
}

void EvaluationController::go_on() {
  if (process().running() || !model_.has_news()) return;
  if (request_ && is_open(request_->out)) return start(*request_);
  Q_EMIT request_wanted({model_.news().plan, model_.folder().toStdString(), 0});
}

/// The one before is not waited for. A plan that is the same keeps what was made.
RemadeSamples EvaluationController::next_order(int row) {
  if (stop_order_) *stop_order_ = true;
  stop_order_ = std::make_shared<std::atomic<bool>>(false);
  const EvaluationPlan& plan = model_.news().plan;
  if (!ordered_plan_ || !plan_difference(*ordered_plan_, plan).empty())
    ordered_plan_ = std::make_shared<const EvaluationPlan>(plan);
  const ScoreCell& cell = model_.cell(row, 0);
  return {ordered_plan_, cell.task, cell.length, stop_order_};
}

/// They were of the evaluation before: what comes of them has no place in this one, whose rows may have the same names.
void EvaluationController::forget_orders() {
  if (stop_order_) *stop_order_ = true;
  stop_order_.reset();
  ordered_plan_.reset();
  pending_.reset();
}

void EvaluationController::make_references(int row) {
  if (row < 0 || row >= model_.rows()) return;
  if (pending_ && !pending_->has_run) pending_.reset();  // the new order replaces its own
  post(samples_.get(), [order = next_order(row)](EvaluationSamples& samples) { samples.tell_references(order); });
}

void EvaluationController::open_sample(int row, int column, int sample) {
  if (row < 0 || row >= model_.rows() || column < 0 || column >= model_.columns()) return;
  const ScoreCell& cell = model_.cell(row, column);
  if (sample < 0 || sample >= std::ssize(cell.entries)) return;
  if (!engine_.command().isEmpty())
    return Q_EMIT failed({Fault::Usage, tr("evaluation"), tr("the engine runs on another machine"),
                          tr("Use this program's engine, then open the sample.")});
  const SampleEntry& entry = cell.entries[static_cast<std::size_t>(sample)];
  Pending pending;
  pending.plan = model_.news().plan;
  const PolicyVariant variant = policy_variant(cell.policy);
  pending.request.policy = variant.policy;
  pending.request.config = variant.config(pending.plan.config);
  pending.sample.title =
      tr("%1, %2, sample %3").arg(brief(cell_title(cell.task, cell.length)), qtext(cell.policy), brief(entry.id));
  const bool bos = pending.request.config.bos;
  pending_ = std::move(pending);
  post(samples_.get(), [order = next_order(row), sample, entry, bos](EvaluationSamples& samples) {
    samples.make_run(order, sample, entry, bos);
  });
}

void EvaluationController::take_run(const RemadeSamples& order, const SampleRun& run) {
  if (!pending_ || order.stop != stop_order_) return;  // of another sample than the last one that was asked for
  pending_->request.ids = std::make_shared<const std::vector<std::int32_t>>(run.ids);
  pending_->sample.answer = run.answer;
  pending_->sample.needles = run.needles;
  pending_->has_run = true;
  if (runs_.state() != RunController::State::Idle) return runs_.stop();  // run_pending() comes with its end
  run_pending();
}

bool EvaluationController::right_model() const {
  const auto& model = loader_.model();
  return model && same_path(model->info.path, pending_->plan.model) &&
         same_path(model->info.adapter, pending_->plan.adapter);
}

/// Called again after each event that it waits for: the end of a run, a loaded model.
void EvaluationController::run_pending() {
  if (!pending_ || !pending_->has_run || loader_.loading() || runs_.state() != RunController::State::Idle) return;
  if (!right_model()) {
    const EvaluationPlan& plan = pending_->plan;
    if (std::exchange(pending_->asked_model, true)) return pending_.reset();  // it was not to be had, and said why
    ModelRequest request;
    request.path = plan.model;
    request.adapter = plan.adapter;
    if (const auto problem = attempt([&] {
          request.dtype = parse_dtype(plan.loaded_dtype.empty() ? plan.dtype : plan.loaded_dtype);
          request.device = parse_device(plan.loaded_device.empty() ? plan.device : plan.loaded_device);
        })) {
      pending_.reset();
      return Q_EMIT failed(*problem);
    }
    return Q_EMIT model_wanted(request);
  }
  if (const QString busy = runs_.why_engine_is_busy(); !busy.isEmpty()) {
    pending_.reset();
    return Q_EMIT failed({Fault::Usage, tr("evaluation"), busy, tr("Open the sample when the engine is idle.")});
  }
  OpenedSample sample = pending_->sample;
  sample.remark = remark();
  const RunRequest request = pending_->request;
  pending_.reset();
  runs_.run_request(sample.title, request);
  sample.run = qtext(context_.run().origin().id);
  model_.set_sample(sample);
  select_answer();
}

/// Returns how the run may differ from the evaluation.
QString EvaluationController::remark() const {
  QStringList remarks;
  const EvaluationPlan& plan = pending_->plan;
  const ModelInfo& model = loader_.model()->info;
  if (plan.question == QuestionPlace::Outside || pending_->request.config.boundary_at_prompt_end ||
      ends_prompts(pending_->request.policy))
    remarks +=
        tr("The evaluation closed a segment before the question or answer; this run reads everything as one text");
  if (!plan.weights_hash.empty() && plan.weights_hash != model.weights_hash)
    remarks += tr("The open model's weights differ from the evaluated ones");
  if (!plan.loaded_dtype.empty() && plan.loaded_dtype != dtype_name(model.dtype))
    remarks +=
        tr("Evaluated in %1, run in %2").arg(qtext(plan.loaded_dtype), qtext(std::string(dtype_name(model.dtype))));
  return remarks.join(QStringLiteral(". "));
}

/// The token that predicts it where nothing was answered. Once more at the run's end: views follow a run.
void EvaluationController::select_answer() {
  const OpenedSample& sample = model_.sample();
  const RunModel& run = context_.run();
  if (sample.run.isEmpty() || run.is_empty() || qtext(run.origin().id) != sample.run) return;
  context_.select_token(std::min(sample.answer.first, run.token_count() - 1));
}

}  // namespace carryover
