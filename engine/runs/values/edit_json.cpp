// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/edit_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"

namespace carryover {

using nlohmann::json;

namespace {

constexpr std::size_t kMostEntries = 1'000'000;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 48;  ///< sums of two positions stay in range

json slots_json(const std::vector<SlotRef>& held) {
  json list = json::array();
  for (const SlotRef& slot : held)
    list.push_back({{"layer", slot.layer}, {"head", slot.head}, {"position", slot.position}});
  return list;
}

const json& list_of(const json& fields, const char* key, const std::string& where) {
  const json& list = fields.at(key);
  if (!list.is_array() || list.size() > kMostEntries)
    refuse_field(where, key, "is not a list of at most " + std::to_string(kMostEntries), "Make the what-if again.");
  return list;
}

std::int64_t place_of(const json& value, const char* key, const std::string& where, std::int64_t most) {
  const std::int64_t place = read_integer(value, where, key);
  if (place < 0 || place > most)
    refuse_field(where, key, "is " + std::to_string(place) + ", which is out of range", "Make the what-if again.");
  return place;
}

std::vector<SlotRef> slots_of(const json& list, const std::string& where) {
  std::vector<SlotRef> held;
  for (const json& slot : list) {
    const auto index = [&](const char* key) {
      return static_cast<int>(place_of(slot.at(key), key, where, std::numeric_limits<int>::max()));
    };
    held.push_back({index("layer"), index("head"), place_of(slot.at("position"), "position", where, kMostPositions)});
  }
  return held;
}

std::vector<HeadRef> heads_of(const json& list, const char* key, const std::string& where) {
  std::vector<HeadRef> heads;
  for (const json& head : list) {
    const auto index = [&](std::size_t place) {
      return static_cast<int>(place_of(head.at(place), key, where, std::numeric_limits<int>::max()));
    };
    heads.push_back({index(0), index(1)});
  }
  return heads;
}

/// Each is [layer, head, part].
std::vector<HeadPart> unread_of(const json& list, const std::string& where) {
  const std::vector<HeadRef> heads = heads_of(list, "unread", where);
  std::vector<HeadPart> unread;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string name = read_string(list[i].at(2), where, "unread");
    const auto part = std::ranges::find(kPrefixPartNames, name);
    if (part == kPrefixPartNames.end())
      refuse_field(where, "unread", "names \"" + name.substr(0, 60) + "\", which is no part of a prefix",
                   "Write sinks, retrieved or carry.");
    unread.push_back({heads[i], static_cast<PrefixPart>(part - kPrefixPartNames.begin())});
  }
  return unread;
}

PrefixSource source_of(const std::string& name, const std::string& where) {
  const auto source = prefix_source(name);
  if (!source)
    throw EngineError(Fault::BadInput, where,
                      "\"prefix\" is \"" + name.substr(0, 60) + "\", which is not one of the choices",
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
  if (edit.no_sinks) fields["no_sinks"] = true;
  if (edit.prefix == PrefixSource::Random) fields["seed"] = edit.seed;
  if (edit.config) fields["config"] = *edit.config;
  if (edit.patch_carry) fields["patch_carry"] = true;
  if (!edit.patched_heads.empty()) fields["patched_heads"] = edit.patched_heads;
  if (!edit.zeroed_heads.empty()) fields["zeroed_heads"] = edit.zeroed_heads;
  for (const HeadPart& unread : edit.unread)
    fields["unread"].push_back(
        {unread.head.layer, unread.head.head, kPrefixPartNames[static_cast<std::size_t>(unread.part)]});
  return fields;
}

SegmentEdit edit_from_json(const json& fields, const std::string& where) {
  try {
    SegmentEdit edit;
    edit.no_carry = read_flag(fields.at("no_carry"), where, "no_carry");
    if (const auto sinks = fields.find("no_sinks"); sinks != fields.end())
      edit.no_sinks = read_flag(*sinks, where, "no_sinks");
    edit.prefix = source_of(read_string(fields.at("prefix"), where, "prefix"), where);
    if (const auto seed = fields.find("seed"); seed != fields.end()) edit.seed = read_unsigned(*seed, where, "seed");
    edit.dropped = slots_of(list_of(fields, "dropped", where), where);
    edit.added = slots_of(list_of(fields, "added", where), where);
    for (const json& range : list_of(fields, "banned", where))
      edit.banned.push_back({place_of(range.at(0), "banned", where, kMostPositions),
                             place_of(range.at(1), "banned", where, kMostPositions)});
    if (const auto config = fields.find("config"); config != fields.end())
      update_from_json(edit.config.emplace(), *config, where);
    if (const auto carry = fields.find("patch_carry"); carry != fields.end())
      edit.patch_carry = read_flag(*carry, where, "patch_carry");
    for (const auto& [key, heads] :
         {std::pair("patched_heads", &edit.patched_heads), {"zeroed_heads", &edit.zeroed_heads}})
      if (fields.contains(key)) *heads = heads_of(list_of(fields, key, where), key, where);
    if (fields.contains("unread")) edit.unread = unread_of(list_of(fields, "unread", where), where);
    return edit;
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("has an edit with the wrong fields: ") + error.what(),
                      "Make the what-if again.");
  }
}

}  // namespace carryover
