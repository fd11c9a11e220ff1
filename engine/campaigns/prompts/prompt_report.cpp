// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/prompts/prompt_report.h"

#include <filesystem>

#include "engine/base/config_fields.h"
#include "engine/campaigns/prompts/prompt_results.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/statistics/share_interval.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 200'000;
const char* const kRunAgain = "Run the prompt set again: what it has done stays.";

[[noreturn]] void refuse(const std::string& where, const std::string& field, const std::string& problem) {
  refuse_field(where, field, problem, kRunAgain);
}

const json& list_of(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) refuse(where, key, "is not a list");
  if (found->size() > kMostEntries) refuse(where, key, "has more than " + std::to_string(kMostEntries) + " entries");
  return *found;
}

std::string text_of(const JsonFields& fields, const char* key) {
  return fields.find_text(key).value_or(std::string());
}

/// It names a folder that is opened: none but those below the prompt set's own.
std::string folder_of(const JsonFields& fields, const char* key, const std::string& where) {
  const std::filesystem::path path = text_of(fields, key);
  if (path.empty()) return {};
  bool climbs = path.is_absolute() || path.native().find('\0') != std::string::npos;
  for (const std::filesystem::path& part : path) climbs = climbs || part == "..";
  if (climbs) refuse(where, key, "is not a folder of the prompt set");
  return path;
}

PromptReport::Example example_of(const json& object, const std::string& where) {
  const JsonFields fields(object, where);
  PromptReport::Example example;
  example.name = text_of(fields, "name");
  if (const json* tags = fields.find("tags")) example.tags = read_strings(*tags, where, "tags");
  example.folder = folder_of(fields, "folder", where);
  example.against_folder = folder_of(fields, "against_folder", where);
  example.error = text_of(fields, "error");
  for (const PromptColumn& column : prompt_columns()) example.values.push_back(fields.find_number(column.key));
  return example;
}

PromptReport::Slice slice_of(const json& object, const std::string& where) {
  const JsonFields fields(object, where);
  PromptReport::Slice slice;
  slice.tag = fields.find_text("tag");
  slice.examples = fields.integer("examples");
  for (const PromptColumn& column : prompt_columns()) {
    const json* interval = fields.find(column.key);
    if (interval == nullptr) {
      slice.values.emplace_back();
      slice.counts.push_back(0);
      continue;
    }
    const JsonFields ends(*interval, where + ": " + column.key);
    const auto number = [&](const char* key) {
      const auto value = ends.find_number(key);
      if (!value) refuse(where, column.key, std::string("has no ") + key);
      return *value;
    };
    const std::int64_t count = ends.integer("examples");
    const double mean = number("mean");
    slice.counts.push_back(count);
    // Files of earlier versions have bounds of a bootstrap for shares and for few examples too.
    if (column.share || count < kFewestForInterval)
      slice.values.push_back(wilson_interval(mean, column.share ? static_cast<double>(count) : 0));
    else
      slice.values.push_back(MeanInterval{mean, number("low"), number("high")});
  }
  return slice;
}

}  // namespace

PromptReport read_prompt_report(const std::string& folder) {
  const std::string where = path_in(folder, "prompts.json");
  const json object = read_json_file(where, JsonKind::Results);
  const JsonFields fields(object, where);
  PromptReport report;
  report.prompts = text_of(fields, "prompts");
  report.model = text_of(fields, "model");
  report.model_path = text_of(fields, "model_path");
  report.adapter = text_of(fields, "adapter");
  report.policy = text_of(fields, "policy");
  report.against = text_of(fields, "against");
  report.complete = fields.find_flag("complete").value_or(false);
  for (const json& example : list_of(object, "examples", where)) report.examples.push_back(example_of(example, where));
  for (const json& slice : list_of(object, "slices", where)) report.slices.push_back(slice_of(slice, where));
  return report;
}

}  // namespace carryover
