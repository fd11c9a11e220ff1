// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/bench_report.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/commands/output.h"
#include "app/commands/verbs.h"
#include "engine/io/run_folder.h"

namespace carryover {

namespace {

using nlohmann::json;

/// A line "Key : value" of a file in /proc, or nothing.
std::string system_line(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (line.rfind(key, 0) != 0 || colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

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
               {"memory_bytes", std::atoll(system_line("/proc/meminfo", "MemTotal").c_str()) * 1024},
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

std::string number(const json& row, const char* key) {
  const auto at = row.find(key);
  return at == row.end() || at->is_null() ? "" : at->dump();
}

/// Or a dash.
template <typename Format>
std::string shown(const json& row, const char* key, Format format) {
  const auto at = row.find(key);
  return at == row.end() || at->is_null() ? "-" : format(at->get<double>());
}

std::string percent(double share) {
  return fixed(100 * share, 0) + " %";
}

std::string line(const std::vector<std::string>& cells) {
  char text[200];
  std::snprintf(text, sizeof text, "%-17s %-12s %8s %3s %11s %11s %11s %9s %6s %9s %7s\n", cells[0].c_str(),
                cells[1].c_str(), cells[2].c_str(), cells[3].c_str(), cells[4].c_str(), cells[5].c_str(),
                cells[6].c_str(), cells[7].c_str(), cells[8].c_str(), cells[9].c_str(), cells[10].c_str());
  return text;
}

std::string row_text(const json& row) {
  const bool decoding = row.at("what") == "decode";
  const auto time = [&](double seconds) {
    return decoding || seconds < 1 ? fixed(1000 * seconds, 2) + " ms" : fixed(seconds, 3) + " s";
  };
  const std::string what =
      row.at("what").get<std::string>() + (row.value("checkpointing", false) ? ", recomputed" : "");
  return line({what, row.at("who"), row.at("tokens").dump(), std::to_string(row.at("seconds").size()),
               shown(row, "median_s", time), shown(row, "min_s", time), shown(row, "max_s", time),
               shown(row, "tokens_per_s", [](double rate) { return fixed(rate, rate < 100 ? 1 : 0); }),
               shown(row, decoding ? "bandwidth_share" : "gemm_share", percent), shown(row, "peak_bytes", human_bytes),
               shown(row, "deviation", [](double share) { return (share < 0 ? "" : "+") + percent(share); })});
}

}  // namespace

json bench_json(const BenchInput& input, const MachineLimits& limits, const std::vector<std::string>& programs,
                const BenchResult& result) {
  const ModelInfo& model = input.model;
  json rows = json::array(), gaps = json::array(), shape = model.config;
  for (const BenchRow& row : result.rows) rows.push_back(row_json(row, limits, input.new_tokens));
  for (const BenchGap& gap : result.gaps) gaps.push_back({{"what", gap.what}, {"who", gap.who}, {"why", gap.why}});
  shape["path"] = model.path;
  shape["weights_hash"] = model.weights_hash;
  return {{"date", now()},
          {"command_line", command_line()},
          {"machine", machine_json(model)},
          {"environment", environment_json(model)},
          {"programs", programs},
          {"model", std::move(shape)},
          {"dtype", dtype_name(model.dtype)},
          {"device", device_name(model.device)},
          {"weight_bytes", model.weight_bytes},
          {"config", input.config},
          {"limits", limits},
          {"measurements", std::move(rows)},
          {"not_measured", std::move(gaps)},
          {"interrupted", result.interrupted}};
}

std::string bench_csv(const json& bench) {
  constexpr const char* kNumbers[] = {"median_s",   "min_s",           "max_s",      "tokens_per_s",
                                      "gemm_share", "bandwidth_share", "peak_bytes", "deviation"};
  std::string text = "what,who,tokens,checkpointing,repeats";
  for (const char* name : kNumbers) text += std::string(",") + name;
  text += ",predicted_bytes\n";
  for (const json& row : bench.at("measurements")) {
    text += row.at("what").get<std::string>() + "," + row.at("who").get<std::string>() + "," + row.at("tokens").dump() +
            "," + number(row, "checkpointing") + "," + std::to_string(row.at("seconds").size());
    for (const char* name : kNumbers) text += "," + number(row, name);
    const json& predicted = row.at("predicted");
    text += "," + (predicted.is_null() ? "" : predicted.at("device_peak").dump()) + "\n";
  }
  return text;
}

std::string bench_text(const json& bench) {
  const json& machine = bench.at("machine");
  const json& limits = bench.at("limits");
  std::string text = bench.at("model").at("name").get<std::string>() + ", " + bench.at("dtype").get<std::string>() +
                     " on " + bench.at("device").get<std::string>() + ", " + machine.at("threads").dump() +
                     " threads; " + machine.at("processor").get<std::string>() + "\n";
  for (const json& program : bench.at("programs")) text += program.get<std::string>() + "\n";
  text += "products " + fixed(limits.at("best_flops_per_second").get<double>() * 1e-9, 1) + " GFLOP/s, memory " +
          fixed(limits.at("bytes_per_second").get<double>() * 1e-9, 1) + " GB/s: what the shares are of\n\n";
  text += line({"what", "who", "tokens", "n", "median", "least", "most", "tokens/s", "share", "peak", "plan"});
  for (const json& row : bench.at("measurements")) text += row_text(row);
  for (const json& gap : bench.at("not_measured"))
    text += "not measured: " + gap.at("what").get<std::string>() + ", " + gap.at("who").get<std::string>() + ": " +
            gap.at("why").get<std::string>() + "\n";
  return bench.at("interrupted") ? text + "Interrupted: what was not measured by then is not here.\n" : text;
}

}  // namespace carryover
