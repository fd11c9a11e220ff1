// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/state/ribbon_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/look/gradients.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

namespace carryover {
void RibbonValues::clear() {
  values_.clear();
  update_scale();
}

void RibbonValues::append(const SegmentDigest& digest) {
  const SegmentRecord& record = digest.record;
  const double loss = record.targets > 0 ? record.nll_sum / static_cast<double>(record.targets) : std::nan("");
  values_.push_back({loss, static_cast<double>(digest.mean_key_norm), static_cast<double>(digest.evidence)});
  widen_scale(count() - 1);
}

void RibbonValues::compare(const RunComparison* comparison, int first) {
  for (int segment = first; segment < count(); ++segment) {
    const auto change = comparison ? comparison->segment_loss_change(segment).mean() : std::nullopt;
    values_[static_cast<std::size_t>(segment)].loss_change = change.value_or(std::nan(""));
  }
  if (chosen_ == RibbonValue::LossChange) update_scale();
}

void RibbonValues::choose(RibbonValue value) {
  chosen_ = value;
  update_scale();
}

double RibbonValues::value(int segment) const {
  const Values& values = of(segment);
  switch (chosen_) {
    case RibbonValue::Loss:
      return values.loss;
    case RibbonValue::Perplexity:
      return std::exp(values.loss);
    case RibbonValue::CarryNorm:
      return values.carry_norm;
    case RibbonValue::Hits:
      return values.hits;
    case RibbonValue::LossChange:
      return values.loss_change;
  }
  return std::nan("");
}

void RibbonValues::update_scale() {
  least_ = std::numeric_limits<double>::infinity();
  largest_ = -least_;
  widen_scale(0);
}

void RibbonValues::widen_scale(int first) {
  for (int segment = first; segment < count(); ++segment) {
    const double shown = value(segment);
    if (std::isnan(shown)) continue;
    least_ = std::min(least_, shown);
    largest_ = std::max(largest_, shown);
  }
  if (chosen_ != RibbonValue::LossChange || !(least_ <= largest_)) return;
  largest_ = std::max(std::abs(least_), std::abs(largest_));  // zero is in the middle
  least_ = -largest_;
}

QColor RibbonValues::colour(int segment) const {
  const double shown = value(segment), span = largest_ - least_;
  if (std::isnan(shown)) return {};
  const double share = span > 0 ? (shown - least_) / span : 0.5;
  if (chosen_ == RibbonValue::LossChange)
    return diverging_colour(2 * share - 1, current_theme().kind == ThemeKind::Dark);
  return scale_colour(ColourScale::Viridis, share);
}

QString RibbonValues::scale_text() const {
  if (!(least_ <= largest_)) return {};
  const int digits = chosen_ == RibbonValue::Hits ? 0 : chosen_ == RibbonValue::LossChange ? 3 : 2;
  return QStringLiteral("%1 … %2").arg(decimal_text(least_, digits), decimal_text(largest_, digits));
}

}  // namespace carryover
