// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/policy_variant.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/config/field_text.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_form(const std::string& name, const std::string& problem) {
  throw EngineError(Fault::Usage, name, problem, "Such as segmented[retrieval_length=0,sink_length=4].");
}

const SegmentField& field_of(const std::string& key, const std::string& policy, const std::string& name) {
  const SegmentField* field = find_segment_field(key);
  if (field == nullptr) {
    std::vector<std::string> keys;
    for (const SegmentField& each : segment_fields()) keys.emplace_back(each.key);
    const std::string near = nearest_name(key, keys);
    throw EngineError(Fault::Usage, name, "'" + key + "' is not a field of the config",
                      near.empty() ? "`carryover eval --help` has the fields." : "Did you mean " + near + "?");
  }
  if (!policy_reads(policy, key))
    throw EngineError(Fault::Usage, name, policy + " does not read " + key + ", so that its numbers would be the same",
                      "Leave it out.");
  return *field;
}

/// "retrieval_length=0", "search_heads=18.6,15.6": at the commas behind which a key follows.
std::vector<std::string> setting_texts(const std::string& list) {
  std::vector<std::string> texts;
  for (const std::string& part : text_parts(list, ','))
    if (texts.empty() || part.find('=') != std::string::npos)
      texts.push_back(part);
    else
      texts.back() += "," + part;
  return texts;
}

}  // namespace

std::string PolicyVariant::name() const {
  std::string own;
  for (const SegmentField& field : segment_fields())
    if (const auto found = settings.find(field.key); found != settings.end())
      own += (own.empty() ? "" : ",") + std::string(field.key) + "=" + text_of_field(*found);
  return own.empty() ? policy : policy + "[" + own + "]";
}

SegmentConfig PolicyVariant::config(SegmentConfig config) const {
  update_from_json(config, settings, name());
  return config;
}

PolicyVariant policy_variant(const std::string& name) {
  const std::size_t open = name.find('[');
  PolicyVariant variant;
  variant.policy = trimmed(std::string_view(name).substr(0, open));
  policy_row(variant.policy);
  if (open == std::string::npos) return variant;
  if (name.back() != ']' || name.find_first_of("[]", open + 1) != name.size() - 1)
    refuse_form(name, "is not POLICY[FIELD=VALUE,…]");
  for (const std::string& text : setting_texts(name.substr(open + 1, name.size() - open - 2))) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse_form(name, "has '" + text + "', which is not FIELD=VALUE");
    const std::string key(trimmed(std::string_view(text).substr(0, equals)));
    const SegmentField& field = field_of(key, variant.policy, name);
    if (variant.settings.contains(key)) refuse_form(name, "names " + key + " twice");
    variant.settings[key] = json_of_field(field, std::string(trimmed(std::string_view(text).substr(equals + 1))), name);
  }
  if (variant.settings.empty()) refuse_form(name, "names no setting");
  SegmentConfig any;
  update_from_json(any, variant.settings, name);  // refuses what a field does not take
  return variant;
}

std::vector<std::string> variant_names(std::string_view list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char letter = at < list.size() ? list[at] : ',';
    if (letter == '[' || letter == ']') inside = letter == '[';
    if (at < list.size() && (letter != ',' || inside)) continue;
    names.emplace_back(trimmed(list.substr(begin, at - begin)));
    begin = at + 1;
  }
  std::erase(names, std::string());
  return names;
}

}  // namespace carryover
