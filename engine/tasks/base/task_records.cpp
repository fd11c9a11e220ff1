// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/task_records.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_file.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostFileBytes = std::int64_t{1} << 30;  // and so a line's

using TakeRecord = std::function<void(json& record, const std::string& where)>;

void give_record(json& record, const std::string& where, const TakeRecord& take) {
  if (!record.is_object()) throw EngineError(Fault::BadInput, where, "is not an object", kFetchAgain);
  take(record, where);
}

std::int64_t read_list(const std::string& path, std::int64_t count, const TakeRecord& take) {
  json list = read_json_file(path, JsonKind::Text);
  if (!list.is_array()) throw EngineError(Fault::BadInput, path, "is not a list of records", kFetchAgain);
  std::int64_t given = 0;
  for (json& record : list) {
    if (count > 0 && given == count) break;
    give_record(record, path + "[" + std::to_string(given++) + "]", take);
  }
  return given;
}

std::int64_t read_lines(const std::string& path, std::int64_t count, const TakeRecord& take) {
  InputLines input(path);
  std::int64_t given = 0;
  for (std::string line; (count == 0 || given < count) && input.next(line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(input.number());
    json record = parse_json(line, where, JsonKind::Text);
    give_record(record, where, take);
    ++given;
  }
  return given;
}

/// Returns true if the first byte that isn't blank opens a list. Files with an object on each line may be called .json
/// too.
bool holds_list(const InputFile& file) {
  const std::string start = file.read_up_to(0, 4096);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != std::string::npos && start[first] == '[';
}

}  // namespace

std::string find_in_folder(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string path = path_in(folder, name);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

std::string need_in_folder(const std::string& folder, const std::vector<std::string>& names,
                           const std::string& advice) {
  if (folder.empty()) throw EngineError(Fault::Usage, names.front(), "no folder with data was named", advice);
  const std::string path = find_in_folder(folder, names);
  if (!path.empty()) return path;
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  throw EngineError(Fault::Io, folder, "has none of the files " + listed, advice);
}

void read_records(const std::string& path, std::int64_t count, const TakeRecord& take) {
  bool list = false;
  {
    const InputFile file(path);
    if (file.size() > kMostFileBytes)
      throw EngineError(Fault::BadInput, path, "is larger than 1 GiB", "Split it into parts.");
    list = holds_list(file);
  }
  const std::int64_t given = list ? read_list(path, count, take) : read_lines(path, count, take);
  if (given == 0) throw EngineError(Fault::BadInput, path, "has no sample", kFetchAgain);
}

const std::string& record_text(const json& record, const char* key, const std::string& where) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_string())
    throw EngineError(Fault::BadInput, where, std::string("\"") + key + "\" is not a string", kFetchAgain);
  return found->get_ref<const std::string&>();
}

}  // namespace carryover
