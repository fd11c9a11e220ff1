// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/run/snapshot.h"

#include <nlohmann/json.hpp>

namespace carryover {

void to_json(nlohmann::json& json, const SegmentRecord& record) {
  json = nlohmann::json{{"index", record.index},
                        {"first_token", record.first_token},
                        {"length", record.length},
                        {"targets", record.targets},
                        {"nll_sum", record.nll_sum},
                        {"seconds", record.seconds},
                        {"pool_entries", record.pool_entries},
                        {"close_cuts", record.close_cuts},
                        {"memory", record.memory}};
  if (record.time) json["time"] = *record.time;
}

void from_json(const nlohmann::json& json, SegmentRecord& record) {
  json.at("index").get_to(record.index);
  json.at("first_token").get_to(record.first_token);
  json.at("length").get_to(record.length);
  json.at("targets").get_to(record.targets);
  json.at("nll_sum").get_to(record.nll_sum);
  json.at("seconds").get_to(record.seconds);
  json.at("pool_entries").get_to(record.pool_entries);
  json.at("close_cuts").get_to(record.close_cuts);
  json.at("memory").get_to(record.memory);
  if (json.contains("time")) record.time = json.at("time").get<SegmentTime>();
}

}  // namespace carryover
