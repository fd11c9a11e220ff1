// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/text_panel.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/cost/policy_table.h"
#include "widgets/compare/state/run_comparison.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/text/state/text_search.h"
#include "widgets/text/state/text_units.h"
#include "widgets/text/text_sources.h"
#include "widgets/text/token_view.h"

namespace carryover {
namespace {

constexpr int heads_named = 6;  ///< in a tooltip; the rest is counted

/// Rows of the colour box; the first ones are TokenView's colourings.
constexpr int against_b = static_cast<int>(TokenView::Colouring::LossChange);
constexpr int of_what_if = against_b + 1, by_attention = of_what_if + 1, by_logit = by_attention + 1;

/// Rows of the heads' box.
constexpr int selected_head = 1, strongest_head = 2;

TokenView::Colouring colouring_of(int row) {
  if (row >= by_attention) return TokenView::Colouring::Source;
  return static_cast<TokenView::Colouring>(std::min(row, against_b));
}

QString heads_that_fetched(RunModel& run, int segment, std::int64_t token) {
  if (segment < 0 || segment >= run.segment_count()) return {};
  QStringList named;
  int count = 0;
  for (const HitIndex::Column& head : run.hit_index().columns()) {
    const BriefHits hits = head.of(segment);
    const auto hit = std::lower_bound(hits.begin(), hits.end(), token,
                                      [](BriefHit a, std::int64_t position) { return a.position() < position; });
    if (hit == hits.end() || hit->position() != token || !hit->is_evidence()) continue;
    if (++count <= heads_named)
      named += filled(QStringLiteral("%1.%2 %3"), head.layer, head.head, hit_kind_text(hit->kind()));
  }
  if (count == 0) return {};
  QString text = named.join(QStringLiteral(", "));
  if (count > heads_named) text += TextPanel::tr(" and %1 more").arg(count - heads_named);
  return filled(TextPanel::tr("retrieved for segment %1 by layer.head %2"), segment, text);
}

QString signed_nats(float change) {
  return signed_text(static_cast<double>(change), 3);
}

/// Returns the number of tokens that heads of such reads have before a later segment if they retrieve nothing.
std::int64_t unretrieved_prefix(PrefixParts reads, const SegmentConfig& config) {
  return (has(reads, PrefixPart::Sinks) ? config.sink_length : 0) +
         (has(reads, PrefixPart::Carry) ? config.carry_length : 0);
}

QString tooltip(RunModel& run, const Selection& selected, std::int64_t token, const RunComparison* comparison,
                const WhatIfResult* what_if) {
  const SegmentConfig& config = run.request().config;
  const auto number = [](std::int64_t value) { return QString::number(value); };
  const std::int64_t offset = token % config.segment_length;
  const int segment = run.segment_of_token(token);
  const std::int64_t local = segment == 0 ? 0 : unretrieved_prefix(config.local_reads, config);
  const std::int64_t long_range = segment == 0 ? 0 : unretrieved_prefix(config.long_reads, config);
  QStringList lines;
  lines += QStringLiteral("%1   id %2")
               .arg(quoted_token(run.token_text(token)), number((*run.request().ids)[static_cast<std::size_t>(token)]));
  lines += filled(TextPanel::tr("position %1, segment %2, its token %3"), number(token), segment, number(offset));
  if (runs_in_chunks(run.request().policy))
    lines += TextPanel::tr("RoPE position: %1").arg(number(token));
  else
    lines += TextPanel::tr(
                 "RoPE position where nothing is retrieved: %1 for local heads (prefix %2), %3 for "
                 "long-range heads (prefix %4)")
                 .arg(number(local + offset), number(local), number(long_range + offset), number(long_range));
  if (token < config.sink_length && policy_reads(run.request().policy, "sink_length"))
    lines += TextPanel::tr("attention sink: every later segment reads it");
  const float loss = run.nll_of_token(token);
  if (!std::isnan(loss))
    lines += TextPanel::tr("log-probability %1 (probability %2)")
                 .arg(decimal_text(-static_cast<double>(loss), 3), probability_text(token_probability(loss)));
  float change = comparison ? comparison->loss_change(token) : NAN;
  if (!std::isnan(change)) lines += TextPanel::tr("Δ loss %1 nats against the pinned run B").arg(signed_nats(change));
  change = what_if ? what_if->loss_change(token) : NAN;
  if (!std::isnan(change))
    lines += TextPanel::tr("Δ loss %1 nats in the what-if “%2”").arg(signed_nats(change), what_if->name);
  const QString fetched = heads_that_fetched(run, selected.segment, token);
  if (!fetched.isEmpty()) lines += fetched;
  return lines.join(u'\n');
}

TokenMarks marks_of(RunModel& run, const Selection& selected, bool one_head) {
  TokenMarks marks;
  if (run.is_empty() || selected.segment < 0) return marks;
  const SegmentConfig& config = run.request().config;
  marks.segment_begin = selected.segment * config.segment_length;
  marks.segment_end = std::min(marks.segment_begin + config.segment_length, run.token_count());
  marks.carry_end = marks.segment_begin;
  const std::int64_t sinks = policy_reads(run.request().policy, "sink_length") ? config.sink_length : 0;
  marks.carry_begin = std::max(std::min(sinks, marks.carry_end),
                               marks.carry_end - tail_before(run.request().policy, config, marks.segment_begin));
  marks.one_head = one_head && selected.head >= 0;
  if (marks.one_head) {
    for (const BriefHit hit : run.brief_hits(selected.segment, selected.layer, selected.head))
      marks.hits[hit.position()] = {hit.kind(), 1};
    return marks;
  }
  for (const auto& [position, heads] : run.hit_counts(selected.segment)) {
    marks.hits[position] = {HitKind::Anchor, heads};
    marks.most_heads = std::max(marks.most_heads, heads);
  }
  return marks;
}

QToolButton* icon_button(QWidget* parent, const QString& icon, const QString& what) {
  auto* button = new QToolButton(parent);
  button->setIcon(themed_icon(icon));
  button->setToolTip(what);
  button->setAccessibleName(what);
  button->setAutoRaise(true);
  return button;
}

/// Shows why in its tooltip; an empty obstacle is none.
void disable_for(QAction& action, const QString& obstacle) {
  action.setEnabled(obstacle.isEmpty());
  if (!obstacle.isEmpty()) action.setToolTip(obstacle);
}

}  // namespace

TextPanel::TextPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Text"), parent),
      lab_(lab),
      view_(new TokenView(lab.run(), this)),
      search_(new TextSearch(lab.run(), this)),
      sources_(new TextSources(context(), this)) {
  auto* bar = new QWidget(this);
  build_bar(bar);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar);
  layout->addWidget(sources_);
  layout->addWidget(view_, 1);

  view_->set_tooltip([this](std::int64_t token) {
    const QString text =
        tooltip(context().run(), context().selected(), token, context().comparison(), lab_.what_ifs().shown_in_run());
    const QString source = sources_->tooltip(token);
    return source.isEmpty() ? text : text + u'\n' + source;
  });
  view_->set_source([this](std::int64_t token) { return sources_->colour(token); });
  connect(sources_, &TextSources::answered, this, &Panel::request_refresh);
  connect(sources_, &TextSources::recoloured, view_->viewport(), qOverload<>(&QWidget::update));
  view_->set_loss_change([this](std::int64_t token) { return loss_change(token); });
  connect(view_, &TokenView::menu_wanted, this, &TextPanel::show_menu);
  connect(&lab.what_ifs(), &WhatIfs::shown_changed, this, &TextPanel::offer_loss_changes);
  connect(view_, &TokenView::token_clicked, this, [this](qint64 token) { choose_token(token); });
  connect(view_, &TokenView::token_taken, this, [this](qint64 token) { take_token(token); });
  connect(view_, &TokenView::token_hovered, this, [this](qint64 token) {
    Selection hovered;
    hovered.token = token;
    context().hover(hovered);
    sources_->preview(token);
  });
  connect(&lab.run(), &RunModel::reset, view_, &TokenView::reset);
  connect(&lab.run(), &RunModel::reset, sources_, &TextSources::forget);
  connect(&lab.run(), &RunModel::reset, this, [this] { shown_ = {}; });
  connect(&lab, &LabContext::model_changed, sources_, &TextSources::forget);
  connect(&lab, &LabContext::model_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::pinned_run_changed, this, &TextPanel::offer_loss_changes);
  connect(&lab.foil(), &FoilToken::changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  for (const auto signal : {&LabContext::selection_changed, &LabContext::pinned_changed, &LabContext::range_changed})
    connect(&lab, signal, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selected_again, this, [this] {
    if (context().linked()) view_->show_token(context().selected().token, false);
  });
  connect(&lab, &LabContext::hover_changed, this, [this] { view_->set_hovered_token(context().hovered().token); });
}

void TextPanel::build_bar(QWidget* bar) {
  colour_ = new QComboBox(bar);
  colour_->addItems({tr("Colour: hits"), tr("Colour: loss"), tr("Colour: none"), tr("Colour: Δ loss against B"),
                     tr("Colour: Δ loss of the what-if"), tr("Colour: sources by attention"),
                     tr("Colour: sources by logit")});
  colour_->setItemData(
      against_b, tr("Blue: this run predicts the token better; orange: the pinned run B does. Full colour: 2 nats"),
      Qt::ToolTipRole);
  colour_->setItemData(of_what_if,
                       tr("Blue: the what-if predicts the token better; orange: worse. Full colour: 2 nats"),
                       Qt::ToolTipRole);
  colour_->setItemData(by_attention,
                       tr("Where the query that predicts the selected token attends. A square-root scale"),
                       Qt::ToolTipRole);
  colour_->setItemData(by_logit,
                       tr("Contribution of each token to the logit of the selected one, through all heads (direct "
                          "logit attribution). Blue adds, orange subtracts"),
                       Qt::ToolTipRole);
  colour_->setAccessibleName(tr("Colour of the text"));
  colour_->setToolTip(tr("What the background of a token shows"));
  heads_ = new QComboBox(bar);
  heads_->addItems({tr("All heads"), tr("Selected head"), tr("Strongest head")});
  heads_->setAccessibleName(tr("Heads that are shown"));
  heads_->setToolTip(
      tr("Heads whose hits are marked: all (by number of heads) or one (by kind: anchor, expanded, padding). Heads "
         "whose attention is shown: the mean of all, the selected one, or the largest of any"));
  unit_ = new QComboBox(bar);
  unit_->addItems({tr("By token"), tr("By word"), tr("By sentence"), tr("By line"), tr("By segment")});
  unit_->setAccessibleName(tr("Unit that has one colour"));
  unit_->setToolTip(tr("Unit of the colouring: its mean loss, or its strongest hit"));
  for (QComboBox* box : {colour_, heads_, unit_}) box->setMinimumWidth(70);  // on a narrow window they give way
  query_ = new QLineEdit(bar);
  query_->setPlaceholderText(tr("Search (Ctrl+F)"));
  query_->setAccessibleName(tr("Search the text"));
  query_->setClearButtonEnabled(true);
  query_->setMinimumWidth(90);
  found_ = new QLabel(bar);
  say_of_search({});
  auto* previous = icon_button(bar, QStringLiteral("up"), tr("Previous match"));
  auto* next = icon_button(bar, QStringLiteral("down"), tr("Next match"));

  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(6, 4, 6, 4);
  layout->setSpacing(6);
  layout->addWidget(colour_);
  layout->addWidget(heads_);
  layout->addWidget(unit_);
  layout->addWidget(found_);
  layout->addWidget(query_, 2);
  layout->addWidget(previous);
  layout->addWidget(next);
  layout->addWidget(sync_toggle());
  connect(next, &QToolButton::clicked, this, [this] { search(true); });
  connect(previous, &QToolButton::clicked, this, [this] { search(false); });
  connect_bar();
  offer_loss_changes();
}

/// Shows what the search says; an empty text takes no room.
void TextPanel::say_of_search(const QString& text) {
  found_->setText(text);
  found_->setVisible(!text.isEmpty());
}

void TextPanel::connect_bar() {
  connect(unit_, &QComboBox::currentIndexChanged, this,
          [this](int index) { view_->set_unit(static_cast<TextUnit>(index)); });
  connect(colour_, &QComboBox::currentIndexChanged, this, &TextPanel::choose_colour);
  connect(heads_, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
  connect(query_, &QLineEdit::returnPressed, this, [this] { search(true); });
  connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this, [this] {
    query_->setFocus();
    query_->selectAll();
  });
  connect(search_, &TextSearch::found, this, [this](qint64 token) {
    say_of_search({});
    context().select_token(token);
  });
  connect(search_, &TextSearch::not_found, this, [this] { say_of_search(tr("not found")); });
}

void TextPanel::choose_colour() {
  const int row = colour_->currentIndex();
  heads_->setEnabled(row == 0 || row == by_attention);
  static_cast<QStandardItemModel*>(heads_->model())->item(strongest_head)->setEnabled(row == by_attention);
  if (row != by_attention && heads_->currentIndex() == strongest_head) heads_->setCurrentIndex(0);
  view_->set_colouring(colouring_of(row));
  choose_sources();
  request_refresh();
}

/// Tells the sources which value to ask for; none if sources are not the colour.
void TextPanel::choose_sources() {
  std::optional<SourceValue> value;
  if (colour_->currentIndex() == by_logit) {
    value = SourceValue::Logit;
  } else if (colour_->currentIndex() == by_attention) {
    const bool one = heads_->currentIndex() == selected_head && context().selected().head >= 0;
    value = heads_->currentIndex() == strongest_head ? SourceValue::LargestAttention
            : one                                    ? SourceValue::HeadAttention
                                                     : SourceValue::MeanAttention;
  }
  sources_->choose(value, heads_->currentText());
}

void TextPanel::unseen() {
  sources_->stop_asking();
}

float TextPanel::loss_change(std::int64_t token) {
  if (colour_->currentIndex() == of_what_if) {
    const WhatIfResult* what_if = lab_.what_ifs().shown_in_run();
    return what_if ? what_if->loss_change(token) : NAN;
  }
  const RunComparison* comparison = context().comparison();
  return comparison ? comparison->loss_change(token) : NAN;
}

void TextPanel::offer_colour(int index, bool offered) {
  static_cast<QStandardItemModel*>(colour_->model())->item(index)->setEnabled(offered);
  if (!offered && colour_->currentIndex() == index) colour_->setCurrentIndex(0);
}

void TextPanel::offer_loss_changes() {
  offer_colour(against_b, context().comparison() != nullptr);
  offer_colour(of_what_if, lab_.what_ifs().shown_in_run() != nullptr);
  view_->viewport()->update();
}

// Offers what can be done with the marked tokens, or with the selected one.
void TextPanel::show_menu(const QPoint& global_position) {
  const Selection& selected = context().selected();
  TokenRange range = view_->marked_range();
  if (range.first == range.last && selected.token >= 0) range = {selected.token, selected.token + 1};
  if (range.first == range.last) return;
  const QString what = range.last - range.first == 1
                           ? tr("token %1").arg(static_cast<qlonglong>(range.first))
                           : tr("%L1 tokens").arg(static_cast<qlonglong>(range.last - range.first));
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  connect(menu->addAction(tr("Copy the text of %1").arg(what)), &QAction::triggered, this,
          [this, range] { QGuiApplication::clipboard()->setText(whole_text(context().run(), range)); });
  if (range.last - range.first == 1) {
    connect(menu->addAction(tr("Why %1?").arg(what)), &QAction::triggered, this, [this, range] {
      context().select_token(range.first);
      Q_EMIT why_wanted();
    });
    connect(menu->addAction(tr("Sources of %1 by attention").arg(what)), &QAction::triggered, this, [this, range] {
      colour_->setCurrentIndex(by_attention);
      context().select_token(range.first);
    });
  }
  menu->addSeparator();
  offer_what_ifs(*menu, range, what);
  offer_slots(*menu, range, what);
  menu->popup(global_position);
}

// Tokens that were not retrieved cannot be left out.
void TextPanel::offer_what_ifs(QMenu& menu, const TokenRange& range, const QString& what) {
  const int segment = context().selected().segment;
  SegmentEdit ablation;
  ablation.dropped = slots_at(context().run(), segment, {range});
  const QString obstacle =
      ablation.dropped.empty() ? filled(tr("No head retrieved %1 for segment %2"), what, segment) : QString();
  const QString busy = lab_.what_ifs().unavailable();
  QAction* ablate = menu.addAction(filled(tr("Ablate %1 in all heads of segment %2"), what, segment));
  disable_for(*ablate, obstacle.isEmpty() ? busy : obstacle);
  connect(ablate, &QAction::triggered, this, [this, segment, ablation, what] {
    lab_.what_ifs().ask_run({segment, {ablation}}, tr("without %1 in any head").arg(what));
  });
  QAction* exclude = menu.addAction(tr("Exclude %1 from all heads").arg(what));
  disable_for(*exclude, obstacle);
  connect(exclude, &QAction::triggered, this, [this, range] { lab_.what_ifs().ban(range); });
}

void TextPanel::offer_slots(QMenu& menu, const TokenRange& range, const QString& what) {
  const Selection& selected = context().selected();
  QAction* add = menu.addAction(selected.head < 0
                                    ? tr("Add %1 to the selected head").arg(what)
                                    : filled(tr("Add %1 to layer %2, head %3"), what, selected.layer, selected.head));
  disable_for(*add, slot_obstacle(range));
  connect(add, &QAction::triggered, this, [this, range, head = HeadRef{selected.layer, selected.head}] {
    for (std::int64_t token = range.first; token < range.last; ++token)
      lab_.what_ifs().add(slot_read_by(context().run(), head, token));
  });
}

QString TextPanel::slot_obstacle(const TokenRange& range) {
  const Selection& selected = context().selected();
  const RunModel& run = context().run();
  const SegmentConfig& config = run.request().config;
  if (selected.head < 0) return tr("Select a head first");
  if (range.last > selected.segment * config.segment_length)
    return tr("Heads retrieve only positions before the segment");
  if (range.first < config.sink_length) return tr("Every segment reads the attention sinks");
  if (!run.brief_hits(selected.segment, selected.layer, selected.head).empty()) return {};
  return why_nothing_retrieved(run, selected.segment, {selected.layer, selected.head});
}

// A token that the selected segment fetched is looked at from that segment; any other one from its own.
void TextPanel::choose_token(std::int64_t token) {
  if (!view_->is_marked(token)) return context().select_token(token);
  Selection selection = context().selected();
  selection.token = token;
  context().select(selection);
}

// The menu's what-ifs are of the selected segment, whose heads may read any token before it: it stays selected.
void TextPanel::take_token(std::int64_t token) {
  Selection selection = context().selected();
  if (context().run().segment_of_token(token) >= selection.segment) return context().select_token(token);
  selection.token = token;
  context().select(selection);
}

void TextPanel::search(bool forward) {
  say_of_search(query_->text().isEmpty() ? QString() : tr("searching…"));
  if (!query_->text().isEmpty()) search_->find(query_->text(), context().selected().token, forward);
}

void TextPanel::refresh() {
  const Selection& selected = context().selected();
  TokenMarks marks = marks_of(context().run(), selected, heads_->currentIndex() == selected_head);
  const std::int64_t segment_begin = marks.segment_begin;
  marks.pinned = context().pinned().token;
  if (const SegmentRange& range = context().range(); range.is_set()) {
    const std::int64_t length = context().run().request().config.segment_length;
    marks.shown_begin = range.first * length;
    marks.shown_end = (range.last + 1) * length;
  }
  view_->set_marks(std::move(marks));
  view_->set_selected_token(selected.token);
  if (selected.token >= 0 && selected.token != shown_.token) {
    view_->show_token(selected.token, false);
  } else if (selected.segment >= 0 && selected.segment != shown_.segment) {
    view_->show_token(segment_begin, true);
  }
  shown_ = selected;
  choose_sources();
  sources_->refresh();
}

}  // namespace carryover
