// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/sample_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/data/token_places.h"
#include "engine/formats/sha256.h"

namespace carryover {

namespace {

constexpr std::size_t kMostNeedles = 1000;

void require_same(const TaskSample& sample, const SampleEntry& entry, const std::string& hash) {
  if (entry.id != sample.id || (!entry.prompt_hash.empty() && entry.prompt_hash != hash))
    throw EngineError(Fault::Usage, "sample " + entry.id, "differs from the task's sample",
                      "Restore the task's data, or evaluate it again.");
}

/// Returns the answer's tokens behind the prompt, as they are if both are one text; if a token lies across the prompt's
/// end, those of the answer alone.
std::vector<std::int32_t> answer_ids(const std::string& prompt, const std::vector<std::int32_t>& before,
                                     const std::string& answer, const Encoding& encoding) {
  if (answer.empty()) return {};
  std::vector<std::int32_t> whole = prompt_ids({prompt + answer, 0}, encoding).ids;
  const auto rest = std::ranges::mismatch(whole, before);
  if (rest.in2 != before.end()) return encoding.tokenizer.encode(answer);
  return {rest.in1, whole.end()};
}

std::size_t likeliest(const std::vector<double>& values) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[best]) best = i;
  return best;
}

std::vector<TokenRange> needles_in(const TaskSample& sample, const std::string& text, const TokenPlaces& places) {
  std::vector<TokenRange> needles;
  for (const std::string& needle : sample.needles) {
    if (needle.empty()) continue;
    for (std::size_t at = text.find(needle); at != std::string::npos && needles.size() < kMostNeedles;
         at = text.find(needle, at + needle.size()))
      needles.push_back(places.range(at, at + needle.size()));
  }
  return needles;
}

SampleRun run_of_ids(const TaskSample& sample, const SampleEntry& entry, const Tokenizer& tokenizer, bool bos) {
  require_same(sample, entry, sha256(nlohmann::json(sample.ids).dump()));
  SampleRun run{sample.ids, {}, {}};
  if (bos && tokenizer.bos()) run.ids.insert(run.ids.begin(), *tokenizer.bos());
  run.answer = {std::ssize(run.ids), std::ssize(run.ids)};
  return run;
}

}  // namespace

SampleRun sample_run(const Task& task, const TaskSample& sample, const SampleEntry& entry, const ChatText& chat,
                     const Tokenizer& tokenizer, bool bos) {
  const TaskInfo& info = task.info();
  if (info.kind == TaskKind::Perplexity) return run_of_ids(sample, entry, tokenizer, bos);
  const std::string text = prompt_text(sample, info.chat ? chat : ChatText()).text;
  require_same(sample, entry, sha256(text));
  const Encoding encoding{tokenizer, chat && info.chat, bos};
  SampleRun run;
  std::vector<std::int32_t> answer;
  if (info.kind == TaskKind::Choice && entry.loglikelihoods.size() == sample.choices.size() &&
      !sample.choices.empty()) {
    ChoiceIds ids = choice_ids(text, sample.choices[likeliest(entry.loglikelihoods)], encoding);
    run.ids = std::move(ids.prompt);
    answer = std::move(ids.choice);
  } else {
    run.ids = prompt_ids({text, 0}, encoding).ids;
    answer = answer_ids(text, run.ids, entry.text, encoding);
  }
  if (!sample.needles.empty()) {
    const std::vector<std::int32_t> whole = prompt_ids({text, 0}, encoding).ids;  // a choice takes its blanks along
    run.needles = needles_in(sample, text, TokenPlaces(whole, text, tokenizer));
  }
  run.answer = {std::ssize(run.ids), std::ssize(run.ids) + std::ssize(answer)};
  run.ids.insert(run.ids.end(), answer.begin(), answer.end());
  return run;
}

}  // namespace carryover
