// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/bench_report.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/base/byte_size.h"
#include "engine/base/system_file.h"
#include "engine/base/text_parts.h"
#include "engine/runs/records/run_folder.h"

namespace carryover {

namespace {

using nlohmann::json;

std::string gpu_name() {
  std::error_code none;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none))
    return system_line((gpu.path() / "information").c_str(), "Model");
  return "unknown";
}

json machine_json(const ModelInfo& model) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const int cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : model.threads;
  json machine{{"processor", system_line("/proc/cpuinfo", "model name")},
               {"cores", cores},
               {"threads", model.threads},
               {"memory_bytes", machine_memory()},
               {"gpu", nullptr}};
  if (model.device == Device::Cuda) machine["gpu"] = gpu_name();
  return machine;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::tm parts{};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &parts));
  return text;
}

json row_json(const BenchRow& row, const MachineLimits& limits, std::int64_t new_tokens) {
  const BenchCase& bench_case = row.bench_case;
  const bool decoding = bench_case.kind == BenchKind::Decode;
  const double median = row.median();
  const auto [least, most] = std::minmax_element(row.seconds.begin(), row.seconds.end());
  const double tokens = decoding ? 1 : static_cast<double>(bench_case.tokens);
  json object{{"what", bench_kind_name(bench_case.kind)},
              {"who", bench_case.who},
              {"tokens", bench_case.tokens},
              {"seconds", row.seconds},
              {"median_s", median},
              {"min_s", *least},
              {"max_s", *most},
              {"tokens_per_s", tokens / median},
              {"memory", row.memory ? json(*row.memory) : json()},
              {"peak_bytes", row.peak_bytes ? json(*row.peak_bytes) : json()},
              {"predicted", row.predicted ? json(*row.predicted) : json()},
              {"deviation", nullptr}};
  if (bench_case.kind == BenchKind::Train) object["checkpointing"] = bench_case.checkpointing;
  if (decoding) {
    object["new_tokens"] = new_tokens;
    object["bytes_per_token"] = row.bytes;
    object["bandwidth_share"] = row.bytes / median / limits.bytes_per_second;
  } else {
    object["flops"] = row.flops;
    object["gemm_share"] = row.flops / median / limits.best_flops_per_second();
  }
  if (row.peak_bytes && row.predicted)
    object["deviation"] = static_cast<double>(*row.peak_bytes) / static_cast<double>(row.predicted->device_peak) - 1;
  return object;
}

json source_json(const BenchSource& source) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? json() : json(text); };
  return {{"who", source.who},
          {"program", source.program},
          {"dtype", text_or_null(source.dtype)},
          {"training_dtype", text_or_null(source.training_dtype)},
          {"weights_hash", text_or_null(source.weights_hash)},
          {"ids_hash", text_or_null(source.ids_hash)}};
}

/// Or a dash.
template <typename Value, typename Format>
std::string shown(const std::optional<Value>& value, Format format) {
  return value ? format(static_cast<double>(*value)) : "-";
}

std::string percent(double share) {
  return fixed_text(100 * share, 0) + " %";
}

std::string line(const std::vector<std::string>& cells) {
  char text[200];
  std::snprintf(text, sizeof text, "%-17s %-12s %8s %3s %11s %11s %11s %9s %6s %9s %7s\n", cells[0].c_str(),
                cells[1].c_str(), cells[2].c_str(), cells[3].c_str(), cells[4].c_str(), cells[5].c_str(),
                cells[6].c_str(), cells[7].c_str(), cells[8].c_str(), cells[9].c_str(), cells[10].c_str());
  return text;
}

std::string row_text(const BenchMeasurement& row) {
  const auto time = [&](double seconds) {
    return row.kind == BenchKind::Decode || seconds < 1 ? fixed_text(1000 * seconds, 2) + " ms"
                                                        : fixed_text(seconds, 3) + " s";
  };
  const std::string what = std::string(bench_kind_name(row.kind)) + (row.checkpointing ? ", recomputed" : "");
  return line({what, row.who, std::to_string(row.tokens), std::to_string(row.repeats), time(row.median_s),
               time(row.min_s), time(row.max_s),
               shown(row.tokens_per_s, [](double rate) { return fixed_text(rate, rate < 100 ? 1 : 0); }),
               shown(row.share, percent), shown(row.peak_bytes, size_text),
               shown(row.deviation, [](double share) { return (share < 0 ? "" : "+") + percent(share); })});
}

}  // namespace

json bench_json(const BenchInput& input, const MachineLimits& limits, const std::vector<std::string>& programs,
                const BenchResult& result) {
  const ModelInfo& model = input.model;
  json rows = json::array(), gaps = json::array(), sources = json::array(), shape = model.config;
  for (const BenchSource& source : result.sources) sources.push_back(source_json(source));
  for (const BenchRow& row : result.rows) rows.push_back(row_json(row, limits, input.new_tokens));
  for (const BenchGap& gap : result.gaps) gaps.push_back({{"what", gap.what}, {"who", gap.who}, {"why", gap.why}});
  shape["path"] = model.path;
  shape["weights_hash"] = model.weights_hash;
  return {{"date", now()},
          {"command_line", command_line()},
          {"machine", machine_json(model)},
          {"environment", environment_json(model)},
          {"programs", programs},
          {"subjects", std::move(sources)},
          {"model", std::move(shape)},
          {"dtype", dtype_name(model.dtype)},
          {"device", device_name(model.device)},
          {"weight_bytes", model.weight_bytes},
          {"config", input.config},
          {"limits", limits},
          {"limits_after", result.limits_after ? json(*result.limits_after) : json()},
          {"measurements", std::move(rows)},
          {"not_measured", std::move(gaps)},
          {"interrupted", result.interrupted}};
}

std::string bench_text(const BenchReport& bench) {
  std::string text = bench.model + ", " + bench.dtype + " on " + bench.device + ", " + std::to_string(bench.threads) +
                     " threads; " + bench.processor + "\n";
  for (const std::string& program : bench.programs) text += program + "\n";
  text += "fastest matmul " + fixed_text(bench.best_flops_per_second * 1e-9, 1) + " GFLOP/s, memory " +
          fixed_text(bench.bytes_per_second * 1e-9, 1) + " GB/s: the limits that shares refer to\n\n";
  text += line({"what", "who", "tokens", "n", "median", "least", "most", "tokens/s", "share", "peak", "plan"});
  for (const BenchMeasurement& row : bench.measurements) text += row_text(row);
  if (bench.limits_moved() > BenchReport::most_moved)
    text += "The machine changed: its limits moved by " + percent(bench.limits_moved()) +
            " between the beginning and the end, so that shares and ratios mean little. Measure on a quiet machine.\n";
  for (const BenchGap& gap : bench.not_measured)
    text += "not measured: " + gap.what + ", " + gap.who + ": " + gap.why + "\n";
  return bench.interrupted ? text + "Interrupted: what was not measured by then is not here.\n" : text;
}

}  // namespace carryover
