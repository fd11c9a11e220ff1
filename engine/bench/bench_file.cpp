// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/bench_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/csv_cell.h"
#include "engine/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_bench(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Use what `carryover bench` wrote.");
}

/// The fields of one object, all of them required but for what may be null.
class BenchReader {
 public:
  BenchReader(const json& object, const std::string& where) : fields_(object, where), where_(where) {}

  std::int64_t count(const char* key) const {
    const std::int64_t value = fields_.integer(key);
    if (value < 0) refuse_bench(where_, std::string(key) + " is negative");
    return value;
  }
  double number(const char* key) const { return needed(fields_.find_number(key), key); }
  std::string text(const char* key) const { return needed(fields_.find_text(key), key); }
  bool flag(const char* key) const { return needed(fields_.find_flag(key), key); }
  std::optional<double> find_number(const char* key) const { return fields_.find_number(key); }
  std::optional<std::int64_t> find_count(const char* key) const { return fields_.find_integer(key); }
  std::string find_text(const char* key) const { return fields_.find_text(key).value_or(""); }

  const json& list(const char* key) const {
    const json* value = fields_.find(key);
    if (value == nullptr || !value->is_array()) refuse_bench(where_, std::string(key) + " is missing, or no list");
    return *value;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    for (const json& value : list(key)) {
      if (!value.is_string()) refuse_bench(where_, std::string(key) + " has an entry that is not a string");
      all.push_back(value.get<std::string>());
    }
    return all;
  }
  BenchReader object(const char* key) const {
    const json* value = fields_.find(key);
    if (value == nullptr) refuse_bench(where_, std::string(key) + " is missing");
    return BenchReader(*value, where_ + ", " + key);
  }
  const std::string& where() const { return where_; }

 private:
  template <typename Value>
  Value needed(std::optional<Value> value, const char* key) const {
    if (!value) refuse_bench(where_, std::string(key) + " is missing");
    return *std::move(value);
  }

  JsonFields fields_;
  std::string where_;
};

BenchKind read_kind(const BenchReader& row) {
  const std::string name = row.text("what");
  for (const BenchKind kind : bench_kinds)
    if (bench_kind_name(kind) == name) return kind;
  refuse_bench(row.where(), "what is '" + name.substr(0, 60) + "'");
}

BenchMeasurement read_measurement(const BenchReader& row) {
  BenchMeasurement found;
  found.kind = read_kind(row);
  found.who = row.text("who");
  found.tokens = row.count("tokens");
  found.checkpointing = found.kind == BenchKind::Train && row.flag("checkpointing");
  found.repeats = std::ssize(row.list("seconds"));
  found.median_s = row.number("median_s");
  found.min_s = row.number("min_s");
  found.max_s = row.number("max_s");
  found.tokens_per_s = row.find_number("tokens_per_s");
  found.share = row.find_number(found.kind == BenchKind::Decode ? "bandwidth_share" : "gemm_share");
  found.peak_bytes = row.find_count("peak_bytes");
  found.deviation = row.find_number("deviation");
  return found;
}

/// A number as JSON has it, or nothing.
template <typename Number>
std::string cell(const std::optional<Number>& value) {
  return value ? json(*value).dump() : "";
}

}  // namespace

std::string_view bench_kind_name(BenchKind kind) {
  return kind == BenchKind::Prefill ? "prefill" : kind == BenchKind::Decode ? "decode" : "train";
}

std::vector<std::string> BenchReport::subjects() const {
  std::vector<std::string> names;
  for (const BenchMeasurement& row : measurements)
    if (std::find(names.begin(), names.end(), row.who) == names.end()) names.push_back(row.who);
  return names;
}

double BenchReport::limits_moved() const {
  const auto moved = [](double before, double after) {
    return before > 0 && after > 0 ? std::max(after / before, before / after) - 1 : 0.0;
  };
  return std::max(moved(best_flops_per_second, best_flops_after), moved(bytes_per_second, bytes_after));
}

BenchReport read_bench(const json& bench, const std::string& where) {
  const BenchReader all(bench, where), machine = all.object("machine"), model = all.object("model"),
                                       limits = all.object("limits");
  BenchReport report;
  report.date = all.text("date");
  report.command_line = all.texts("command_line");
  report.programs = all.texts("programs");
  report.processor = machine.text("processor");
  report.gpu = machine.find_text("gpu");
  report.cores = machine.count("cores");
  report.threads = machine.count("threads");
  report.memory_bytes = machine.count("memory_bytes");
  report.libraries = all.object("environment").text("libraries");
  report.model = model.text("name");
  report.weights_hash = model.text("weights_hash");
  report.dtype = all.text("dtype");
  report.device = all.text("device");
  report.best_flops_per_second = limits.number("best_flops_per_second");
  report.bytes_per_second = limits.number("bytes_per_second");
  if (bench.contains("limits_after") && !bench["limits_after"].is_null()) {
    const BenchReader after = all.object("limits_after");
    report.best_flops_after = after.number("best_flops_per_second");
    report.bytes_after = after.number("bytes_per_second");
  }
  for (const json& each : all.list("measurements")) {
    const BenchReader row(each, where + ", measurement " + std::to_string(report.measurements.size() + 1));
    report.measurements.push_back(read_measurement(row));
    if (const json& predicted = each.value("predicted", json()); !predicted.is_null())
      report.measurements.back().predicted_bytes = row.object("predicted").count("device_peak");
  }
  for (const json& each : all.list("not_measured")) {
    const BenchReader gap(each, where + ", not_measured");
    report.not_measured.push_back({gap.text("what"), gap.text("who"), gap.text("why")});
  }
  report.interrupted = all.flag("interrupted");
  return report;
}

BenchReport parse_bench(std::string_view text, const std::string& where) {
  return read_bench(parse_json(text, where), where);
}

std::string bench_csv(const BenchReport& bench) {
  std::string text =
      "what,who,tokens,checkpointing,repeats,median_s,min_s,max_s,tokens_per_s,gemm_share,bandwidth_share,"
      "peak_bytes,deviation,predicted_bytes\n";
  for (const BenchMeasurement& row : bench.measurements) {
    const std::string share = cell(row.share);
    const bool decoding = row.kind == BenchKind::Decode;
    const std::string cells[] = {std::string(bench_kind_name(row.kind)),
                                 csv_cell(row.who),
                                 std::to_string(row.tokens),
                                 row.kind != BenchKind::Train ? ""
                                 : row.checkpointing          ? "true"
                                                              : "false",
                                 std::to_string(row.repeats),
                                 json(row.median_s).dump(),
                                 json(row.min_s).dump(),
                                 json(row.max_s).dump(),
                                 cell(row.tokens_per_s),
                                 decoding ? "" : share,
                                 decoding ? share : "",
                                 cell(row.peak_bytes),
                                 cell(row.deviation),
                                 cell(row.predicted_bytes)};
    for (const std::string& each : cells) text += (&each == cells ? "" : ",") + each;
    text += "\n";
  }
  return text;
}

}  // namespace carryover
