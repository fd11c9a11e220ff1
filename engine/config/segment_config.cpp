// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/segment_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/config/segment_fields.h"
#include "engine/families/family.h"

namespace carryover {

namespace {

void read_choice(SegmentConfig& config, const Choice& choice, const nlohmann::json& value, const std::string& where,
                 const std::string& key) {
  if (!value.is_string() || !choice.set_name(config, value.get_ref<const std::string&>()))
    refuse_field(where, key, "is not known: " + value.dump().substr(0, 60), "Use " + listed_names(choice.names) + ".");
}

std::vector<HeadRef> read_heads(const nlohmann::json& value, const std::string& where, const std::string& key) {
  const auto refuse = [&] {
    refuse_field(where, key, "is not a list of layers and heads: " + value.dump().substr(0, 60),
                 "Give pairs, such as [[18, 6], [15, 6]].");
  };
  if (!value.is_array()) refuse();
  std::vector<HeadRef> heads;
  for (const nlohmann::json& pair : value) {
    if (!pair.is_array() || pair.size() != 2) refuse();
    const auto layer = find_integer(pair[0]), head = find_integer(pair[1]);
    if (!layer || !head || !std::in_range<int>(*layer) || !std::in_range<int>(*head)) refuse();
    heads.push_back({static_cast<int>(*layer), static_cast<int>(*head)});
  }
  std::ranges::sort(heads);
  return heads;
}

void read_field(const nlohmann::json& value, const std::string& where, const std::string& key,
                std::vector<HeadRef>& member) {
  member = read_heads(value, where, key);
}
void read_field(const nlohmann::json& value, const std::string& where, const std::string& key, HeadPatterns& member) {
  member = head_patterns_from_json(value, where, key);
}
void read_field(const nlohmann::json&, const std::string&, const std::string&, Grouping&) {}  // update_from_json does

/// Calls visit(field, value) for each number that is set.
template <typename Visit>
void each_count(const SegmentConfig& config, Visit visit) {
  for (const SegmentField& field : segment_fields()) {
    if (const auto* count = field.as<std::int64_t>()) visit(field, count->get(config));
    if (const auto* count = field.as<std::optional<std::int64_t>>())
      if (const std::optional<std::int64_t>& value = count->get(config)) visit(field, *value);
  }
}

/// Checks who searches, and what is retrieved by the scores.
void check_search(const SegmentConfig& config, const ModelConfig& model, const std::string& where) {
  if (config.retrieval_length > 0 && config.search == SearchBy::Shared && config.search_heads.empty())
    refuse_field(where, "search_heads", "is empty, and the search is shared", "Name heads, such as 18.6,15.6,18.7.");
  for (std::size_t i = 0; i < config.search_heads.size(); ++i) {
    const HeadRef head = config.search_heads[i];
    const std::string name = text_of_heads({head});
    if (head.layer < 0 || head.layer >= model.layers || head.head < 0 || head.head >= model.heads)
      refuse_field(where, "search_heads", "has " + name + ", which the model lacks",
                   "It has " + std::to_string(model.layers) + " layers of " + std::to_string(model.heads) +
                       " heads, counted from 0.");
    if (model.is_windowed(head.layer))
      refuse_field(where, "search_heads", "has " + name + ", whose layer sees only the model's own window",
                   "Name heads of layers without a window.");
    if (i > 0 && head == config.search_heads[i - 1])
      refuse_field(where, "search_heads", "has " + name + " twice", "Name each one once.");
  }
  if (config.retrieve == RetrieveBy::Windows && config.retrieval_length > 0 &&
      config.window_length > config.retrieval_length)
    refuse_field(where, "window_length",
                 "is " + std::to_string(config.window_length) + ", more than retrieval_length, " +
                     std::to_string(config.retrieval_length),
                 "A retrieved window has to fit: make it shorter.");
}

/// Returns true if the largest buffer that a config can ask for has a size in 64 bits: K and V of S + M + R positions,
/// every head of every layer, in fp64.
bool sizes_fit(const SegmentConfig& config, const ModelConfig& model) {
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(config.segment_length, config.carry_length, &bytes)) return false;
  if (__builtin_add_overflow(bytes, config.retrieval_length, &bytes)) return false;
  if (__builtin_add_overflow(bytes, config.sink_length, &bytes)) return false;
  for (std::int64_t factor : {model.layers, model.heads, model.head_dim, std::int64_t{2} * 8}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes)) return false;
  }
  return true;
}

}  // namespace

std::int64_t SegmentConfig::anchor_count() const {
  if (anchors) return *anchors;
  return std::max<std::int64_t>(1, retrieval_length / (expand_before + expand_after + 1));
}

SegmentConfig SegmentConfig::defaults_for(const ModelConfig& model) {
  SegmentConfig config;
  const std::int64_t eighth = (model.context / 8 + 32) / 64 * 64;
  config.segment_length = std::clamp<std::int64_t>(eighth, 16, 4096);
  config.carry_length = config.retrieval_length = config.segment_length / 8;
  config.grouping = default_grouping(model);
  config.bos = family_of(model).starts_with_bos;
  return config;
}

SegmentConfig SegmentConfig::untrained_defaults_for(const ModelConfig& model) {
  SegmentConfig config = defaults_for(model);
  config.sink_length = kSinkTokens;
  return config;
}

void SegmentConfig::validate(const ModelConfig& model, const std::string& where) const {
  each_count(*this, [&](const SegmentField& field, std::int64_t value) {
    if (value < field.least)
      refuse_field(where, field.key, "is " + std::to_string(value),
                   "It must be at least " + std::to_string(field.least) + ".");
  });
  if (carry_length > segment_length) {
    refuse_field(where, "carry_length",
                 std::string("is ") + std::to_string(carry_length) + ", more than segment_length, " +
                     std::to_string(segment_length),
                 "The carried tail comes from one segment: make it at most as long.");
  }
  if (sink_length > segment_length - carry_length) {
    refuse_field(where, "sink_length",
                 "is " + std::to_string(sink_length) + ", and with carry_length, " + std::to_string(carry_length) +
                     ", more than segment_length, " + std::to_string(segment_length),
                 "Sinks and carry are different tokens of one segment: make their sum at most its length.");
  }
  check_search(*this, model, where);
  for (const PolicyFields* policy : policy_fields())
    if (policy->check != nullptr) policy->check(*this, model, where);
  if (!sizes_fit(*this, model)) {
    refuse_field(where, "segment_length + carry_length + retrieval_length",
                 "ask for more bytes than a 64-bit number holds", "Use lengths in tokens, such as 4096, 512 and 512.");
  }
  constexpr std::int64_t most = std::int64_t{1} << 40;  // sums and products with a pool's length stay in range
  each_count(*this, [&](const SegmentField& field, std::int64_t value) {
    if (value > most) refuse_field(where, field.key, "is " + std::to_string(value), "It must be at most 2^40.");
  });
  if (question_pass && boundary_at_prompt_end)
    refuse_field(where, "question_pass", "is on beside boundary_at_prompt_end",
                 "Turn one of them off: each says where the prompt's last segment ends.");
  if (rope) rope->validate(model.rope_dims(), where);
  try {
    grouping.validate(model);
  } catch (const EngineError& error) {
    throw EngineError(error.fault(), where, error.where() + ": " + error.problem(), error.advice());
  }
}

void to_json(nlohmann::json& json, const SegmentConfig& config) {
  json = config.grouping;
  for (const SegmentField& field : segment_fields())
    std::visit(
        [&](auto member) {
          using Member = decltype(member);
          if constexpr (std::is_same_v<Member, Choice>)
            json[field.key] = member.name(config);
          else if constexpr (!std::is_same_v<Member, SettingOf<Grouping>>)
            json[field.key] = json_of(member.get(config));
        },
        field.member);
}

void update_from_json(SegmentConfig& config, const nlohmann::json& json, const std::string& where) {
  if (!json.is_object()) throw EngineError(Fault::BadInput, where, "is not a JSON object", "Give fields by name.");
  SegmentConfig updated = config;
  for (const auto& item : json.items()) {
    const SegmentField* field = find_segment_field(item.key());
    if (!field) refuse_field(where, item.key(), "is not a field of the config", "Remove it, or correct its spelling.");
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), Choice>)
            read_choice(updated, member, item.value(), where, item.key());
          else
            read_field(item.value(), where, item.key(), member.in(updated));
        },
        field->member);
  }
  try {
    from_json(json, updated.grouping);
  } catch (const EngineError& error) {
    throw EngineError(error.fault(), where, error.where() + " " + error.problem(), error.advice());
  }
  config = std::move(updated);
}

}  // namespace carryover
