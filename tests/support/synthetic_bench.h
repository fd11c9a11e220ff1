// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace carryover::test {

inline nlohmann::json bench_row(const char* what, const char* who, int tokens, double seconds) {
  nlohmann::json row{{"what", what},
                     {"who", who},
                     {"tokens", tokens},
                     {"seconds", {seconds, seconds * 2, seconds / 2}},
                     {"median_s", seconds},
                     {"min_s", seconds / 2},
                     {"max_s", seconds * 2},
                     {"tokens_per_s", tokens / seconds},
                     {"peak_bytes", 1'000'000 + 1000 * tokens},
                     {"predicted", {{"device_peak", 1'000'000}}},
                     {"deviation", tokens / 1000.0}};
  row[std::string(what) == "decode" ? "bandwidth_share" : "gemm_share"] = 0.25;
  if (std::string(what) == "train") row["checkpointing"] = false;
  return row;
}

/// A bench.json of two policies and a peer whose memory is not known, with every kind of work.
inline nlohmann::json synthetic_bench() {
  nlohmann::json rows = nlohmann::json::array();
  for (const int tokens : {512, 2048})
    for (const char* what : {"prefill", "decode"}) {
      rows.push_back(bench_row(what, "segmented", tokens, 0.001 * tokens));
      rows.push_back(bench_row(what, "full", tokens, 0.002 * tokens));
      rows.push_back(bench_row(what, "transformers", tokens, 0.004 * tokens));
      for (const char* unknown : {"peak_bytes", "predicted", "deviation"}) rows.back()[unknown] = nullptr;
    }
  rows.push_back(bench_row("train", "segmented", 3072, 3));
  rows.push_back(bench_row("train", "segmented", 3072, 4));
  rows.back()["checkpointing"] = true;
  return {{"date", "2026-01-02T03:04:05Z"},
          {"command_line", {"carryover", "bench", "a model.gguf"}},
          {"machine",
           {{"processor", "a processor"}, {"cores", 8}, {"threads", 2}, {"memory_bytes", 1 << 30}, {"gpu", nullptr}}},
          {"environment", {{"libraries", "LibTorch 2"}}},
          {"programs", {"carryover 1", "transformers 4"}},
          {"model", {{"name", "a model"}, {"weights_hash", "abcdef"}}},
          {"dtype", "fp32"},
          {"device", "cpu"},
          {"limits", {{"best_flops_per_second", 2e11}, {"bytes_per_second", 1.5e10}}},
          {"measurements", std::move(rows)},
          {"not_measured", {{{"what", "everything"}, {"who", "llama-bench"}, {"why", "it is not here"}}}},
          {"interrupted", false}};
}

}  // namespace carryover::test
