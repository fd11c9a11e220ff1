// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace carryover {

struct RulerQuestion {
  std::string text;
  std::vector<std::string> answers;
  std::vector<std::size_t> documents;   ///< the question's own documents
  std::vector<std::size_t> neighbours;  ///< others of the same article
};

struct RulerQuestions {
  std::vector<std::string> documents;  ///< each once, in the order of their characters
  std::vector<RulerQuestion> questions;
};

/// SQuAD 2.0 as it is published: the questions that have an answer. Throws EngineError{Io, BadInput} naming the file.
RulerQuestions read_squad(const std::string& path);

/// HotpotQA's list, each question with its documents. Throws EngineError{Io, BadInput} naming the file.
RulerQuestions read_hotpotqa(const std::string& path);

}  // namespace carryover
