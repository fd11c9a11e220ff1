// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_questions.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tasks/base/word_list.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Returns the questions that `read` takes from a file. Throws EngineError{BadInput} where a field is missing or has
/// another type.
template <typename Read>
RulerQuestions questions_of(const std::string& path, Read read) {
  RulerQuestions questions;
  try {
    questions = read(read_json_file(path, JsonKind::Text));
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path, std::string("is not laid out as published (") + error.what() + ")",
                      "Fetch the file by RULER's download_qa_dataset.sh.");
  }
  if (questions.questions.empty())
    throw EngineError(Fault::BadInput, path, "has no question", "Fetch the file by RULER's download_qa_dataset.sh.");
  return questions;
}

std::size_t place_of(const std::vector<std::string>& documents, const std::string& document) {
  return static_cast<std::size_t>(std::lower_bound(documents.begin(), documents.end(), document) - documents.begin());
}

std::string text_at(const json& object, const char* key) {
  return object.at(key).get<std::string>();
}

std::vector<std::string> answers_of(const json& question) {
  std::vector<std::string> answers;
  for (const json& answer : question.at("answers")) answers.push_back(text_at(answer, "text"));
  if (answers.empty()) json::array().at(0);  // throws as any other part that is missing
  return answers;
}

/// A title and its sentences.
std::string hotpot_document(const json& document) {
  std::string text = document.at(0).get<std::string>() + "\n";
  for (const json& sentence : document.at(1)) text += sentence.get_ref<const std::string&>();
  return text;
}

}  // namespace

RulerQuestions read_squad(const std::string& path) {
  return questions_of(path, [](const json& file) {
    RulerQuestions result;
    for (const json& article : file.at("data"))
      for (const json& paragraph : article.at("paragraphs")) result.documents.push_back(text_at(paragraph, "context"));
    result.documents = sorted_words(std::move(result.documents));
    for (const json& article : file.at("data")) {
      std::vector<std::size_t> places;
      for (const json& paragraph : article.at("paragraphs"))
        places.push_back(place_of(result.documents, text_at(paragraph, "context")));
      for (const json& paragraph : article.at("paragraphs")) {
        const std::size_t own = place_of(result.documents, text_at(paragraph, "context"));
        std::vector<std::size_t> others;
        std::copy_if(places.begin(), places.end(), std::back_inserter(others),
                     [&](auto place) { return place != own; });
        for (const json& question : paragraph.at("qas"))
          if (!question.at("is_impossible").get<bool>())
            result.questions.push_back({text_at(question, "question"), answers_of(question), {own}, others});
      }
    }
    return result;
  });
}

RulerQuestions read_hotpotqa(const std::string& path) {
  return questions_of(path, [](const json& file) {
    RulerQuestions result;
    for (const json& question : file)
      for (const json& document : question.at("context")) result.documents.push_back(hotpot_document(document));
    result.documents = sorted_words(std::move(result.documents));
    for (const json& question : file) {
      RulerQuestion read{text_at(question, "question"), {text_at(question, "answer")}, {}, {}};
      for (const json& document : question.at("context"))
        read.documents.push_back(place_of(result.documents, hotpot_document(document)));
      result.questions.push_back(std::move(read));
    }
    return result;
  });
}

}  // namespace carryover
