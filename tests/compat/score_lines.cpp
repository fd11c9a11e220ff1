// SPDX-License-Identifier: GPL-3.0-or-later
// Reads lines {"scorer", "answer", "reference", "classes"} and writes a line with the score of each, for scorers.py.
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/tasks/babilong.h"
#include "engine/tasks/base/code_points.h"
#include "engine/tasks/longbench_v2.h"
#include "engine/tasks/scores/answer_scores.h"
#include "engine/tasks/scores/sequence_matcher.h"

namespace {

using namespace carryover;
using nlohmann::json;

struct Line {
  std::string answer, reference;
  std::vector<std::string> classes;
};

const std::map<std::string, std::function<json(const Line&)>> scorers{
    {"qa_f1_score", [](const Line& line) { return qa_f1_score(line.answer, line.reference); }},
    {"rouge_score", [](const Line& line) { return rouge_l_score(line.answer, line.reference); }},
    {"classification_score",
     [](const Line& line) { return classification_score(line.answer, line.reference, line.classes); }},
    {"retrieval_score", [](const Line& line) { return retrieval_score(line.answer, line.reference); }},
    {"retrieval_zh_score", [](const Line& line) { return retrieval_score(line.answer, line.reference, "段落"); }},
    {"count_score", [](const Line& line) { return count_score(line.answer, line.reference); }},
    {"code_sim_score", [](const Line& line) { return code_similarity_score(line.answer, line.reference); }},
    {"difflib_ratio",
     [](const Line& line) { return sequence_ratio(code_points(line.answer), code_points(line.reference)); }},
    {"exact_match", [](const Line& line) { return exact_match_score(line.answer, line.reference); }},
    {"exact_match_ignoring",
     [](const Line& line) {
       return exact_match_score(line.answer, line.reference, {true, true, true});
     }},
    {"normalize_answer", [](const Line& line) { return normalized_answer(line.answer); }},
    {"first_line", [](const Line& line) { return first_line(line.answer); }},
    {"extract_answer", [](const Line& line) { return longbench_v2_choice(line.answer); }},
    {"babilong",
     [](const Line& line) {
       return babilong_score(line.answer, line.reference, line.classes.at(0),
                             {line.classes.begin() + 1, line.classes.end()});
     }},
};

}  // namespace

int main() {
  try {
    for (std::string text; std::getline(std::cin, text);) {
      const json line = json::parse(text);
      const auto& scorer = scorers.at(line.at("scorer").get<std::string>());
      std::cout << scorer({line.at("answer").get<std::string>(), line.at("reference").get<std::string>(),
                           line.at("classes").get<std::vector<std::string>>()})
                << '\n';
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "score_lines: %s\n", error.what());
    return 1;
  }
  return 0;
}
