// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/snapshot.h"

#include <nlohmann/json.hpp>

#include "engine/base/json_integer.h"

namespace carryover {

void to_json(nlohmann::json& json, const SegmentRecord& record) {
  json = nlohmann::json{{"index", record.index},
                        {"first_token", record.first_token},
                        {"length", record.length},
                        {"targets", record.targets},
                        {"nll_sum", record.nll_sum},
                        {"seconds", record.seconds},
                        {"pool_entries", record.pool_entries},
                        {"near_ties", record.near_ties},
                        {"memory", record.memory}};
  if (record.time) json["time"] = *record.time;
  if (record.sinks) json["sinks"] = *record.sinks;
}

void get_near_ties(const nlohmann::json& object, std::int64_t& near_ties) {
  get_integer(object, object.contains("close_cuts") ? "close_cuts" : "near_ties", near_ties);
}

void from_json(const nlohmann::json& json, SegmentRecord& record) {
  get_integer(json, "index", record.index);
  get_integer(json, "first_token", record.first_token);
  get_integer(json, "length", record.length);
  get_integer(json, "targets", record.targets);
  json.at("nll_sum").get_to(record.nll_sum);
  json.at("seconds").get_to(record.seconds);
  get_integer(json, "pool_entries", record.pool_entries);
  get_near_ties(json, record.near_ties);
  json.at("memory").get_to(record.memory);
  if (json.contains("time")) record.time = json.at("time").get<SegmentTime>();
  if (json.contains("sinks")) record.sinks = json.at("sinks").get<SinkSummary>();
}

}  // namespace carryover
