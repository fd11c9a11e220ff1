// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the time that a search of the pool takes, on random keys of SmolLM2-135M's shape.
//   search_bench ENTRIES DTYPE THREADS
// The paper's search, and the preset's for recall, each between two segments: from the queries to the gathered prefix
// of the layers that search. JSON on standard output: milliseconds of each repetition.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/checkpoints/random_model.h"
#include "engine/config/head_reads.h"
#include "engine/config/recall_preset.h"
#include "engine/method/retriever.h"

using namespace carryover;

namespace {

constexpr int kRepeats = 15, kWarmUps = 3;

/// The preset for recall, read by the layers that search alone: what every other layer holds is not searched.
SegmentConfig recall(const ModelConfig& model) {
  SegmentConfig config = recall_preset(model, SegmentConfig::untrained_defaults_for(model));
  std::set<int> layers;
  for (const HeadRef head : config.search_heads) layers.insert(head.layer);
  config.grouping = Grouping({layers.begin(), layers.end()}, config.grouping.long_range_heads());
  return config;
}

RetrievalPool random_pool(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                          std::int64_t entries) {
  constexpr std::int64_t kPart = 16384;
  RetrievalPool pool(config, model, options, entries);
  for (std::int64_t done = 0; done < entries; done += kPart) {
    std::vector<at::Tensor> keys, values;
    for (int layer = 0; layer < model.layers; ++layer) {
      const auto slots = std::ssize(pool_kv_heads(config, model, layer));
      keys.push_back(slots > 0 ? at::randn({slots, std::min(kPart, entries - done), model.head_dim}, options)
                               : at::Tensor());
      values.push_back(keys.back());
    }
    pool.append(keys, values, std::min(kPart, entries - done));
  }
  return pool;
}

nlohmann::json measure(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                       std::int64_t entries) {
  using Clock = std::chrono::steady_clock;
  const RetrievalPool pool = random_pool(config, model, options, entries);
  const Retriever retriever(config, model, {});
  std::vector<at::Tensor> queries(static_cast<std::size_t>(model.layers));
  for (int layer = 0; layer < model.layers; ++layer)
    if (const auto heads = std::ssize(search_heads(config, model, layer)); heads > 0)
      queries[static_cast<std::size_t>(layer)] = at::randn({heads, config.query_length, model.head_dim}, options);
  std::vector<double> milliseconds;
  for (int i = 0; i < kWarmUps + kRepeats; ++i) {
    const auto start = Clock::now();
    retriever.retrieve(queries, {pool, 1, config.carry_length}, at::kCPU);
    if (i >= kWarmUps) milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return milliseconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: search_bench ENTRIES fp32|bf16 THREADS\n";
    return 2;
  }
  const std::int64_t entries = std::stoll(argv[1]);
  const auto options = at::TensorOptions().dtype(std::string(argv[2]) == "bf16" ? at::kBFloat16 : at::kFloat);
  at::set_num_threads(std::stoi(argv[3]));
  at::manual_seed(1);
  const ModelConfig model = open_random_model("smollm2-135m")->config();
  std::cout << nlohmann::json{{"entries", entries},
                              {"paper_ms", measure(SegmentConfig::defaults_for(model), model, options, entries)},
                              {"recall_ms", measure(recall(model), model, options, entries)}}
            << '\n';
}
