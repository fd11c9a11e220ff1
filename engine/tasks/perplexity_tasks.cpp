// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/perplexity_tasks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "engine/base/error.h"
#include "engine/data/corpus.h"
#include "engine/tasks/base/made_text.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStride = 256;
constexpr std::int64_t kMostIds = std::int64_t{1} << 28;  ///< of all windows: 1 GiB
constexpr const char* kDisjoint = "ppl/disjoint";
constexpr const char* kTruncated = "ppl/truncated";
constexpr const char* kLongLora = "ppl/longlora";

TaskInfo perplexity_info(const char* name, const char* convention, const char* source) {
  TaskInfo info;
  info.name = name;
  info.kind = TaskKind::Perplexity;
  info.metric = "perplexity";
  info.higher_is_better = false;
  info.convention = convention;
  info.source = source;
  info.needs_data = true;
  info.chat = false;
  return info;
}

/// The path of a document below what was named, which says the same on every machine.
std::string name_of(const Document& document, const std::string& data) {
  std::error_code unreadable;
  return fs::is_directory(data, unreadable) ? fs::path(document.source).lexically_relative(data).string()
                                            : fs::path(document.source).filename().string();
}

double total(const std::vector<Scores>& scores, const char* name) {
  double sum = 0;
  for (const Scores& each : scores)
    if (const auto found = each.find(name); found != each.end()) sum += found->second;
  return sum;
}

/// The mean over samples of `of` a sample's mean loss; samples of no token don't count.
template <typename Function>
double mean_over(const std::vector<Scores>& scores, Function of) {
  double sum = 0, count = 0;
  for (const Scores& each : scores)
    if (each.contains("tokens")) {
      sum += of(each.at("nll") / each.at("tokens"));
      ++count;
    }
  return sum / count;
}

class PerplexityTask : public Task {
 public:
  explicit PerplexityTask(TaskInfo info) : info_(std::move(info)) {}
  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    const Tokenizer& tokenizer = tokenizer_of(request, info_.name);
    if (request.data.empty())
      throw EngineError(Fault::Usage, info_.name, "needs a text, and none is named", "Name a file or folder: --data.");
    std::vector<Document> documents = read_documents(request.data, tokenizer);
    for (Document& document : documents) document.source = name_of(document, request.data);
    std::vector<TaskSample> samples = samples_of(documents, request);
    if (samples.empty())
      throw EngineError(Fault::BadInput, request.data,
                        "has no text that is long enough for " + std::to_string(request.length) + " tokens",
                        "Name longer texts, or ask for a smaller length.");
    return samples;
  }

  Scores score(const TaskSample&, const TaskAnswer& answer) const override {
    if (answer.losses.empty()) return {};
    return {{"nll", std::accumulate(answer.losses.begin(), answer.losses.end(), 0.0)},
            {"tokens", static_cast<double>(answer.losses.size())}};
  }

  Scores aggregate(const std::vector<Scores>& scores) const override {
    const double tokens = total(scores, "tokens");
    if (tokens == 0) return {};
    const double loss = total(scores, "nll") / tokens;
    return {{"perplexity", std::exp(loss)}, {"nll", loss}, {"tokens", tokens}};
  }

 protected:
  virtual std::vector<TaskSample> samples_of(const std::vector<Document>& documents,
                                             const SampleRequest& request) const = 0;

  void require_length(const SampleRequest& request) const {
    if (request.length < 2)
      throw EngineError(Fault::Usage, info_.name, "needs a length of at least two tokens", "Name one.");
  }

  /// The first `length` tokens of each document of at least `least` tokens.
  static std::vector<TaskSample> beginnings(const std::vector<Document>& documents, std::int64_t length,
                                            std::int64_t least, std::int64_t count) {
    std::vector<TaskSample> samples;
    for (const Document& document : documents) {
      if (count > 0 && std::ssize(samples) == count) break;
      if (std::ssize(document.ids) < least) continue;
      const std::int64_t taken = length > 0 ? std::min(length, std::ssize(document.ids)) : std::ssize(document.ids);
      TaskSample& sample = samples.emplace_back();
      sample.id = document.source;
      sample.ids.assign(document.ids.begin(), document.ids.begin() + taken);
      sample.fields = {{"source", document.source}, {"tokens", taken}};
    }
    return samples;
  }

 private:
  TaskInfo info_;
};

class Disjoint final : public PerplexityTask {
 public:
  Disjoint()
      : PerplexityTask(
            perplexity_info(kDisjoint,
                            "each document once through, cut to the length where one is given; every token "
                            "but a document's first is scored; exp(sum of losses / number of tokens); no BOS",
                            "")) {}

 private:
  std::vector<TaskSample> samples_of(const std::vector<Document>& documents,
                                     const SampleRequest& request) const override {
    if (request.length != 0) require_length(request);
    return beginnings(documents, request.length, 2, request.count);
  }
};

class Truncated final : public PerplexityTask {
 public:
  Truncated()
      : PerplexityTask(perplexity_info(
            kTruncated,
            "the first L tokens of each document, shorter ones left out; every token but the first is scored; "
            "exp(sum of losses / number of tokens); mean_perplexity is the mean of the documents' own, which "
            "MInference "
            "prints; no BOS",
            "microsoft/MInference fb56c91, experiments/ppl/run_ppl.py")) {}

  Scores aggregate(const std::vector<Scores>& scores) const override {
    Scores means = PerplexityTask::aggregate(scores);
    if (!means.empty()) means["mean_perplexity"] = mean_over(scores, [](double loss) { return std::exp(loss); });
    return means;
  }

 private:
  std::vector<TaskSample> samples_of(const std::vector<Document>& documents,
                                     const SampleRequest& request) const override {
    require_length(request);
    return beginnings(documents, request.length, request.length, request.count);
  }
};

class LongLora final : public PerplexityTask {
 public:
  LongLora()
      : PerplexityTask(perplexity_info(
            kLongLora,
            "windows of L tokens, one every 256 tokens of all documents in a row without separators, the last one left "
            "out; each window's tokens but its first are scored; exp(mean of the windows' mean losses); a count takes "
            "the first windows; no BOS",
            "dvlab-research/LongLoRA d4eb344, eval.py")) {}

  Scores aggregate(const std::vector<Scores>& scores) const override {
    Scores means = PerplexityTask::aggregate(scores);
    if (means.empty()) return means;
    means["nll"] = mean_over(scores, [](double loss) { return loss; });
    means["perplexity"] = std::exp(means["nll"]);
    return means;
  }

 private:
  std::vector<TaskSample> samples_of(const std::vector<Document>& documents,
                                     const SampleRequest& request) const override {
    require_length(request);
    std::vector<std::int32_t> stream;
    for (const Document& document : documents) stream.insert(stream.end(), document.ids.begin(), document.ids.end());
    // Begins are 0, 256, … below tokens − L, and of these the last one is dropped.
    const std::int64_t length = request.length, begins = std::max<std::int64_t>(std::ssize(stream) - length, 0);
    std::int64_t windows = std::max<std::int64_t>((begins + kStride - 1) / kStride - 1, 0);
    if (request.count > 0) windows = std::min(windows, request.count);
    if (windows > kMostIds / length)
      throw EngineError(Fault::Usage, info().name,
                        "has " + std::to_string(windows) + " windows of " + std::to_string(length) + " tokens",
                        "Set a count of at most " + std::to_string(kMostIds / length) + ".");
    std::vector<TaskSample> samples;
    for (std::int64_t n = 0; n < windows; ++n) {
      TaskSample& sample = samples.emplace_back();
      const std::int64_t first = n * kStride;
      sample.id = std::to_string(first);
      sample.ids.assign(stream.begin() + first, stream.begin() + first + length);
      sample.fields = {{"first", first}, {"tokens", length}};
    }
    return samples;
  }
};

}  // namespace

std::vector<std::string> perplexity_task_names() {
  return {kDisjoint, kTruncated, kLongLora};
}

std::unique_ptr<Task> make_perplexity_task(const std::string& name) {
  if (name == kTruncated) return std::make_unique<Truncated>();
  if (name == kLongLora) return std::make_unique<LongLora>();
  if (name == kDisjoint) return std::make_unique<Disjoint>();
  refuse_task_name(name, perplexity_task_names());
}

}  // namespace carryover
