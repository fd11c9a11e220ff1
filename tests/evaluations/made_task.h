// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/campaigns/evaluations/sample_journal.h"
#include "engine/tasks/base/task.h"

namespace carryover::test {

/// A task without samples of its own; of perplexity it has the total's, else means.
class MadeTask final : public Task {
 public:
  explicit MadeTask(TaskKind kind, std::string metric = "match") {
    info_.name = "made/task";
    info_.kind = kind;
    info_.metric = std::move(metric);
    info_.max_new_tokens = kind == TaskKind::Generation ? 8 : 0;
    info_.stops = {"\n"};
    info_.convention = "as made";
  }
  const TaskInfo& info() const override { return info_; }
  std::vector<TaskSample> samples(const SampleRequest& /*request*/) const override { return {}; }
  Scores score(const TaskSample& /*sample*/, const TaskAnswer& /*answer*/) const override { return {}; }
  Scores aggregate(const std::vector<Scores>& scores) const override {
    if (info_.kind != TaskKind::Perplexity) return Task::aggregate(scores);
    double nll = 0, tokens = 0;
    for (const Scores& each : scores) {
      nll += each.at("nll");
      tokens += each.at("tokens");
    }
    return {{"perplexity", std::exp(nll / tokens)}};
  }

 private:
  TaskInfo info_;
};

inline SampleEntry made_entry(const std::string& id, const std::string& slice, Scores scores) {
  SampleEntry entry;
  entry.id = id;
  entry.slice = slice;
  entry.prompt_hash = "hash of " + id;
  entry.text = "an answer, \"so\" — " + id;
  entry.scores = std::move(scores);
  entry.tokens = 100;
  entry.new_tokens = 7;
  entry.visible_bytes = 3 << 20;
  entry.resident_bytes = 5 << 20;
  entry.prefill_seconds = 0.1;
  entry.decode_seconds = 1.0 / 3;
  return entry;
}

inline SampleEntry failed_entry(const std::string& id, const std::string& slice) {
  SampleEntry entry;
  entry.id = id;
  entry.slice = slice;
  entry.error = "it was too long";
  return entry;
}

}  // namespace carryover::test
