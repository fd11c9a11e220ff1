// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/start_panel.h"

#include <QBoxLayout>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "app/window/message_bar.h"
#include "app/window/script_selection.h"
#include "engine/base/error.h"
#include "widgets/lab/panel.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/markup.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

struct Fetch {
  int layer, head;
  Hit hit;
};

/// Heads that fetched `token` for `segment`, anchors first.
std::vector<Fetch> fetches_of(const RunModel& run, int segment, std::int64_t token) {
  std::vector<Fetch> found;
  if (segment < 0 || segment >= run.segment_count()) return found;
  for (const HeadHits& head : run.snapshot(segment).hits)
    for (const Hit& hit : head.hits)
      if (hit.position == token && hit.kind != HitKind::Padding) found.push_back({head.layer, head.head, hit});
  std::stable_sort(found.begin(), found.end(), [](const Fetch& a, const Fetch& b) {
    return a.hit.kind == HitKind::Anchor && b.hit.kind != HitKind::Anchor;
  });
  return found;
}

bool fetched(const RunModel& run, int segment, std::int64_t token) {
  const auto& heads = run.hit_index().columns();
  return std::any_of(heads.begin(), heads.end(), [&](const HitIndex::Column& head) {
    const BriefHits hits = head.of(segment);
    return std::any_of(hits.begin(), hits.end(),
                       [token](BriefHit hit) { return hit.position() == token && hit.is_evidence(); });
  });
}

/// The selected segment where it fetched the token; else the first one that did; -1 where none did.
int segment_that_fetched(const RunModel& run, const Selection& selected) {
  if (fetched(run, selected.segment, selected.token)) return selected.segment;
  for (int segment = std::max(0, run.segment_of_token(selected.token)); segment < run.segment_count(); ++segment)
    if (fetched(run, segment, selected.token)) return segment;
  return -1;
}

QString quoted(const RunModel& run, std::int64_t token) {
  return QStringLiteral("<i>…%1…</i>").arg(text_around(run, token).toHtmlEscaped());
}

bool is_shared(const RunModel& run) {
  return run.request().config.search == SearchBy::Shared;
}

/// Returns the name of the head that searched. If the search is shared, the record has its positions under one head,
/// and all readers read them.
QString searcher_name(const RunModel& run, int layer, int head) {
  return is_shared(run) ? StartPanel::tr("the shared search")
                        : filled(StartPanel::tr("layer %1, head %2"), layer, head);
}

}  // namespace

StartPanel::StartPanel(Lab& lab, QWidget* text, const StoryModel& demo)
    : QFrame(text), lab_(lab), stories_(lab, demo), answer_(new QLabel(this)) {
  setAccessibleName(tr("Getting started"));
  setFrameShape(QFrame::StyledPanel);
  auto* about =
      new QLabel(tr("Carryover runs a language model over a long text in segments, and shows what each segment "
                    "gets from those before it: a carried tail and what its heads retrieve."),
                 this);
  about->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 4, 4);
  layout->setSpacing(4);
  layout->addWidget(about);
  layout->addWidget(build_stories());
  layout->addWidget(build_questions());
  layout->addWidget(build_sentence());
  layout->addWidget(build_answer());
  static_cast<QBoxLayout*>(parentWidget()->layout())->insertWidget(0, this);
  connect(&stories_, &Stories::said, this, [this](const QString& told, const QString& change) {
    who_asked_ = false;
    say(told, change);
  });
  connect(&stories_, &Stories::availability_changed, this, &StartPanel::update_stories);
  connect(&stories_, &Stories::panel_wanted, this, &StartPanel::panel_wanted);
  connect(&lab.loader, &ModelLoader::model_changed, this, &StartPanel::update_stories);
  connect(&lab.context, &LabContext::selection_changed, this, [this] {
    if (who_asked_) tell_who_fetched();
  });
  connect(&lab.context.run(), &RunModel::reset, this, [this] {
    who_asked_ = false;
    if (of_run_) say({});
  });
  connect(&lab.context.run(), &RunModel::segments_appended, this, &StartPanel::update_questions);
  connect(&lab.runs, &RunController::state_changed, this, &StartPanel::update_questions);
  connect(&lab.runs, &RunController::run_ended, this, &StartPanel::look_for_sentence);
  update_questions();
  update_stories();
}

QWidget* StartPanel::build_stories() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  const auto story = [&](Story which, const QString& text, const QString& help) {
    auto* button = new QToolButton(row);
    button->setText(text);
    layout->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, which] { stories_.tell(which); });
    story_buttons_.push_back({which, help, button});
  };
  story(Story::Retrieval, tr("Retrieval"),
        tr("The demo: a name that only retrieved tokens hold, and the run without them"));
  story(Story::Carry, tr("Carried tail"),
        tr("The demo: a word that only the carried tail holds, and the run without it"));
  story(Story::Sinks, tr("Attention sink"), tr("The default model on a novel, without attention sinks and with them"));
  story(Story::Novel, tr("Ask a novel"), tr("The default model finds a number that it read 15 segments ago"));
  layout->addStretch(1);
  return row;
}

QWidget* StartPanel::build_answer() {
  answer_row_ = new QWidget(this);
  answer_->setWordWrap(true);
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  answer_->setAccessibleName(tr("Answer"));
  change_ = new QToolButton(answer_row_);
  change_->setAccessibleName(tr("Change the run of the story"));
  change_->hide();
  auto* layout = new QHBoxLayout(answer_row_);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(answer_, 1);
  layout->addWidget(change_, 0, Qt::AlignTop);
  answer_row_->hide();
  connect(change_, &QToolButton::clicked, &stories_, &Stories::change);
  return answer_row_;
}

QWidget* StartPanel::build_questions() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  const auto button = [&](const QString& text, const QString& help) {
    auto* made = new QToolButton(row);
    made->setText(text);
    made->setToolTip(help);
    layout->addWidget(made);
    return made;
  };
  who_ = button(tr("Which head retrieved this?"),
                tr("Shows the heads that retrieved the selected token, and follows the selection"));
  hide_ = button(tr("Insert a needle and find it"),
                 tr("Inserts a sentence into the text, runs the text, and shows which heads retrieved the sentence"));
  hide_->setCheckable(true);
  layout->addStretch(1);
  auto* close = button(QStringLiteral("×"), tr("Close; Help, Getting started shows it again"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close"));
  connect(who_, &QToolButton::clicked, this, &StartPanel::ask_who_fetched);
  connect(close, &QToolButton::clicked, this, [this] {
    hide();
    Q_EMIT dismissed();
  });
  return row;
}

QWidget* StartPanel::build_sentence() {
  sentence_row_ = new QWidget(this);
  sentence_ = new QLineEdit(tr("The harbour master keeps the brass key under the third blue lantern."), sentence_row_);
  sentence_->setCursorPosition(0);  // its beginning is read first
  sentence_->setAccessibleName(tr("The sentence"));
  depth_ = new QDoubleSpinBox(sentence_row_);
  depth_->setRange(0, 100);
  depth_->setValue(30);
  depth_->setDecimals(0);
  depth_->setSuffix(tr(" % in"));
  depth_->setToolTip(tr("Position of the sentence in the text that is run"));
  depth_->setAccessibleName(tr("Depth, %"));
  auto* run = new QPushButton(tr("Insert and run"), sentence_row_);
  auto* layout = new QHBoxLayout(sentence_row_);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(sentence_, 1);
  layout->addWidget(depth_);
  layout->addWidget(run);
  sentence_row_->hide();
  connect(hide_, &QToolButton::toggled, sentence_row_, &QWidget::setVisible);
  const auto start = [this] { hide_and_run(sentence_->text(), depth_->value() / 100); };
  connect(run, &QPushButton::clicked, this, start);
  connect(sentence_, &QLineEdit::returnPressed, this, start);
  return sentence_row_;
}

void StartPanel::say(const QString& text, const QString& change) {
  of_run_ = false;
  set_markup(*answer_, text);
  answer_row_->setVisible(!text.isEmpty());
  change_->setText(change);
  change_->setVisible(!change.isEmpty());
}

void StartPanel::say_of_run(const QString& text) {
  say(text);
  of_run_ = true;
}

void StartPanel::update_stories() {
  for (const auto& [story, help, button] : story_buttons_) {
    const QString why_not = stories_.why_not(story);
    button->setEnabled(why_not.isEmpty());
    button->setToolTip(why_not.isEmpty() ? help : help + u'\n' + tr("Not now: %1.").arg(why_not));
  }
}

QString StartPanel::answer() const {
  return answer_->text();
}

void StartPanel::update_questions() {
  who_->setEnabled(lab_.context.run().segment_count() > 0);
  sentence_row_->setEnabled(lab_.runs.can_run());
}

void StartPanel::ask_who_fetched() {
  LabContext& context = lab_.context;
  if (context.selected().token < 0 || segment_that_fetched(context.run(), context.selected()) < 0)
    select_something(context);
  who_asked_ = true;
  tell_who_fetched();
}

void StartPanel::tell_who_fetched() {
  LabContext& context = lab_.context;
  const RunModel& run = context.run();
  const std::int64_t token = context.selected().token;
  if (token < 0) return;
  const int segment = segment_that_fetched(run, context.selected());
  if (segment < 0) return say_of_run(tr("%1: no head has retrieved this so far.").arg(quoted(run, token)));
  const auto fetches = fetches_of(run, segment, token);
  const Fetch& first = fetches.front();
  const qlonglong back = static_cast<qlonglong>(run.record(segment).first_token - token);
  QString text = filled(tr("%1: <b>%2</b> retrieved it for segment %3, from %L4 tokens back, "), quoted(run, token),
                        searcher_name(run, first.layer, first.head), segment, back);
  text += first.hit.kind == HitKind::Anchor
              ? tr("as an anchor with score %1.").arg(decimal_text(static_cast<double>(first.hit.score), 2))
              : tr("expanded from the anchor at %1.").arg(static_cast<qlonglong>(first.hit.anchor));
  if (fetches.size() > 1 && !is_shared(run))
    text += u' ' + tr("Other heads that retrieved it: %1.").arg(fetches.size() - 1);
  say_of_run(text);
}

void StartPanel::hide_and_run(const QString& sentence, double depth) {
  const auto& text = lab_.loader.text();
  const auto& model = lab_.loader.model();
  if (!lab_.runs.can_run() || !text || !model) return;
  if (!needle_ || !text->contents || *text->contents != needle_->text || model->info.weights_hash != needle_->model)
    needle_ = NeedleText{*text, model->info.weights_hash, {}};  // else the next needle takes the place of the last one
  const LoadedText& without = needle_->without;
  std::span<const std::int32_t> ids(*without.ids);
  const std::int64_t limit = lab_.context.run_options().token_limit;
  if (limit > 0 && limit < std::ssize(ids)) ids = ids.first(static_cast<std::size_t>(limit));
  try {
    hidden_ = hide_sentence(*model->tokenizer, ids, lab_.context.config().segment_length, sentence, depth);
  } catch (const EngineError& error) {
    QString said = QString::fromStdString(error.problem() + ". " + error.advice());
    said.front() = said.front().toUpper();
    return say(said.toHtmlEscaped());
  }
  needle_->text = hidden_->text;
  who_asked_ = false;
  say(tr("Running the text with the sentence in it…"));
  lab_.loader.open_pasted_text(QString::fromStdString(hidden_->text),
                               tr("%1 with a needle").arg(QFileInfo(without.name).fileName()));
  lab_.runs.run_when_ready();
}

void StartPanel::look_for_sentence() {
  if (!hidden_) return;
  const HiddenSentence hidden = *std::exchange(hidden_, std::nullopt);
  LabContext& context = lab_.context;
  const RunModel& run = context.run();
  const TokenSpan span = tokens_of_bytes(run, hidden.begin, hidden.end);
  const int segment = run.segment_of_token(span.begin);
  if (span.end == 0 || segment + 1 >= run.segment_count())
    return say_of_run(tr("The run ended before it reached the sentence."));
  const auto found = heads_that_fetched(run, span);
  const QString asked = tr("Its first words are repeated at the end of segment %1.").arg(run.expected_segments() - 2);
  if (found.empty()) {
    context.select_token(span.begin);
    const QString why = why_nothing_retrieved(run, run.segment_count() - 1, {});
    return say_of_run((why.isEmpty() ? tr("No head retrieved it.") : why + u'.') + u' ' +
                      tr("It begins at position %1, which is selected.").arg(static_cast<qlonglong>(span.begin)) +
                      u' ' + asked);
  }
  const SpanHit& best = found.front();
  context.select({best.segment, best.layer, best.head, best.position});
  QString who = searcher_name(run, best.layer, best.head);
  who.front() = who.front().toUpper();
  QString text = filled(tr("<b>%1</b> retrieved %2 of its %3 tokens for segment %4, which is selected."), who,
                        best.fetched, span.end - span.begin, best.segment);
  if (!is_shared(run)) text += u' ' + tr("Heads that retrieved tokens of it, over all segments: %1.").arg(found.size());
  say_of_run(text + u' ' + asked);
}

}  // namespace carryover
