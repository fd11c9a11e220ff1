// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/scores/metric_table.h"

#include <algorithm>
#include <array>

namespace carryover {

namespace {

constexpr std::array<Metric, 16> kMetrics{{{"acc", true},
                                           {"acc_norm", true},
                                           {"accuracy", true},
                                           {"contains", true},
                                           {"exact_match", true},
                                           {"string_match", true},
                                           {"classification_score", true},
                                           {"retrieval_score", true},
                                           {"retrieval_zh_score", true},
                                           {"count_score", true},
                                           {"qa_f1_score", false},
                                           {"rouge_score", false},
                                           {"code_sim_score", false},
                                           {"perplexity", false},
                                           {"nll", false},
                                           {"tokens", false}}};

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

bool is_share(std::string_view metric) {
  const auto found = std::ranges::find(kMetrics, metric, &Metric::name);
  return found != kMetrics.end() && found->share;
}

}  // namespace carryover
