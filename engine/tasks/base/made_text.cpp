// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/made_text.h"

#include <algorithm>
#include <array>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"

namespace carryover {

namespace {

constexpr std::int64_t kDefaultLength = 4096;

constexpr std::array<std::string_view, 16> kWho{"miller",   "captain",  "gardener", "widow",     "teacher", "carpenter",
                                                "merchant", "shepherd", "painter",  "fisherman", "sexton",  "postman",
                                                "baker",    "tailor",   "lawyer",   "ferryman"};
constexpr std::array<std::string_view, 16> kDid{"took",      "brought", "carried", "sent",     "returned", "promised",
                                                "lent",      "sold",    "offered", "handed",   "owed",     "delivered",
                                                "entrusted", "showed",  "gave",    "described"};
constexpr std::array<std::string_view, 16> kWhat{
    "a letter", "a basket", "an old map",  "a loaf of bread", "a lantern", "a white hen", "a chair",  "two blankets",
    "a rope",   "a clock",  "some apples", "a wooden box",    "a coat",    "a saddle",    "a kettle", "a song book"};
constexpr std::array<std::string_view, 16> kWhom{
    "to the harbour", "to the schoolhouse", "to his neighbour",   "to the mill",   "to a stranger", "to the parson",
    "to the inn",     "to the watchman",    "to the old soldier", "to the market", "to the doctor", "to a traveller",
    "to the bridge",  "to the lighthouse",  "to the orphanage",   "to the smithy"};
constexpr std::array<std::string_view, 16> kWhen{
    "before noon",       "in the rain",     "at dusk",         "without a word",
    "after the harvest", "on market day",   "in early spring", "late at night",
    "with some regret",  "for a small fee", "once again",      "by the old road",
    "during the winter", "in great haste",  "as a favour",     "on the way home"};

template <std::size_t count>
std::string drawn(const std::array<std::string_view, count>& words, SplitMix& draw) {
  return " " + std::string(words[draw.below(count)]);
}

bool is_part_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

SplitMix sample_draw(std::uint64_t seed, std::int64_t n) {
  return SplitMix(mixed(seed + kSplitMixStep) ^ mixed(static_cast<std::uint64_t>(n) + 0x2545f4914f6cdd1du));
}

std::string drawn_digits(std::size_t count, SplitMix& draw) {
  std::string text(1, static_cast<char>('1' + draw.below(9)));
  while (text.size() < count) text += static_cast<char>('0' + draw.below(10));
  return text;
}

std::string filler_sentence(SplitMix& draw) {
  std::string text = " The";
  text += drawn(kWho, draw);  // one statement each: the order in which they draw is part of what a seed gives
  text += drawn(kDid, draw);
  text += drawn(kWhat, draw);
  text += drawn(kWhom, draw);
  text += drawn(kWhen, draw);
  return text + ".";
}

std::int64_t length_or_default(const SampleRequest& request) {
  return request.length > 0 ? request.length : kDefaultLength;
}

const Tokenizer& tokenizer_of(const SampleRequest& request, const std::string& task) {
  if (!request.tokenizer) throw EngineError(Fault::Usage, task, "counts tokens, and has no tokenizer", "Name a model.");
  return *request.tokenizer;
}

std::vector<Document> read_documents(const std::string& data, const Tokenizer& tokenizer) {
  CorpusRequest request;
  request.data = {data};
  RunControl control;
  return read_corpus(request, tokenizer, {}, control).train;
}

void refuse_task_name(const std::string& name, const std::vector<std::string>& names) {
  std::string listed;
  for (const std::string& each : names) listed += (listed.empty() ? "" : ", ") + each;
  const std::string nearest = nearest_name(name, names);
  throw EngineError(Fault::Usage, name, "is not a task",
                    (nearest.empty() ? "" : "Did you mean " + nearest + "? ") + "There is " + listed + ".");
}

bool holds_value(std::string_view text, std::string_view value) {
  if (value.empty()) return false;
  for (std::size_t at = text.find(value); at != std::string_view::npos; at = text.find(value, at + 1)) {
    const std::size_t end = at + value.size();
    const bool begins = at == 0 || !is_part_of_word(text[at - 1]);
    if (begins && (end == text.size() || !is_part_of_word(text[end]))) return true;
  }
  return false;
}

Scores value_match(const TaskSample& sample, const TaskAnswer& answer) {
  const bool found = std::ranges::any_of(
      sample.references, [&](const std::string& reference) { return holds_value(answer.text, reference); });
  return {{"string_match", found ? 1.0 : 0.0}};
}

}  // namespace carryover
