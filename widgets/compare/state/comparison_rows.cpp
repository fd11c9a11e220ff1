// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/state/comparison_rows.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/cost/policy_table.h"
#include "engine/policies/minference/minference_settings.h"
#include "widgets/heads/state/pattern_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/runs/state/sink_text.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Comparison", text);
}

/// The totals over the segments of a run that have ended; the run's summary may not exist yet.
struct Totals {
  std::int64_t tokens = 0, targets = 0, near_ties = 0, hits = 0;
  double nll = 0, seconds = 0;
  MemoryBytes most;
};

Totals totals_of(const RunModel& run) {
  Totals sum;
  for (int segment = 0; segment < run.segment_count(); ++segment) {
    const SegmentRecord& record = run.record(segment);
    sum.tokens += record.length;
    sum.targets += record.targets;
    sum.near_ties += record.near_ties;
    sum.nll += record.nll_sum;
    sum.seconds += record.seconds;
    for (const auto kind : {&MemoryBytes::activations, &MemoryBytes::attention_kv, &MemoryBytes::carry,
                            &MemoryBytes::pool, &MemoryBytes::device_peak})
      sum.most.*kind = std::max(sum.most.*kind, record.memory.*kind);
    sum.hits += run.digest(segment).evidence;
  }
  // A run's own time, which every view shows, includes the time between its segments. A run that is in progress or was
  // cut has no such time.
  if (run.finished() && run.summary().segments == run.segment_count()) sum.seconds = run.summary().seconds;
  return sum;
}

QString signed_number(double value, int digits) {
  const QString text = decimal_text(std::abs(value), digits);
  if (std::abs(value) < 0.5 * std::pow(10.0, -digits)) return text;
  return (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + text;
}

/// Collects the rows of one part; numbers come with their difference.
class Rows {
 public:
  explicit Rows(ComparisonRow::Part part) : part_(part) {}

  void add(const QString& name, const QString& a, const QString& b, const QString& change = {}) {
    rows_.push_back({part_, name, a, b, change});
  }
  void add(const QString& name, double a, double b, int digits) {
    add(name, decimal_text(a, digits), decimal_text(b, digits), signed_number(a - b, digits));
  }
  /// Counted in lists of hits: a list of each head and one that all heads share can't be subtracted.
  void add_of_lists(const QString& name, std::int64_t a, std::int64_t b, const RunComparison& runs) {
    if (runs.retrieve_alike() || a == 0 || b == 0)
      return add_unless_zero(name, static_cast<double>(a), static_cast<double>(b), 0);
    const auto counted = [](std::int64_t count, const RunModel& run) {
      return run.request().config.search == SearchBy::Shared ? tr("%1 (shared)").arg(count_text(count))
                                                             : tr("%1 (per head)").arg(count_text(count));
    };
    add(name, counted(a, runs.a()), counted(b, runs.b()));
  }
  void add_unless_zero(const QString& name, double a, double b, int digits) {
    if (a != 0 || b != 0) add(name, a, b, digits);
  }
  void add_if_different(const QString& name, const QString& a, const QString& b) {
    if (a != b) add(name, a, b);
  }
  std::vector<ComparisonRow> take() { return std::move(rows_); }

 private:
  ComparisonRow::Part part_;
  std::vector<ComparisonRow> rows_;
};

double perplexity(double nll, std::int64_t targets) {
  return std::exp(nll / static_cast<double>(targets));
}

std::vector<ComparisonRow> results(const RunComparison& comparison, const SegmentRange& range) {
  const Totals a = totals_of(comparison.a()), b = totals_of(comparison.b());
  Rows rows(ComparisonRow::Part::Result);
  const LossChange change = comparison.total_loss_change(range);
  if (change.targets > 0) {
    const auto targets = static_cast<double>(change.targets);
    const QString count = count_text(change.targets);
    rows.add(tr("Loss of %1 common targets, nats").arg(count), change.a / targets, change.b / targets, 4);
    rows.add(tr("Perplexity of these targets"), perplexity(change.a, change.targets),
             perplexity(change.b, change.targets), 3);
  }
  if (a.targets > 0 && b.targets > 0)
    rows.add(tr("Perplexity of the whole run"), perplexity(a.nll, a.targets), perplexity(b.nll, b.targets), 3);
  if (const auto jaccard = comparison.total_overlap(range).jaccard())
    rows.add(tr("Hits in common (Jaccard)"), {}, {}, decimal_text(*jaccard, 3));
  rows.add_of_lists(tr("Hits, padding left out"), a.hits, b.hits, comparison);
  rows.add_of_lists(tr("Near-ties at the cutoff"), a.near_ties, b.near_ties, comparison);
  const auto lost_in_a = count_lost_sinks(comparison.a(), range), lost_in_b = count_lost_sinks(comparison.b(), range);
  if (lost_in_a && lost_in_b)
    rows.add_unless_zero(tr("Segments that lost their attention sink"), lost_in_a->lost, lost_in_b->lost, 0);
  rows.add(tr("Tokens"), static_cast<double>(a.tokens), static_cast<double>(b.tokens), 0);
  rows.add(tr("Time, s"), a.seconds, b.seconds, 2);
  if (a.seconds > 0 && b.seconds > 0)
    rows.add(tr("Speed, tokens/s"), static_cast<double>(a.tokens) / a.seconds,
             static_cast<double>(b.tokens) / b.seconds, 0);
  const std::pair<QString, std::int64_t MemoryBytes::*> kinds[] = {
      {tr("Attention-visible KV, MB"), &MemoryBytes::attention_kv},
      {tr("Carry, MB"), &MemoryBytes::carry},
      {tr("Pool or cache, MB"), &MemoryBytes::pool},
      {tr("Activations, peak, MB"), &MemoryBytes::activations},
      {tr("All of the run, peak, MB"), &MemoryBytes::device_peak}};
  for (const auto& [name, kind] : kinds) {
    const double in_a = megabytes(a.most.*kind), in_b = megabytes(b.most.*kind);
    rows.add_unless_zero(name, in_a, in_b, std::max(in_a, in_b) < 10 ? 3 : 1);
  }
  return rows.take();
}

/// Counted: all of them fill pages.
void add_patterns(Rows& rows, const std::string& field, const HeadPatterns& a, const HeadPatterns& b) {
  if (const std::int64_t heads = differing_patterns(a, b); heads > 0)
    rows.add(QString::fromStdString(field), patterns_text(a), patterns_text(b), tr("%1 heads differ").arg(heads));
}

std::vector<ComparisonRow> settings(const RunModel& a, const RunModel& b) {
  Rows rows(ComparisonRow::Part::Setting);
  const auto text = [](auto view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); };
  rows.add_if_different(tr("model"), model_name(a.model()), model_name(b.model()));
  rows.add_if_different(tr("weights_hash"), text(a.model().weights_hash), text(b.model().weights_hash));
  rows.add_if_different(tr("adapter"), text(a.model().adapter), text(b.model().adapter));
  rows.add_if_different(tr("text"), QFileInfo(a.text_name()).fileName(), QFileInfo(b.text_name()).fileName());
  rows.add_if_different(tr("policy"), text(a.request().policy), text(b.request().policy));
  rows.add_if_different(tr("dtype"), text(dtype_name(a.model().dtype)), text(dtype_name(b.model().dtype)));
  rows.add_if_different(tr("device"), text(device_name(a.model().device)), text(device_name(b.model().device)));
  rows.add_if_different(tr("threads"), QString::number(a.model().threads), QString::number(b.model().threads));
  rows.add_if_different(tr("forced hits"), QString::number(a.request().forced_hits.size()),
                        QString::number(b.request().forced_hits.size()));
  const nlohmann::json in_a = a.request().config, in_b = b.request().config;
  std::set<std::string> fields;
  for (const nlohmann::json* json : {&in_a, &in_b})
    for (const auto& item : json->items()) fields.insert(item.key());
  const auto value = [](const nlohmann::json& json, const std::string& field) {
    return json.contains(field) ? QString::fromStdString(json.at(field).dump()) : QString();
  };
  for (const std::string& field : fields)
    if (policy_reads(a.request().policy, field) || policy_reads(b.request().policy, field)) {
      if (field == "head_patterns")
        add_patterns(rows, field, a.request().config.of<MinferenceSettings>().head_patterns,
                     b.request().config.of<MinferenceSettings>().head_patterns);
      else
        rows.add_if_different(QString::fromStdString(field), value(in_a, field), value(in_b, field));
    }
  return rows.take();
}

}  // namespace

std::vector<ComparisonRow> comparison_rows(const RunComparison& comparison, const SegmentRange& range) {
  std::vector<ComparisonRow> rows = results(comparison, range);
  for (ComparisonRow& row : settings(comparison.a(), comparison.b())) rows.push_back(std::move(row));
  return rows;
}

QString text_note(const RunComparison& comparison) {
  const std::int64_t tokens_a = comparison.a().token_count(), tokens_b = comparison.b().token_count();
  if (!comparison.same_vocabulary())
    return tr("The models have different vocabularies: no token is common. Memory, speed and settings are compared.");
  if (comparison.common_tokens() == 0)
    return tr("The texts have no token in common. Memory, speed and settings are compared.");
  if (comparison.first_difference() >= 0)
    return tr("The texts differ from token %1 on. Losses and hits are compared at the %2 tokens that are the same at "
              "the "
              "same place.")
        .arg(QString::number(comparison.first_difference()), count_text(comparison.common_tokens()));
  if (tokens_a != tokens_b)
    return tr("One text is longer. Losses and hits are compared over the %1 tokens that both runs read.")
        .arg(count_text(comparison.common_tokens()));
  return tr("Both read the same %1 tokens.").arg(count_text(comparison.common_tokens()));
}

}  // namespace carryover
