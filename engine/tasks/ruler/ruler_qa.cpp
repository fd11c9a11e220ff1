// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_qa.h"

#include <algorithm>
#include <optional>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/tasks/base/python_random.h"
#include "engine/tasks/ruler/ruler_form.h"
#include "engine/tasks/ruler/ruler_questions.h"
#include "engine/tasks/ruler/ruler_size.h"
#include "engine/tasks/ruler/ruler_text.h"

namespace carryover {

namespace {

RulerQuestions read_questions(QaData data, const std::string& folder) {
  const std::string name = data == QaData::Squad ? "squad.json" : "hotpotqa.json";
  if (folder.empty())
    throw EngineError(Fault::Usage, "data", "is not named, and this task takes its questions from " + name,
                      "Name a folder with " + name + ", RULER's own download.");
  const std::string path = path_in(folder, name);
  return data == QaData::Squad ? read_squad(path) : read_hotpotqa(path);
}

class QaMaker {
 public:
  QaMaker(RulerQuestions questions, std::uint64_t seed)
      : questions_(std::move(questions)), seed_(seed), random_(seed) {}

  std::optional<RulerPrompt> make(std::size_t index, std::size_t size) {
    const RulerQuestion& question = questions_.questions[index];
    auto shown = documents_for(question, size);
    if (!shown) return std::nullopt;
    PythonRandom(seed_).shuffle(*shown);
    RulerPrompt prompt{{}, question.answers, {}};
    std::string context;
    for (std::size_t i = 0; i < shown->size(); ++i) {
      const std::string& document = questions_.documents[(*shown)[i]];
      context += (i == 0 ? "Document " : "\n\nDocument ") + std::to_string(i + 1) + ":\n" + document;
      const bool asked_of = question.documents.size() == 1 && question.documents[0] == (*shown)[i];
      if (asked_of) prompt.needles.push_back(document);
    }
    const std::string form = std::string(qa_form().prompt) + std::string(qa_form().answer_prefix);
    prompt.text = python_format(form, {{"context", context}, {"query", question.text}});
    return prompt;
  }

  std::int64_t count() const { return std::ssize(questions_.questions); }

 private:
  /// Returns the question's own documents, then neighbours, then any others; nothing where the script asks for a sample
  /// too large.
  std::optional<std::vector<std::size_t>> documents_for(const RulerQuestion& question, std::size_t size) {
    const std::size_t all = questions_.documents.size();
    std::vector<std::size_t> shown = question.documents;
    if (size >= all) {
      shown.resize(size);
      for (std::size_t i = 0; i < size; ++i) shown[i] = i % all;
      return shown;
    }
    if (size < shown.size()) return std::nullopt;
    std::vector<std::size_t> others = question.neighbours;
    std::size_t wanted = size - shown.size();
    if (wanted > others.size()) {
      wanted -= others.size();
      shown.insert(shown.end(), others.begin(), others.end());
      others = not_among(shown);
    }
    if (wanted > others.size()) return std::nullopt;
    for (const std::size_t place : random_.sample(others.size(), wanted)) shown.push_back(others[place]);
    return shown;
  }

  std::vector<std::size_t> not_among(const std::vector<std::size_t>& shown) const {
    std::vector<bool> is_shown(questions_.documents.size());
    for (const std::size_t document : shown) is_shown[document] = true;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < is_shown.size(); ++i)
      if (!is_shown[i]) others.push_back(i);
    return others;
  }

  RulerQuestions questions_;
  std::uint64_t seed_;
  PythonRandom random_;
};

}  // namespace

std::vector<TaskSample> qa_samples(const std::string& task, QaData data, const SampleRequest& request) {
  QaMaker maker(read_questions(data, request.data), request.seed);
  std::int64_t index = 0;
  const MakePrompt make = [&](std::int64_t size) {
    return maker.make(static_cast<std::size_t>(index), static_cast<std::size_t>(size));
  };
  const RulerRoom room{task, request.length, qa_form().answer_tokens, 10, request.tokenizer.get()};
  const std::int64_t size = largest_size(room, most_by_step(room, make), make);
  std::vector<TaskSample> samples;
  for (; index < std::min(request.count, maker.count()); ++index) {
    const FittedPrompt fitted = fitted_prompt(room, size, make);
    samples.push_back(ruler_sample(qa_form(), index, fitted.prompt, fitted.length));
  }
  return samples;
}

}  // namespace carryover
