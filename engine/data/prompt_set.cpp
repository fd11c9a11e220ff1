// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/prompt_set.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/data/token_places.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::size_t kMostExamples = 100'000;
constexpr std::size_t kMostName = 200;  ///< bytes
constexpr const char* kBlanks = " \n\t";

[[noreturn]] void refuse_example(const std::string& where, const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::BadInput, where, problem, advice);
}

std::vector<std::string> tags_of(const json& tags, const std::string& where) {
  std::set<std::string> sorted;
  if (!tags.is_array()) refuse_example(where, "\"tags\" is not a list", "Write [\"short\", \"names\"].");
  for (const json& tag : tags) {
    if (!tag.is_string() || tag.get_ref<const std::string&>().empty())
      refuse_example(where, "a tag is not a string", "Write [\"short\", \"names\"].");
    sorted.insert(tag.get<std::string>());
  }
  return {sorted.begin(), sorted.end()};
}

PromptExample read_example(const json& object, std::int64_t line, const std::string& where) {
  const JsonFields fields(object, where);
  for (const auto& [key, value] : object.items())
    if (std::set<std::string>{"text", "name", "answer", "target", "tags"}.count(key) == 0)
      refuse_example(where, "\"" + key.substr(0, 60) + "\" is unknown", "Use text, name, answer, target and tags.");
  PromptExample example;
  example.line = line;
  example.text = fields.find_text("text").value_or("");
  example.name = fields.find_text("name").value_or(std::to_string(line));
  example.answer = fields.find_text("answer").value_or("");
  if (const json* tags = fields.find("tags")) example.tags = tags_of(*tags, where);
  if (example.text.empty()) refuse_example(where, "has no text", "Write {\"text\": \"…\"}.");
  if (example.name.empty() || example.name.size() > kMostName)
    refuse_example(where, "has a name of " + std::to_string(example.name.size()) + " bytes",
                   "Use 1 to " + std::to_string(kMostName) + ".");
  const auto target = fields.find_text("target");
  example.target = target.value_or(std::string(trimmed(example.answer, kBlanks)));
  const bool there = !example.target.empty() && example.text.find(example.target) != std::string::npos;
  if (target && !there) refuse_example(where, "its target is not in its text", "Copy the target from the text.");
  if (!there) example.target.clear();
  return example;
}

}  // namespace

std::vector<PromptExample> read_prompt_set(const std::string& path) {
  std::vector<PromptExample> examples;
  std::set<std::string> names;
  InputLines input(path);
  for (std::string line; input.next(line);) {
    if (trimmed(line, kBlanks).empty()) continue;
    const std::string where = path + ":" + std::to_string(input.number());
    examples.push_back(read_example(parse_json(line, where, JsonKind::Text), input.number(), where));
    if (!names.insert(examples.back().name).second)
      refuse_example(where, "is called \"" + examples.back().name + "\", like an earlier one", "Use another name.");
    if (examples.size() > kMostExamples)
      refuse_example(where, "exceeds the maximum number of examples",
                     "Use at most " + std::to_string(kMostExamples) + " in a file.");
  }
  if (examples.empty()) refuse_example(path, "has no example", "Write a line {\"text\": \"…\"} for each.");
  return examples;
}

PromptTokens prompt_tokens(const PromptExample& example, const Tokenizer& tokenizer, bool parse_special) {
  const std::string text = example.text + example.answer;
  PromptTokens tokens;
  tokens.ids = tokenizer.encode(text, parse_special);
  const TokenPlaces places(tokens.ids, text, tokenizer);
  if (!example.answer.empty()) tokens.answer = places.range(example.text.size(), text.size());
  if (example.target.empty()) return tokens;
  const std::size_t size = example.target.size();
  for (std::size_t at = example.text.find(example.target); at != std::string::npos;
       at = example.text.find(example.target, at + size))
    tokens.targets.push_back(places.range(at, at + size));
  return tokens;
}

}  // namespace carryover
