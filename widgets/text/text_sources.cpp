// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/text_sources.h"

#include <QBoxLayout>
#include <QLabel>
#include <cmath>

#include "widgets/lab/foil_field.h"
#include "widgets/look/colour_mix.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/gradients.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/runs/state/prediction_change.h"

namespace carryover {
namespace {

constexpr int pointer_rests_ms = 200;

}  // namespace

TextSources::TextSources(LinkedContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      view_(context.lab(), QStringLiteral("text_sources"), this, [this] { Q_EMIT answered(); }),
      legend_(new QLabel(this)),
      foil_(new FoilField(context.lab(), this)) {
  legend_->setMargin(5);
  legend_->setWordWrap(true);
  legend_->setAccessibleName(tr("What the colours mean"));
  legend_->hide();
  foil_->hide();
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(legend_, 1);
  row->addWidget(foil_);
  rest_timer_.setSingleShot(true);
  rest_timer_.setInterval(pointer_rests_ms);
  connect(&rest_timer_, &QTimer::timeout, this, [this] {
    previewed_ = context_.hovered().token;
    refresh();
  });
}

void TextSources::choose(std::optional<SourceValue> value, const QString& heads) {
  value_ = value;
  heads_ = heads;
}

/// While the pointer rests on a token, the token's sources are shown as if it were selected.
void TextSources::preview(std::int64_t token) {
  rest_timer_.stop();
  if (value_ && token > 0 && token != context_.selected().token && token != previewed_) rest_timer_.start();
  if (previewed_ < 0 || previewed_ == token) return;
  previewed_ = -1;
  refresh();
}

void TextSources::forget() {
  rest_timer_.stop();
  previewed_ = -1;
  values_ = {};
  legend_->clear();
}

void TextSources::stop_asking() {
  view_.forget();
}

void TextSources::refresh() {
  QString says;
  if (!value_) {
    values_ = {};
    previewed_ = -1;
    view_.forget();
  } else if (previewed_ < 0) {
    if (!find_sources(context_.selected().token, says)) values_ = {};
    legend_->setText(says);
  } else if (find_sources(previewed_, says)) {  // until then the colours of the selected token stay
    legend_->setText(tr("Preview: %1").arg(says));
  }
  legend_->setVisible(value_.has_value());
  foil_->setVisible(value_ == SourceValue::Logit);
  Q_EMIT recoloured();
}

bool TextSources::find_sources(std::int64_t token, QString& says) {
  const RunModel& run = context_.run();
  const Selection& selected = context_.selected();
  const int segment = run.segment_of_token(token - 1);
  if (segment < 0 || segment >= run.segment_count()) {
    view_.forget();
    says = tr("Select a token to colour the sources of its prediction. Point at a token for a preview.");
    return false;
  }
  InspectionParts parts;
  if (value_ == SourceValue::Logit) {
    const FoilToken& foil = context_.lab().foil();
    says = foil.problem();
    if (!says.isEmpty()) return false;
    parts.foil = foil.id();
  }
  parts.sources = token - 1 - run.record(segment).first_token;
  const auto answer = view_.ask(segment, parts);
  if (!answer || !answer->sources) {
    says = view_.why_not();
    return false;
  }
  const std::int64_t head = selected.layer * run.model().config.heads + selected.head;
  values_ = {*answer->sources, *value_, head, run.request().config.sink_length};
  const auto full = static_cast<double>(values_.full());
  says = values_.is_signed()
             ? filled(tr("Blue tokens add to the %1, orange ones subtract from it. Full colour: %2"),
                      logit_name(run.token_text(token), parts.foil ? id_text(run, *parts.foil) : QString()),
                      decimal_text(full, 2))
             : tr("Where the query that predicts %1 attends (%2). Full colour: %3 %; attention sinks may be above")
                   .arg(quoted_token(run.token_text(token)), heads_, decimal_text(100 * full, 1));
  return true;
}

std::optional<QColor> TextSources::colour(std::int64_t token) const {
  const auto strength = static_cast<double>(values_.strength(token));
  if (std::isnan(strength)) return std::nullopt;
  const Theme& theme = current_theme();
  const bool on_dark = theme.kind == ThemeKind::Dark;
  const QColor full = values_.is_signed() ? contribution_colour(strength < 0 ? -1 : 1, on_dark) : theme.anchor;
  return blend(theme.surface, full, std::abs(strength) * 0.75);
}

QString TextSources::tooltip(std::int64_t token) const {
  const float value = values_.at(token);
  if (std::isnan(value)) return {};
  return values_.is_signed() ? (context_.lab().foil().id() ? tr("adds %1 to the logit difference")
                                                           : tr("adds %1 to the logit of the selected token"))
                                   .arg(decimal_text(static_cast<double>(value), 3))
                             : tr("gets %1 % of the attention").arg(decimal_text(100 * static_cast<double>(value), 2));
}

}  // namespace carryover
