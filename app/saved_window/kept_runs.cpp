// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/kept_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace carryover {
namespace {

using nlohmann::json;

constexpr qsizetype most_characters = 500;  ///< of a name or a tag
constexpr qsizetype most_details = 20'000;
constexpr qsizetype most_tags = 100;
constexpr std::int64_t most_ticks = 1'000'000'000;

struct KindKey {
  ListedKind kind;
  const char* key;
};
constexpr std::array<KindKey, 5> kind_keys = {{{ListedKind::Run, "run"},
                                               {ListedKind::Training, "training"},
                                               {ListedKind::Experiment, "experiment"},
                                               {ListedKind::Evaluation, "evaluation"},
                                               {ListedKind::PromptSet, "prompt_set"}}};

ListedKind kind_of(const SessionFields& fields) {
  const QString key = fields.text("kind");
  for (const KindKey& each : kind_keys)
    if (key == QLatin1String(each.key)) return each.kind;
  fields.refuse("kind", "is none of run, training, experiment, evaluation and prompt_set");
}

/// Returns at most `most` characters of a text, none of them cut in two.
QString beginning(const QString& text, qsizetype most) {
  const bool cuts_one = text.size() > most && text[most - 1].isHighSurrogate();
  return text.left(cuts_one ? most - 1 : most);
}

/// Returns a name or a tag in its one form, whether it was typed, read or made from a path.
QString label_of(const QString& text) {
  return beginning(text, most_characters).simplified();
}

QStringList tags_of(const SessionFields& fields) {
  QStringList tags;
  for (const QString& tag : fields.texts("tags")) tags += label_of(tag);
  if (tags.size() > most_tags) fields.refuse("tags", "are more than " + std::to_string(most_tags));
  return tags;
}

json kept_json(const ListedRun& run, const char* kind, const std::function<json(const QString& path)>& place_json) {
  json tags = json::array();
  for (const QString& tag : run.tags) tags.push_back(tag.toStdString());
  return {{"kind", kind},
          {"place", place_json(run.place)},
          {"name", run.name.toStdString()},
          {"renamed", run.renamed},
          {"tags", std::move(tags)},
          {"text", run.text.toStdString()},
          {"policy", run.policy.toStdString()},
          {"model", run.model.toStdString()},
          {"details", run.details.toStdString()},
          {"saved_in", place_json(run.saved_in)},
          {"partial", run.standing == Standing::Partial || run.standing == Standing::UnderWay},
          {"tokens", run.tokens},
          {"expected_tokens", run.expected_tokens},
          {"loss", std::isfinite(run.loss) ? json(run.loss) : json()},
          {"bytes", run.bytes},
          {"made_ms", run.made_ms},
          {"ticked", run.ticked()},
          {"tick", run.tick}};
}

ListedRun kept_of(const SessionFields& fields, const std::function<QString(const QString& path)>& absolute) {
  ListedRun run;
  run.kind = kind_of(fields);
  run.place = absolute(fields.text("place"));
  if (run.place.isEmpty()) fields.refuse("place", "is missing");
  run.name = label_of(fields.text("name"));
  if (run.name.isEmpty()) run.name = label_of(run.place.section(u'/', -1));
  run.renamed = fields.flag("renamed");
  run.tags = tags_of(fields);
  run.text = beginning(fields.text("text"), most_details);
  run.policy = beginning(fields.text("policy"), most_characters);
  run.model = beginning(fields.text("model"), most_characters);
  run.details = beginning(fields.text("details"), most_details);
  run.saved_in = absolute(fields.text("saved_in"));
  run.standing = fields.flag("partial") ? Standing::Partial : Standing::Whole;
  run.tokens = fields.integer("tokens", 0, 0);
  run.resumable = run.kind == ListedKind::Run && run.standing == Standing::Partial && run.tokens > 0;
  run.expected_tokens = fields.integer("expected_tokens", run.tokens, 0);
  run.loss = fields.number("loss", std::nan(""));
  run.bytes = fields.integer("bytes", 0, 0, std::int64_t{1} << 50);
  run.made_ms = fields.integer("made_ms", 0, 0, std::int64_t{1} << 48);
  if (fields.flag("ticked")) run.tick = static_cast<int>(fields.integer("tick", 1, 1, most_ticks));
  return run;
}

}  // namespace

json runs_json(const std::vector<ListedRun>& runs, const std::function<json(const QString& path)>& place_json) {
  json list = json::array();
  for (const ListedRun& run : runs)
    for (const KindKey& each : kind_keys)
      if (run.kind == each.kind) list.push_back(kept_json(run, each.key, place_json));
  return list;
}

std::vector<ListedRun> runs_of(const SessionFields& fields,
                               const std::function<QString(const QString& path)>& absolute) {
  std::vector<ListedRun> runs;
  std::set<QString> places;
  for (const json& each : fields.list("runs")) {
    ListedRun run = kept_of({each, fields.where(), "runs"}, absolute);
    if (places.insert(run.place).second) runs.push_back(std::move(run));
  }
  return runs;
}

bool same_list(const std::vector<ListedRun>& a, const std::vector<ListedRun>& b) {
  return std::ranges::equal(a, b, [](const ListedRun& left, const ListedRun& right) {
    return left.place == right.place && left.name == right.name && left.tags == right.tags;
  });
}

}  // namespace carryover
