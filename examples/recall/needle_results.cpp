// SPDX-License-Identifier: GPL-3.0-or-later
#include "examples/recall/needle_results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/core/base/error.h"
#include "engine/core/config/segment_config.h"
#include "engine/formats/json_file.h"

namespace carryover {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_results(const std::string& path, const std::string& problem) {
  throw EngineError(Fault::BadInput, path, problem, "Name another file for the results.");
}

/// What a file has: its whole lines, and what follows the last of them.
struct NeedleLines {
  std::vector<json> whole;
  std::int64_t unfinished = 0;  ///< bytes
};

NeedleLines read_needle_lines(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  if (input.bad()) throw EngineError(Fault::Io, path, "can't be read", "Check the disk.");
  NeedleLines lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string where = path + ", line " + std::to_string(lines.whole.size() + 1);
    lines.whole.push_back(parse_json(std::string_view(text).substr(begin, end - begin), where));
    if (!lines.whole.back().is_object()) refuse_results(where, "is not of the results of needles");
  }
  lines.unfinished = std::ssize(text) - static_cast<std::int64_t>(begin);
  // What a killed process leaves of a first line begins as one.
  if (begin == 0 && !text.empty() && !text.starts_with("{\"")) refuse_results(path, "has no results of needles");
  return lines;
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

/// Whether the file has the method's line. Throws where it has another for its name.
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

NeedleResults::Lock::Lock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw write_error(path, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int code = errno;
  ::close(descriptor_);
  if (code == EWOULDBLOCK)
    throw EngineError(Fault::Usage, path, "is being written by another process",
                      "Stop it first, or name another file for the results.");
  throw write_error(path, code);
}

NeedleResults::Lock::~Lock() {
  ::close(descriptor_);
}

NeedleResults::NeedleResults(const std::string& path, const json& plan, const std::vector<json>& methods)
    : lock_(path) {
  NeedleLines before = read_needle_lines(path);
  std::string fresh;
  if (before.whole.empty())
    fresh = json_text(plan) + "\n";
  else
    require_same_plan(before.whole.front(), plan, path);
  for (const json& method : methods)
    if (!has_method(before.whole, method, path)) fresh += json_text(method) + "\n";
  for (json& line : before.whole)
    if (line.contains("cases")) remember(std::move(line));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - static_cast<std::uintmax_t>(before.unfinished));
  file_.emplace(path, OutputFile::Existing::Continue);
  file_->append(fresh);
}

NeedleResults::~NeedleResults() = default;

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
