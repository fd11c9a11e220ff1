// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bench/bench_table.h"

#include <algorithm>
#include <cmath>

#include "widgets/bench/bench_plots.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

QString seconds_text(const BenchMeasurement& row, double seconds) {
  const bool milliseconds = row.kind == BenchKind::Decode || seconds < 1;
  return milliseconds ? decimal_text(1000 * seconds, 2) + QStringLiteral(" ms")
                      : decimal_text(seconds, 3) + QStringLiteral(" s");
}

QString percent(double share, bool sign) {
  const double value = std::abs(share) < 0.0005 ? 0 : share;  // no "-0.0"
  return (sign && value >= 0 ? QStringLiteral("+") : QString()) + percent_text(value, std::abs(value) < 0.1 ? 1 : 0);
}

QString time_tip(const BenchMeasurement& row) {
  return BenchTable::tr("Median of %1 repetitions, from %2 to %3")
      .arg(QString::number(row.repeats), seconds_text(row, row.min_s), seconds_text(row, row.max_s));
}

QString share_tip(const BenchMeasurement& row) {
  if (row.kind != BenchKind::Decode)
    return BenchTable::tr("FLOPs of the definition per second, as a share of the fastest matmul");
  return BenchTable::tr(
      "Bytes of weights and of visible keys and values read per second, as a share of memory bandwidth");
}

QString deviation_tip(const BenchMeasurement& row) {
  return row.predicted_bytes ? BenchTable::tr("predicted: %1").arg(bytes_text(*row.predicted_bytes)) : QString();
}

QString rate_text(double rate) {
  return decimal_text(rate, rate < 100 ? 1 : 0);
}

template <typename Value>
double number_or_nan(const std::optional<Value>& value) {
  return value ? static_cast<double>(*value) : NAN;
}

}  // namespace

BenchTable::BenchTable(QObject* parent) : ColumnTable(parent) {
  using Row = const BenchMeasurement&;
  const auto name = [](Row row) { return bench_curve_name(row); };
  const auto bytes = [](double value) { return bytes_text(static_cast<std::int64_t>(value)); };
  const auto name_order = [this](Row row) {
    return std::ranges::lower_bound(names_, bench_curve_name(row).toStdString()) - names_.begin();
  };
  const auto share = [](double value) { return percent(value, false); };
  const auto deviation = [](double value) { return percent(value, true); };
  set_columns({
      words(tr("Work"), [](Row row) { return bench_kind_title(row.kind); }).sorted_by([](Row row) {
        return static_cast<double>(row.kind);
      }),
      words(tr("Program"), name).sorted_by(name_order),
      numbers(tr("Tokens"), {}, whole_count_text, &BenchMeasurement::tokens),
      numbers(tr("n"), {}, whole_count_text, &BenchMeasurement::repeats),
      figures(tr("Time"), [](Row row) { return seconds_text(row, row.median_s); })
          .sorted_by(&BenchMeasurement::median_s)
          .tipped_by(time_tip),
      numbers(tr("Tokens/s"), {}, rate_text, [](Row row) { return number_or_nan(row.tokens_per_s); }),
      numbers(tr("Share of peak"), {}, share, [](Row row) { return number_or_nan(row.share); }).tipped_by(share_tip),
      numbers(tr("Peak memory"), {}, bytes, [](Row row) { return number_or_nan(row.peak_bytes); }),
      numbers(tr("Deviation"), {}, deviation, [](Row row) { return number_or_nan(row.deviation); })
          .tipped_by(deviation_tip),
  });
}

void BenchTable::set_rows(std::vector<BenchMeasurement> rows) {
  names_.clear();
  for (const BenchMeasurement& row : rows) names_.push_back(bench_curve_name(row).toStdString());
  std::ranges::sort(names_);
  ColumnTable::set_rows(std::move(rows));
}

QVariant BenchTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
    return QVariant((section <= Who ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return ColumnTable::headerData(section, orientation, role);
}

}  // namespace carryover
