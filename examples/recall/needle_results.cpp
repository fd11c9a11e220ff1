// SPDX-License-Identifier: GPL-3.0-or-later
#include "examples/recall/needle_results.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/config/segment_config.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"

namespace carryover {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_results(const std::string& path, const std::string& problem) {
  throw EngineError(Fault::BadInput, path, problem, "Name another file for the results.");
}

/// The whole lines of a file, without an unfinished last line of a killed process.
struct NeedleLines {
  std::vector<json> whole;
  std::int64_t bytes = 0;  ///< of these lines
};

/// plan: the first line that this program would write.
NeedleLines read_needle_lines(const std::string& path, const json& plan) {
  NeedleLines found;
  if (!std::filesystem::exists(path)) return found;
  InputLines lines(path);
  for (std::string line; lines.next(line);) {
    const std::string where = path + ", line " + std::to_string(lines.number());
    // If a killed process left only a part of the first line, that is the beginning of the plan's line.
    if (!lines.ended() && found.whole.empty() && !json_text(plan).starts_with(line))
      refuse_results(where, "is not of the results of needles");
    if (!lines.ended()) break;
    found.whole.push_back(parse_json(line, where));
    if (!found.whole.back().is_object()) refuse_results(where, "is not of the results of needles");
    found.bytes = lines.offset();
  }
  return found;
}

void require_same_plan(const json& first, const json& plan, const std::string& path) {
  for (const auto& [key, value] : plan.items()) {
    const json earlier = first.value(key, json());
    if (earlier != value)
      refuse_results(path, "was measured otherwise: '" + key + "' was " + earlier.dump() + " and is " + value.dump());
  }
}

/// A method's line with every field of its settings: those that an earlier version did not know have their defaults.
json with_all_settings(json method, const std::string& path) {
  SegmentConfig config;
  update_from_json(config, method.at("config"), path);
  method["config"] = config;
  return method;
}

/// Returns true if the file has the method's line. Throws where the file has another line for the method's name.
bool has_method(const std::vector<json>& lines, const json& method, const std::string& path) {
  const auto same = std::ranges::find_if(
      lines, [&](const json& line) { return line.contains("config") && line.value("name", json()) == method["name"]; });
  if (same == lines.end()) return false;
  if (with_all_settings(*same, path) != with_all_settings(method, path))
    refuse_results(path, "was measured otherwise: the settings of '" + method["name"].get<std::string>() + "' were " +
                             same->dump());
  return true;
}

}  // namespace

NeedleResults::NeedleResults(const std::string& path, const json& plan, const std::vector<json>& methods)
    : lock_(path, FolderLock::Of::File) {
  NeedleLines before = read_needle_lines(path, plan);
  std::string fresh;
  if (before.whole.empty())
    fresh = json_text(plan) + "\n";
  else
    require_same_plan(before.whole.front(), plan, path);
  for (const json& method : methods)
    if (!has_method(before.whole, method, path)) fresh += json_text(method) + "\n";
  for (json& line : before.whole)
    if (line.contains("cases")) remember(std::move(line));
  if (std::filesystem::exists(path)) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(before.bytes));
  file_.emplace(path, OutputFile::Existing::Continue);
  file_->append(fresh);
}

void NeedleResults::add(json line) {
  file_->append(json_text(line) + "\n");
  remember(std::move(line));
}

std::string NeedleResults::key_of(const json& line) {
  return json{line.at("segments"), line.at("seed"), line.at("document"), line.at("method")}.dump();
}

void NeedleResults::remember(json line) {
  done_.insert(key_of(line));
  lines_.push_back(std::move(line));
}

}  // namespace carryover
