// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/kept_questions.h"

#include <algorithm>

#include "app/saved_window/session_fields.h"
#include "app/saved_window/versioned_json.h"
#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/cost/policy_table.h"

namespace carryover {
namespace {

using nlohmann::json;

const VersionedFormat& questions_format() {
  static const VersionedFormat format{"carryover questions", {}};
  return format;
}

json ranges_json(const std::vector<TokenRange>& ranges) {
  json list = json::array();
  for (const TokenRange& range : ranges) list.push_back({range.first, range.last});
  return list;
}

TokenRange range_of(const json& ends, const SessionFields& fields, const char* key) {
  if (!ends.is_array() || ends.size() != 2) fields.refuse(key, "is not a list of first and last positions");
  const TokenRange range{read_integer(ends[0], fields.where(), key), read_integer(ends[1], fields.where(), key)};
  if (range.first < 0 || range.last < range.first) fields.refuse(key, "has positions that do not ascend");
  return range;
}

json passage_json(const AskedPassage& passage) {
  return {{"positions", {passage.first, passage.end}},
          {"segment", passage.segment},
          {"score", passage.score},
          {"text", passage.text.toStdString()}};
}

AskedPassage passage_of(const SessionFields& fields) {
  AskedPassage passage;
  const TokenRange range = range_of(fields.any("positions"), fields, "positions");
  passage.first = range.first;
  passage.end = range.last;
  passage.segment = fields.index("segment", 0, 0);
  passage.score = static_cast<float>(fields.number("score", 0));
  passage.text = fields.text("text");
  return passage;
}

/// A negative one is not known.
double probability_of(const SessionFields& fields, const char* key) {
  const double probability = fields.number(key, -1);
  if (!(probability <= 1)) fields.refuse(key, "is more than 1");
  return probability < 0 ? -1 : probability;
}

json kept_json(const Question& question) {
  json tags = json::array(), passages = json::array(), what_ifs = json::array();
  for (const QString& tag : question.tags) tags.push_back(tag.toStdString());
  for (const AskedPassage& passage : question.passages) passages.push_back(passage_json(passage));
  for (const Question::WhatIf& each : question.what_ifs)
    what_ifs.push_back({{"without", ranges_json(each.without)}, {"probability", each.probability}});
  return {{"text", question.text.toStdString()},
          {"name", question.name.toStdString()},
          {"tags", std::move(tags)},
          {"answer", question.answer.toStdString()},
          {"without_retrieval", question.without_retrieval.toStdString()},
          {"retrieves", question.retrieves},
          {"complete", question.complete},
          {"hits", question.hits},
          {"passages", std::move(passages)},
          {"policy", question.policy},
          {"config", question.config},
          {"provenance", question.provenance.toStdString()},
          {"run", question.run.toStdString()},
          {"scored", question.scored.toStdString()},
          {"probability", question.probability},
          {"probability_without", question.probability_without},
          {"what_ifs", std::move(what_ifs)},
          {"made_ms", question.made_ms}};
}

Question kept_from(const SessionFields& fields) {
  Question question;
  question.text = fields.text("text");
  question.name = fields.text("name");
  question.tags = fields.texts("tags");
  question.answer = fields.text("answer");
  question.without_retrieval = fields.text("without_retrieval");
  question.retrieves = fields.flag("retrieves");
  question.complete = fields.flag("complete");
  for (const json& head : fields.list("hits")) question.hits.push_back(head_hits_from_json(head, fields.where()));
  for (const json& passage : fields.list("passages"))
    question.passages.push_back(passage_of({passage, fields.where(), "questions.passages"}));
  question.policy = fields.text("policy").toStdString();
  if (!question.policy.empty() && find_policy(question.policy) == nullptr)
    fields.refuse("policy", "is '" + question.policy.substr(0, 60) + "', which is not one of the choices");
  if (const json& config = fields.object_or_null("config"); config.is_object())
    update_from_json(question.config, config, fields.where());
  question.provenance = fields.text("provenance");
  question.run = fields.text("run");
  question.scored = fields.text("scored");
  question.probability = probability_of(fields, "probability");
  question.probability_without = probability_of(fields, "probability_without");
  for (const json& each : fields.list("what_ifs")) {
    const SessionFields what_if(each, fields.where(), "questions.what_ifs");
    Question::WhatIf found;
    for (const json& range : what_if.list("without")) found.without.push_back(range_of(range, what_if, "without"));
    found.probability = std::max(0.0, probability_of(what_if, "probability"));
    question.what_ifs.push_back(std::move(found));
  }
  question.made_ms = fields.integer("made_ms", 0, 0, std::int64_t{1} << 48);
  return question;
}

}  // namespace

std::string questions_text(const std::vector<Question>& questions) {
  json list = json::array();
  const std::size_t left_out = questions.size() - std::min(questions.size(), most_kept_questions);
  for (std::size_t i = left_out; i < questions.size(); ++i) list.push_back(kept_json(questions[i]));
  return versioned_text(questions_format(), {{"questions", std::move(list)}});
}

std::vector<Question> read_questions(const QString& path) {
  const std::string where = path.toStdString();
  const json fields = read_versioned(path, questions_format());
  try {
    std::vector<Question> questions;
    for (const json& each : SessionFields(fields, where).list("questions"))
      questions.push_back(kept_from({each, where, "questions"}));
    return questions;
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("has the wrong fields: ") + error.what(),
                      "Ask the questions again.");
  }
}

}  // namespace carryover
