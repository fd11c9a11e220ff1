// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/kept_what_ifs.h"

#include <algorithm>
#include <limits>

#include "app/saved_window/session_fields.h"
#include "app/saved_window/versioned_json.h"
#include "engine/base/error.h"
#include "engine/runs/values/edit_json.h"

namespace carryover {
namespace {

using nlohmann::json;

const VersionedFormat& what_ifs_format() {
  static const VersionedFormat format{"carryover what-ifs", {}};
  return format;
}

/// The slots on one side, as lines of hits.jsonl: a list of heads.
json side_json(const WhatIfResult& result, bool gained) {
  std::vector<HeadHits> heads;
  for (const HitChange& change : result.changes) {
    if (change.gained != gained) continue;
    if (heads.empty() || heads.back().layer != change.layer || heads.back().head != change.head)
      heads.push_back({result.segment, change.layer, change.head, {}});
    heads.back().hits.push_back(change.hit);
  }
  return heads;
}

std::vector<HeadHits> side_of(const json& heads, const std::string& where) {
  std::vector<HeadHits> side;
  for (const json& head : heads) side.push_back(head_hits_from_json(head, where));
  return side;
}

/// JSON has no NaN: it is null there.
std::vector<float> losses_of(const json& list) {
  std::vector<float> losses;
  for (const json& value : list)
    losses.push_back(value.is_null() ? std::numeric_limits<float>::quiet_NaN() : value.get<float>());
  return losses;
}

double number_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json kept_json(const KeptWhatIf& kept) {
  const WhatIfResult& result = kept.result;
  json tags = json::array();
  for (const QString& tag : result.tags) tags.push_back(tag.toStdString());
  json fields{{"name", result.name.toStdString()},
              {"tags", std::move(tags)},
              {"segment", result.segment},
              {"first_token", result.first_token},
              {"run_config", result.run_config},
              {"edit", edit_json(result.edit)},
              {"before", result.before},
              {"after", result.after},
              {"lost", side_json(result, false)},
              {"gained", side_json(result, true)},
              {"change", {{"mean", result.change.mean}, {"low", result.change.low}, {"high", result.change.high}}},
              {"segments_run", result.segments_run},
              {"seconds", result.seconds},
              {"made_ms", result.made_ms},
              {"run", result.provenance.toStdString()},
              {"in_run", kept.in_run}};
  if (!result.patched_from.isEmpty()) fields["patched_from"] = result.patched_from.toStdString();
  if (result.prediction) fields["prediction"] = prediction_json(*result.prediction);
  return fields;
}

KeptWhatIf kept_from(const json& fields, const std::string& where) {
  KeptWhatIf kept;
  WhatIfResult& result = kept.result;
  result.name = QString::fromStdString(fields.at("name").get<std::string>());
  const SessionFields checked(fields, where, "what_ifs");
  result.tags = checked.texts("tags");
  result.segment = checked.index("segment", 0, 0);
  result.first_token = checked.integer("first_token", 0, 0);
  update_from_json(result.run_config, fields.at("run_config"), where);
  result.edit = edit_from_json(fields.at("edit"), where);
  result.before = losses_of(fields.at("before"));
  result.after = losses_of(fields.at("after"));
  if (result.before.size() != result.after.size())
    throw EngineError(Fault::BadInput, where, "has losses that are not pairs", "Run the what-if again.");
  result.changes = changed_hits(side_of(fields.at("lost"), where), side_of(fields.at("gained"), where));
  const json& change = fields.at("change");
  result.change = {number_of(change.at("mean")), number_of(change.at("low")), number_of(change.at("high"))};
  result.patched_from = checked.text("patched_from");
  if (const auto prediction = fields.find("prediction"); prediction != fields.end())
    result.prediction = prediction_from_json(*prediction, where);
  result.segments_run = checked.index("segments_run", 0, 0);
  fields.at("seconds").get_to(result.seconds);
  result.made_ms = checked.integer("made_ms", 0, 0, std::int64_t{1} << 48);  // files of earlier versions lack it
  result.provenance = QString::fromStdString(fields.at("run").get<std::string>());
  fields.at("in_run").get_to(kept.in_run);
  return kept;
}

}  // namespace

std::vector<KeptWhatIf> kept_of(const WhatIfs& what_ifs) {
  const int count = static_cast<int>(what_ifs.results().size());
  std::vector<KeptWhatIf> kept;
  for (int i = std::max(0, count - most_kept_what_ifs); i < count; ++i)
    kept.push_back({what_ifs.results()[static_cast<std::size_t>(i)], what_ifs.in_run(i)});
  return kept;
}

std::string what_ifs_text(const std::vector<KeptWhatIf>& what_ifs) {
  json list = json::array();
  for (const KeptWhatIf& kept : what_ifs) list.push_back(kept_json(kept));
  return versioned_text(what_ifs_format(), {{"what_ifs", std::move(list)}});
}

std::vector<KeptWhatIf> read_what_ifs(const QString& path) {
  const std::string where = path.toStdString();
  const json fields = read_versioned(path, what_ifs_format());
  try {
    std::vector<KeptWhatIf> what_ifs;
    for (const json& each : fields.at("what_ifs")) what_ifs.push_back(kept_from(each, where));
    return what_ifs;
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("has the wrong fields: ") + error.what(),
                      "Run the what-ifs again.");
  }
}

}  // namespace carryover
