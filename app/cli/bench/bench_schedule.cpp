// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/bench_schedule.h"

#include <algorithm>
#include <random>

#include "engine/base/error.h"
#include "engine/cost/model_work.h"
#include "engine/statistics/median.h"

namespace carryover {

namespace {

/// The definition's work; a peer attends to everything.
void add_work(BenchRow& row, const BenchInput& input, bool is_peer) {
  const std::string policy = is_peer ? "full" : row.bench_case.who;
  const ModelWork work{input.model.config, input.config, policy};
  const std::int64_t tokens = row.bench_case.tokens;
  if (row.bench_case.kind == BenchKind::Prefill) row.flops = work.forward_flops(tokens, 1);
  if (row.bench_case.kind == BenchKind::Train) row.flops = work.training_flops(tokens);
  if (row.bench_case.kind == BenchKind::Decode)
    row.bytes = work.decode_bytes(tokens, bytes_per_value(input.model.dtype), input.model.dtype == DType::Q8);
}

void add_memory(BenchRow& row, const BenchSample& sample) {
  if (sample.memory) row.memory = sample.memory;
  if (sample.peak_bytes) row.peak_bytes = sample.peak_bytes;
}

class Bench {
 public:
  Bench(const BenchPlan& plan, const BenchInput& input, const std::vector<std::unique_ptr<BenchSubject>>& subjects,
        RunControl& control, const std::function<void(const std::string&)>& status,
        const std::function<void(const BenchResult&)>& saved)
      : plan_(plan), input_(input), subjects_(subjects), control_(control), status_(status), saved_(saved) {}

  BenchResult run() {
    name_what_nobody_can_do();
    try {
      for (const std::int64_t tokens : plan_.contexts)
        measure(entries({BenchKind::Prefill, BenchKind::Decode}, tokens), tokens);
      measure(entries({BenchKind::Train}, input_.sample_tokens()), input_.sample_tokens());
    } catch (const EngineError& error) {
      if (error.fault() != Fault::Cancelled) throw;
      result_.interrupted = true;
    }
    return measured();
  }

 private:
  struct Entry {
    BenchSubject* subject;
    std::size_t row;  ///< of result_
    bool failed = false;
  };

  bool wanted(BenchKind kind) const {
    return std::find(plan_.kinds.begin(), plan_.kinds.end(), kind) != plan_.kinds.end();
  }

  void name_what_nobody_can_do() {
    for (const auto& subject : subjects_)
      for (const BenchKind kind : plan_.kinds)
        if (const std::string why = subject->cannot(kind); !why.empty())
          result_.gaps.push_back({std::string(bench_kind_name(kind)), subject->name(), why});
  }

  /// Returns the results so far. Sources are added now, because some programs report their source only when they run.
  BenchResult measured() const {
    BenchResult result = result_;
    std::erase_if(result.rows, [](const BenchRow& row) { return row.seconds.empty(); });
    for (const auto& subject : subjects_) {
      const bool was = std::any_of(result.rows.begin(), result.rows.end(),
                                   [&](const BenchRow& row) { return row.bench_case.who == subject->name(); });
      if (was) result.sources.push_back(subject->source());
    }
    return result;
  }

  std::vector<Entry> entries(const std::vector<BenchKind>& kinds, std::int64_t tokens) {
    std::vector<Entry> all;
    for (const BenchKind kind : kinds) {
      if (!wanted(kind)) continue;
      for (const auto& subject : subjects_) {
        if (!subject->cannot(kind).empty()) continue;
        for (const bool checkpointing : {false, true}) {
          if (checkpointing && kind != BenchKind::Train) continue;
          BenchRow row;
          row.bench_case = {kind, subject->name(), tokens, checkpointing};
          row.predicted = subject->predict(row.bench_case);
          add_work(row, input_, subject->is_peer());
          all.push_back({subject.get(), result_.rows.size()});
          result_.rows.push_back(std::move(row));
        }
      }
    }
    return all;
  }

  void measure(std::vector<Entry> entries, std::int64_t tokens) {
    if (entries.empty()) return;
    const std::int64_t repeats = plan_.repeats > 0 ? plan_.repeats : bench_repeats(tokens);
    for (std::int64_t round = repeats > 1 ? -1 : 0; round < repeats; ++round) {
      for (Entry& entry : entries) {
        if (!entry.failed && (round >= 0 || !entry.subject->warms_up_by_itself())) measure(entry, round, repeats);
      }
      std::reverse(entries.begin(), entries.end());
      if (round >= 0) saved_(measured());
    }
  }

  void measure(Entry& entry, std::int64_t round, std::int64_t repeats) {
    BenchRow& row = result_.rows[entry.row];
    control_.checkpoint();
    status_(bench_case_text(row.bench_case) +
            (round < 0 ? ": warming up" : ": " + std::to_string(round + 1) + " of " + std::to_string(repeats)));
    try {
      const BenchPurpose purpose =
          round < 0 ? BenchPurpose::Memory : (repeats > 1 ? BenchPurpose::Time : BenchPurpose::Both);
      const BenchSample sample = entry.subject->measure(row.bench_case, purpose, control_);
      if (round >= 0) row.seconds.push_back(sample.seconds);
      add_memory(row, sample);
    } catch (const EngineError& error) {
      if (error.fault() == Fault::Cancelled) throw;
      if (error.fault() != Fault::OutOfMemory && !entry.subject->is_peer()) throw;
      entry.failed = true;
      result_.gaps.push_back(
          {bench_case_text(row.bench_case), row.bench_case.who, error.where() + ": " + error.problem()});
    }
  }

  const BenchPlan& plan_;
  const BenchInput& input_;
  const std::vector<std::unique_ptr<BenchSubject>>& subjects_;
  RunControl& control_;
  const std::function<void(const std::string&)>& status_;
  const std::function<void(const BenchResult&)>& saved_;
  BenchResult result_;
};

}  // namespace

std::string bench_case_text(const BenchCase& bench_case) {
  std::string text = std::string(bench_kind_name(bench_case.kind)) + " " + std::to_string(bench_case.tokens) +
                     " tokens, " + bench_case.who;
  return bench_case.checkpointing ? text + ", checkpointing" : text;
}

std::vector<std::int32_t> random_ids(std::int64_t count, std::int64_t vocabulary, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(vocabulary));
  return ids;
}

double BenchRow::median() const {
  return median_of(seconds);
}

std::shared_ptr<const std::vector<std::int32_t>> BenchInput::first_ids(std::int64_t tokens) const {
  return std::make_shared<const std::vector<std::int32_t>>(ids.begin(), ids.begin() + tokens);
}

std::int64_t bench_repeats(std::int64_t tokens) {
  return tokens <= 2048 ? 5 : tokens <= 8192 ? 3 : 1;
}

BenchResult run_bench(const BenchPlan& plan, const BenchInput& input,
                      const std::vector<std::unique_ptr<BenchSubject>>& subjects, RunControl& control,
                      const std::function<void(const std::string&)>& status,
                      const std::function<void(const BenchResult&)>& saved) {
  return Bench(plan, input, subjects, control, status, saved).run();
}

}  // namespace carryover
