// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/ask_controller.h"

#include <QDateTime>
#include <algorithm>
#include <iterator>

#include "engine/config/head_reads.h"
#include "engine/cost/policy_table.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/text/state/passages.h"

namespace carryover {
namespace {

constexpr std::int64_t kAnswerTokens = 64;

}  // namespace

AskController::AskController(LabContext& context, RunController& runs)
    : EngineJob(context, runs, tr("The question was cancelled")) {
  Questions& questions = context.questions();
  connect(&questions, &Questions::wanted, this, &AskController::start);
  connect(&questions, &Questions::cancel_wanted, this, &AskController::cancel);
  connect(this, &EngineJob::progressed, &questions, &Questions::set_progress);
  connect(&questions, &Questions::what_if_wanted, this, &AskController::start_without);
  connect(this, &EngineJob::ended, &questions, &Questions::end);
  const auto tell = [this] { context_.questions().set_unavailable(active() ? QString() : why_not()); };
  connect(&runs, &RunController::state_changed, this, tell);
  connect(&runs.loader(), &ModelLoader::model_changed, this, tell);
  connect(&context.run(), &RunModel::reset, this, tell);
  connect(&context.run(), &RunModel::segments_appended, this, tell);
  connect(&context.document(), &OpenDocument::changed, this, tell);
  tell();
}

QString AskController::why_not() const {
  const RunModel& run = context_.asked();
  if (const QString busy = runs_.why_engine_is_busy(); !busy.isEmpty()) return busy;
  if (!context_.document().is_open() && run.segment_count() == 0) return tr("no text has been run");
  if (const QString why = runs_.why_not_repeat(); !context_.document().is_open() && !why.isEmpty()) return why;
  const auto& model = runs_.loader().model();
  if (!model) return tr("no model is open");
  if (model->info.weights_hash != run.model().weights_hash)
    return tr("the run was made with other weights: open %1").arg(model_label(run.model()));
  if (!run.tokenizer()) return tr("no model is open");
  return {};
}

RunRequest AskController::text_to_ask() const {
  const RunModel& run = context_.asked();
  RunRequest text;
  text.policy = run.request().policy;
  text.config = run.request().config;
  // The text is read as the run read it, and the question searches for itself.
  std::ranges::copy_if(run.request().forced_hits, std::back_inserter(text.forced_hits),
                       [&](const HeadHits& list) { return list.segment < run.segment_count(); });
  const auto& ids = run.request().ids;
  const std::int64_t read =
      context_.document().is_open() ? std::ssize(*ids) : run.tokens_after(run.segment_count() - 1);
  text.ids = std::make_shared<const std::vector<std::int32_t>>(ids->begin(), ids->begin() + read);
  return text;
}

void AskController::start(const QString& text) {
  const QString why = active() ? tr("a question is being answered") : why_not();
  if (!why.isEmpty())
    return Q_EMIT failed({Fault::Usage, tr("question"), why, tr("Run a text first, or wait for the engine.")});
  const RunRequest read = text_to_ask();
  const LoadedModel& model = *runs_.loader().model();
  GenerateRequest request;
  request.prompt = *read.ids;
  const auto question = model.tokenizer->encode(question_prompt(text).toStdString());
  request.prompt.insert(request.prompt.end(), question.begin(), question.end());
  request.question_length = std::ssize(question);
  request.max_new_tokens = kAnswerTokens;
  request.stop_ids = model.tokenizer->end_ids();
  request.policy = read.policy;
  request.config = read.config;
  request.config.question_pass = true;
  request.config.boundary_at_prompt_end = false;
  request.forced_hits = read.forced_hits;
  Question asked;
  asked.text = text;
  asked.provenance = run_provenance(context_.asked());
  asked.run = run_name_in(asked.provenance);
  asked.policy = request.policy;
  asked.config = request.config;
  asked.made_ms = QDateTime::currentMSecsSinceEpoch();
  asked.retrieves = !runs_in_chunks(read.policy) && retrieves(read.config, model.info.config);
  context_.questions().begin(asked);
  asked_ = context_.questions().all().back().id;
  asked_with_ = {model.info.dtype, model.info.device};
  const auto work = [this, request, tokenizer = model.tokenizer, twice = asked.retrieves,
                     answered = answered_](EngineCall& call) {
    AskNews news;
    news.told = [this, &call](bool without_retrieval, const QString& piece) {
      call.tell([this, without_retrieval, piece] { context_.questions().add_text(without_retrieval, piece); });
    };
    news.found = [this, &call](const std::vector<HeadHits>& hits) { call.tell([this, hits] { take_hits(hits); }); };
    *answered = {};
    *answered = answer_question(call, request, tokenizer, twice, news);
    return answered->score;
  };
  start_work(tr("a question is using the engine"), work, [this](const std::optional<PhraseScore>& score) {
    if (score) context_.questions().set_probabilities(score->phrase, score->with, score->without);
    complete();
  });
}

void AskController::complete() {
  context_.questions().complete();
  context_.questions().end();
}

/// The passages' texts are kept beside the positions, so that they can be read without the run.
void AskController::take_hits(const std::vector<HeadHits>& hits) {
  const RunModel& run = context_.asked();
  std::vector<AskedPassage> passages;
  if (!hits.empty())
    for (const Passage& each : passages_of(hits.front()))
      passages.push_back({each.first, each.end, run.segment_of_token(each.first), each.score, passage_text(run, each)});
  context_.questions().set_hits(hits, std::move(passages));
}

void AskController::start_without(const std::vector<TokenRange>& positions) {
  const Questions& questions = context_.questions();
  QString why = active() ? tr("a question is being answered") : why_not();
  if (why.isEmpty() &&
      (questions.all().empty() || questions.all().back().provenance != run_provenance(context_.asked())))
    why = tr("it was asked about another text");
  if (why.isEmpty() && questions.all().back().id != asked_) why = tr("it is not what the engine answered last");
  if (const auto& model = runs_.loader().model();
      why.isEmpty() && asked_with_ != std::pair(model->info.dtype, model->info.device))
    why = tr("it was answered in another dtype or on another device");
  if (!why.isEmpty()) return Q_EMIT failed({Fault::Usage, tr("question"), why, tr("Ask the question again.")});
  context_.questions().begin_what_if();
  const auto work = [positions, answered = answered_](EngineCall& call) {
    return probability_without(call, *answered, positions);
  };
  start_work(tr("a question is using the engine"), work, [this, positions](double probability) {
    context_.questions().add_what_if({positions, probability});
    complete();
  });
}

}  // namespace carryover
