// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/edit_json.h"

#include <nlohmann/json.hpp>

#include "engine/core/error.h"

namespace carryover {

using nlohmann::json;

namespace {

json slots_json(const std::vector<SlotRef>& held) {
  json list = json::array();
  for (const SlotRef& slot : held)
    list.push_back({{"layer", slot.layer}, {"head", slot.head}, {"position", slot.position}});
  return list;
}

std::vector<SlotRef> slots_of(const json& list) {
  std::vector<SlotRef> held;
  for (const json& slot : list) held.push_back({slot.at("layer"), slot.at("head"), slot.at("position")});
  return held;
}

PrefixSource source_of(const std::string& name, const std::string& where) {
  const auto source = prefix_source(name);
  if (!source)
    throw EngineError(Fault::BadInput, where, "\"prefix\" is \"" + name.substr(0, 60) + "\", which is none",
                      "Write search, off, random, recent, constant, sinks or oracle.");
  return *source;
}

}  // namespace

json edit_json(const SegmentEdit& edit) {
  json banned = json::array();
  for (const TokenRange& range : edit.banned) banned.push_back({range.first, range.last});
  json fields{{"no_carry", edit.no_carry},
              {"prefix", prefix_source_name(edit.prefix)},
              {"dropped", slots_json(edit.dropped)},
              {"added", slots_json(edit.added)},
              {"banned", banned}};
  if (edit.prefix == PrefixSource::Random) fields["seed"] = edit.seed;
  if (edit.config) fields["config"] = *edit.config;
  return fields;
}

SegmentEdit edit_from_json(const json& fields, const std::string& where) {
  try {
    SegmentEdit edit;
    fields.at("no_carry").get_to(edit.no_carry);
    edit.prefix = source_of(fields.at("prefix"), where);
    edit.seed = fields.value("seed", edit.seed);
    edit.dropped = slots_of(fields.at("dropped"));
    edit.added = slots_of(fields.at("added"));
    for (const json& range : fields.at("banned")) edit.banned.push_back({range.at(0), range.at(1)});
    if (const auto config = fields.find("config"); config != fields.end())
      update_from_json(edit.config.emplace(), *config, where);
    return edit;
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("has an edit with the wrong fields: ") + error.what(),
                      "Make the what-if again.");
  }
}

}  // namespace carryover
