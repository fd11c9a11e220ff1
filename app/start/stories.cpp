// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/stories.h"

#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/start/story_needle.h"
#include "app/start/story_text.h"
#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "engine/data/text_source.h"
#include "widgets/look/quantity_text.h"
#include "widgets/text/state/passages.h"

namespace carryover {
namespace {

constexpr std::int64_t demo_segments = 16, sink_segments = 4, novel_segments = 17;
constexpr double number_depth = 0.15;  ///< of the text that is run: in segment 2
constexpr std::size_t novel_bytes = 64 << 10;
const QString number_sentence = QStringLiteral("The special magic number for Oslo is 48213.");
const QString number_question = QStringLiteral("The special magic number for Oslo is");

SegmentConfig without_sinks(const LoadedModel& model) {
  SegmentConfig config = SegmentConfig::untrained_defaults_for(model.info.config);
  config.carry_length += std::exchange(config.sink_length, 0);  // as many keys in all
  return config;
}

SegmentConfig for_recall(const LoadedModel& model) {
  return recall_preset(model.info.config, opening_config(model));
}

/// Mean loss of the segments that have a carry, and how many of them lost their sink.
std::pair<double, int> loss_and_lost_sinks(const RunModel& run) {
  double sum = 0, targets = 0;
  int lost = 0;
  for (int segment = 1; segment < run.segment_count(); ++segment) {
    sum += run.record(segment).nll_sum;
    targets += static_cast<double>(run.record(segment).targets);
    lost += run.record(segment).sinks.value_or(SinkSummary{}).lost;
  }
  return {targets > 0 ? sum / targets : NAN, lost};
}

SegmentEdit without_copies(const RunModel& run, const CopiedToken& token) {
  std::vector<TokenRange> copies;
  for (const std::int64_t position : token.sources) copies.push_back({position, position + 1});
  SegmentEdit edit;
  edit.dropped = slots_at(run, token.segment, copies);
  return edit;
}

}  // namespace

Stories::Stories(Lab& lab, const StoryModel& demo) : lab_(lab), demo_(demo) {
  connect(&lab.loader, &ModelLoader::model_opened, this, [this] { happened(Event::Opened); });
  connect(&lab.runs, &RunController::run_started, this, [this] { happened(Event::Started); });
  connect(&lab.runs, &RunController::run_ended, this, [this] { happened(Event::Ran); });
  connect(&lab.context.what_ifs(), &WhatIfs::appended, this, [this] { happened(Event::Changed); });
  connect(&lab.context.questions(), &Questions::changed, this, [this] {
    if (!lab_.context.questions().running()) happened(Event::Answered);
  });
  connect(&lab.context.questions(), &Questions::progressed, this, [this] {
    if (next_ && awaited_ == Event::Answered) say_progress();
  });
  connect(&lab.context.run(), &RunModel::reset, this, [this] {  // what was said is of a run that is shown no more
    if (!next_ && !sentence_.isEmpty()) say({}, {}, {});
  });
  connect(&lab, &Lab::failed, this, [this](const ErrorReport& report) {
    const bool refused = report.fault == Fault::Usage && !lab_.runs.why_engine_is_busy().isEmpty();
    if (next_ && !refused) say({}, {}, {});  // a refusal leaves what is awaited under way
  });
  connect(&lab.runs, &RunController::state_changed, this, &Stories::availability_changed);
}

void Stories::set_default_model(const StoryModel& files) {
  default_ = files;
  Q_EMIT availability_changed();
}

QString Stories::why_not(Story story) const {
  if (const QString busy = lab_.engine.busy(); !busy.isEmpty()) return busy;
  if (story == Story::Retrieval || story == Story::Carry)
    return demo_.model.isEmpty() ? tr("the demo is not installed") : QString();
  return default_.model.isEmpty() ? tr("the default model is not on this machine yet") : QString();
}

bool Stories::shows_demo() const {
  const RunModel& run = lab_.context.run();
  const auto& model = lab_.loader.model();
  const auto& text = lab_.loader.text();
  return model && text && run.finished() && run.segment_count() >= demo_segments &&
         model->info.path == demo_.model.toStdString() && model->info.adapter.empty() &&
         run.model().weights_hash == model->info.weights_hash && text->name == demo_.text &&
         run.request().policy == "segmented" && run.request().config == opening_config(*model);
}

void Stories::tell_on_demo(CopySource source) {
  if (shows_demo()) return tell_copied(source);
  open(demo_, opening_config, demo_segments, [this, source] {
    lab_.loader.open_text(demo_.text);
    run(demo_.text, [this, source] { tell_copied(source); });
  });
}

void Stories::tell(Story story) {
  if (!why_not(story).isEmpty()) return;
  if (story == Story::Retrieval) return tell_on_demo(CopySource::Retrieved);
  if (story == Story::Carry) return tell_on_demo(CopySource::Carried);
  if (story == Story::Sinks)
    return open(default_, without_sinks, sink_segments, [this] {
      lab_.loader.open_text(default_.text);
      run(default_.text, [this] { tell_without_sinks(); });
    });
  open(default_, for_recall, novel_segments, [this] { hide_number(); });
}

void Stories::change() {
  if (const Step next = std::exchange(change_, {})) next();
}

void Stories::await(Event event, const Step& then) {
  awaited_ = event;
  next_ = then;
}

void Stories::happened(Event event) {
  if (event != awaited_) return;
  if (const Step next = std::exchange(next_, {})) next();
}

void Stories::say(const QString& sentence, const QString& change, const Step& then) {
  sentence_ = sentence;
  next_ = {};
  change_ = then;
  Q_EMIT said(sentence, change);
}

/// Opens the model, where it is not open, and sets it up; then `then`.
void Stories::open(const StoryModel& files, const SegmentSettings& settings, std::int64_t segments, const Step& then) {
  say(tr("Loading %1…").arg(QFileInfo(files.model).fileName()), {}, {});
  const auto begin = [this, settings, segments, then] {
    const LoadedModel& model = *lab_.loader.model();
    lab_.context.set_config(settings(model));
    RunOptions options = lab_.context.run_options();
    options.policy = "segmented";
    options.token_limit = segments * lab_.context.config().segment_length;
    options.tokens_chosen = false;
    lab_.context.set_run_options(options);
    then();
  };
  const auto& model = lab_.loader.model();
  lab_.runs.stop();
  if (model && model->info.path == files.model.toStdString() && model->info.adapter.empty()) return begin();
  await(Event::Opened, begin);
  lab_.loader.open_model(files.model);
}

/// Runs the text that is open or on its way; then `then`, where that run came to its end.
void Stories::run(const QString& text, const Step& then) {
  Q_EMIT said(sentence_ = tr("Running %1…").arg(QFileInfo(text).fileName()), {});
  await(Event::Started, [this, then] {
    await(Event::Ran, [this, then] {
      if (lab_.context.run().segment_count() >= 2) return then();
      say(tr("The run ended before there was anything to show."), {}, {});
    });
  });
  lab_.runs.run_when_ready();
}

void Stories::tell_copied(CopySource source) {
  LabContext& context = lab_.context;
  const RunModel& run = context.run();
  const auto token = find_copied_token(run, source);
  if (!token) return say(tr("This run predicts no token that is found only in this part of its memory."), {}, {});
  const bool retrieved = source == CopySource::Retrieved;
  const HeadRef head = retrieved ? token->heads.front() : HeadRef{-1, -1};
  context.select({token->segment, head.layer, head.head, retrieved ? token->source : token->target});
  SegmentEdit edit;
  if (retrieved) {
    edit = without_copies(run, *token);
  } else {
    edit.no_carry = true;
  }
  const QString change = retrieved ? tr("Remove it") : tr("Drop the carried tail");
  say(copied_sentence(run, *token, source), change,
      [this, token = *token, edit, change] { change_segment(token, edit, change); });
}

void Stories::change_segment(const CopiedToken& token, const SegmentEdit& edit, const QString& name) {
  await(Event::Changed, [this, token] {
    const WhatIfResult* result = lab_.context.what_ifs().shown_in_run();
    if (result == nullptr || result->segment != token.segment) return;
    say(sentence_ + QStringLiteral("<br/>") + changed_sentence(lab_.context.run(), token, *result), {}, {});
  });
  Q_EMIT said(sentence_, {});
  lab_.context.what_ifs().ask_run({token.segment, {edit}}, name);
}

void Stories::tell_without_sinks() {
  const auto [loss, lost] = loss_and_lost_sinks(lab_.context.run());
  lab_.context.pin_run();
  const SegmentConfig with = SegmentConfig::untrained_defaults_for(lab_.loader.model()->info.config);
  lab_.context.set_config(with);
  run(default_.text, [this, loss = loss, lost = lost] {
    const auto [now, still_lost] = loss_and_lost_sinks(lab_.context.run());
    say(sinks_sentence(lab_.context.run(), {loss, lost}, {now, still_lost}), {}, {});
  });
}

/// The novel with a number in its third segment.
void Stories::hide_number() {
  try {
    const Tokenizer& tokenizer = *lab_.loader.model()->tokenizer;
    const std::string novel = read_text(default_.text.toStdString()).substr(0, novel_bytes);
    const auto ids = tokenizer.encode(novel);
    const std::int64_t wanted = lab_.context.run_options().token_limit;
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(wanted, std::ssize(ids)));
    const std::string text = put_sentence(tokenizer, std::span(ids).first(count), number_sentence, number_depth);
    const QString name = tr("%1 with a number in it").arg(QFileInfo(default_.text).fileName());
    lab_.loader.open_pasted_text(QString::fromStdString(text), name);
    run(name, [this] { ask_number(); });
  } catch (const EngineError& error) {
    say(QString::fromStdString(error.problem() + ". " + error.advice()).toHtmlEscaped(), {}, {});
  }
}

void Stories::ask_number() {
  Q_EMIT said(sentence_ = tr("Asking…"), {});
  await(Event::Answered, [this] { tell_answer(); });
  Q_EMIT panel_wanted(QStringLiteral("ask"));
  lab_.context.questions().ask(number_question);
}

void Stories::say_progress() {
  const Questions& questions = lab_.context.questions();
  Q_EMIT said(QStringLiteral("%1 %2, %3").arg(sentence_, questions.doing(), percent_text(questions.progress(), 0)), {});
}

void Stories::tell_answer() {
  const Questions& questions = lab_.context.questions();
  if (questions.all().empty() || questions.all().back().hits.empty() || questions.all().back().probability < 0)
    return say(tr("The question was not answered."), {}, {});
  const auto passages = passages_of(questions.all().back().hits.front());
  const QString sentence = answer_sentence(lab_.context.run(), questions.all().back(), passages);
  if (passages.empty()) return say(sentence, {}, {});
  lab_.context.select_token(passages.front().first);
  say(sentence, tr("Remove the passage"), [this, passage = passages.front()] {
    await(Event::Answered, [this, passage] {
      const Question& last = lab_.context.questions().all().back();
      if (const auto* without = last.find(positions_of(passage)))
        say(sentence_ + QStringLiteral("<br/>") + without_passage_sentence(last, *without), {}, {});
    });
    Q_EMIT said(sentence_, {});
    lab_.context.questions().ask_without(positions_of(passage));
  });
}

}  // namespace carryover
