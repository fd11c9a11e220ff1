// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tasks/base/task.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

using nlohmann::json;

/// A tokenizer without a vocabulary: four bytes are a token.
class FourBytes : public Tokenizer {
 public:
  std::int64_t vocabulary() const override { return 1; }
  std::optional<std::int32_t> bos() const override { return std::nullopt; }
  std::optional<std::int32_t> eos() const override { return std::nullopt; }
  std::vector<std::int32_t> encode(std::string_view text, bool) const override {
    return std::vector<std::int32_t>((text.size() + 3) / 4);
  }
  std::string bytes(std::int32_t) const override { return {}; }
  std::string decode(std::span<const std::int32_t>) const override { return {}; }
};

inline std::string made_word(std::size_t number) {
  const auto syllable = [](std::size_t part) { return std::string{"bdfgklmnprstvz"[part / 5], "aeiou"[part % 5]}; };
  return syllable(number % 70) + syllable(number / 70);
}

inline void write_words(const TempDir& folder, const std::string& name, std::size_t count, const std::string& before,
                        const std::string& behind, const std::string& more) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += before + made_word(i) + behind + "\n";
  write_bytes(folder.file(name), text + more);
}

inline void write_lists(const TempDir& folder) {
  write_words(folder, "nounlist.txt", 3000, "", "", "time-out\nout\npiña\n");
  write_words(folder, "adjectivelist.txt", 800, "un", "", "old-time\nold\nold\n");
  write_words(folder, "verblist.txt", 600, "", "s", "");
}

/// Prose of short sentences, none of which ends in front of a small letter.
inline std::string made_prose(std::size_t sentences) {
  std::string text = "\n";
  for (std::size_t i = 0; i < sentences; ++i)
    text += "Dr. A. " + made_word(i * 7 % 3000) + "  said \"" + made_word(i % 3000) + ".\"\n";
  return text;
}

inline json made_squad() {
  json articles = json::array();
  for (std::size_t article = 0; article < 30; ++article) {
    json paragraphs = json::array();
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string word = made_word(article * 4 + i);
      const json answer = json::array({{{"text", word}, {"answer_start", 8}}});
      paragraphs.push_back({{"context", "Here is " + word + ". " + made_prose(5)},
                            {"qas",
                             {{{"question", "What is here?"}, {"is_impossible", false}, {"answers", answer}},
                              {{"question", "And there?"}, {"is_impossible", true}, {"answers", json::array()}}}}});
    }
    articles.push_back({{"paragraphs", paragraphs}});
  }
  return {{"data", articles}};
}

inline json made_hotpotqa() {
  json questions = json::array();
  for (std::size_t i = 0; i < 40; ++i) {
    json documents = json::array();
    for (std::size_t k = 0; k < 10; ++k) {
      const std::string word = made_word(i * 10 + k);
      documents.push_back({"On " + word, {"First: " + word + ".", " Then " + made_prose(3)}});
    }
    questions.push_back({{"question", "Which?"}, {"answer", made_word(i * 10 + 3)}, {"context", documents}});
  }
  return questions;
}

/// A folder with all that the tasks read.
inline const TempDir& data_folder() {
  static const TempDir folder;
  static const bool written = [] {
    write_lists(folder);
    write_bytes(folder.file("novel.txt"), made_prose(3000));
    write_bytes(folder.file("squad.json"), made_squad().dump());
    write_bytes(folder.file("hotpotqa.json"), made_hotpotqa().dump());
    return true;
  }();
  static_cast<void>(written);
  return folder;
}

inline SampleRequest request_for(std::int64_t length, std::int64_t count, std::uint64_t seed) {
  SampleRequest request;
  request.length = length;
  request.count = count;
  request.seed = seed;
  request.data = data_folder().path().string();
  request.tokenizer = std::make_shared<FourBytes>();
  return request;
}

inline std::string prompt_of(const TaskSample& sample) {
  return sample.context + sample.question + sample.answer_start;
}

/// Returns the text that Python's json writes.
inline std::string python_json(const json& value) {
  if (!value.is_array()) return value.dump(-1, ' ', true);
  std::string text;
  for (const json& element : value) text += (text.empty() ? "" : ", ") + python_json(element);
  return "[" + text + "]";
}

inline std::string official_line(const json& fields) {
  std::string text;
  for (const char* key :
       {"index", "input", "outputs", "length", "length_w_model_temp", "answer_prefix", "token_position_answer"}) {
    if (!fields.contains(key)) continue;
    text += (text.empty() ? "{\"" : ", \"") + std::string(key) + "\": " + python_json(fields[key]);
  }
  return text + "}\n";
}

}  // namespace carryover::test
