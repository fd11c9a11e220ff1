// SPDX-License-Identifier: GPL-3.0-or-later
// usage: tokenize_texts MODEL
// For tests/compat/tokenizer_ids.py. Reads a line with a JSON list of texts, and answers it with a line: for each text
// its ids, with special tokens parsed, or {"error"}; and {"eos", "end"} at last.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.h"
#include "engine/tokenizers/tokenizer.h"

int main(int argc, char** argv) {
  using nlohmann::json;
  if (argc != 2) return 2;
  std::string line;
  std::getline(std::cin, line);
  json answers = json::array();
  try {
    const auto tokenizer = carryover::Tokenizer::load(argv[1]);
    for (const json& text : json::parse(line)) {
      try {
        answers.push_back(tokenizer->encode(text.get<std::string>(), true));
      } catch (const carryover::EngineError& error) {
        answers.push_back({{"error", error.what()}});
      }
    }
    answers.push_back({{"eos", tokenizer->eos() ? json(*tokenizer->eos()) : json()}, {"end", tokenizer->end_ids()}});
  } catch (const carryover::EngineError& error) {
    answers = {{{"error", error.what()}}};
  }
  std::cout << answers.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
}
