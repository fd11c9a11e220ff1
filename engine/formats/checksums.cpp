// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/checksums.h"

#include <filesystem>
#include <set>

#include "engine/base/error.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/json_file.h"
#include "engine/formats/mapped_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kFile = "checksums.json";
constexpr const char* kAdvice = "Go on from another checkpoint: move this one away.";

json checksum_of(const fs::path& path) {
  std::error_code failed;
  const bool empty = fs::file_size(path, failed) == 0 && !failed;
  const auto file = empty ? nullptr : MappedFile::open(path.string());  // an empty file can't be mapped
  const std::span<const std::byte> bytes = file ? file->bytes() : std::span<const std::byte>();
  json checksum{{"bytes", bytes.size()}, {"hash", hex_of(content_hash(bytes))}};
  if (file) file->require_whole();
  return checksum;
}

}  // namespace

void write_checksums(const std::string& directory) {
  std::set<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.is_regular_file() && entry.path().filename() != kFile) paths.insert(entry.path());
  json files = json::object();
  for (const fs::path& path : paths) files[path.filename().string()] = checksum_of(path);
  write_file_atomically((fs::path(directory) / kFile).string(), files.dump(2) + "\n");
}

bool check_checksums(const std::string& directory) {
  const fs::path path = fs::path(directory) / kFile;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return false;
  const json files = read_json_file(path.string());
  if (!files.is_object() || files.empty())
    throw EngineError(Fault::BadInput, path.string(), "is not a list of checksums", kAdvice);
  for (const auto& [name, expected] : files.items()) {
    const std::string file = (fs::path(directory) / fs::path(name).filename()).string();
    const json found = checksum_of(file);
    if (found != expected)
      throw EngineError(Fault::BadInput, file,
                        "is damaged: checksums.json says " + expected.dump() + ", it is " + found.dump(), kAdvice);
  }
  return true;
}

}  // namespace carryover
