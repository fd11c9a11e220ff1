// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/hash_cache.h"

#include <sys/stat.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/formats/cache_folder.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kVersion = 1;  ///< version of the hash's definition
constexpr std::size_t kHashDigits = 16;

/// Returns a key of these files and their contents; empty if a file can't be examined, or if the files together are
/// small.
std::string key_of(const std::vector<std::string>& files, std::int64_t least) {
  json key{kVersion};
  std::int64_t total = 0;
  for (const std::string& file : files) {
    std::error_code failed;
    const std::string path = fs::canonical(file, failed).string();
    struct stat status {};
    if (failed || ::stat(path.c_str(), &status) != 0) return {};
    key.push_back({path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_dev, status.st_ino});
    total += status.st_size;
  }
  return files.empty() || total < least ? "" : json_text(key);
}

/// Returns the path of the one entry for a set of file paths, so that a file that is written again replaces its own
/// entry.
std::string entry_path(const std::string& directory, const std::vector<std::string>& files) {
  std::uint64_t name = kVersion;
  for (const std::string& file : files) {
    const std::string path = fs::absolute(file).lexically_normal().string();
    name = join_hashes(name, content_hash(std::as_bytes(std::span(path))));
  }
  return (fs::path(directory) / (hex_of(name) + ".json")).string();
}

}  // namespace

HashCache::HashCache(std::string directory, const ModelSource& source, std::int64_t least)
    : files_(source.files()), directory_(std::move(directory)), least_(least) {
  if (!directory_.empty()) key_ = key_of(files_, least_);
}

std::optional<std::string> HashCache::find() const {
  if (key_.empty()) return std::nullopt;
  try {
    const json entry = read_json_file(entry_path(directory_, files_));
    const JsonFields fields(entry, "hash");
    const auto hash = fields.find_text("hash"), key = fields.find_text("key"), check = fields.find_text("check");
    if (!hash || !key || *key != key_ || hash->size() != kHashDigits) return std::nullopt;
    const std::string checked = *key + *hash;
    if (check != hex_of(content_hash(std::as_bytes(std::span(checked))))) return std::nullopt;
    return hash;
  } catch (const EngineError&) {
    return std::nullopt;  // absent or damaged: the caller reads the files
  }
}

void HashCache::store(const std::string& hash) const {
  if (key_.empty() || key_of(files_, least_) != key_) return;
  const std::string checked = key_ + hash;
  const json entry{{"key", key_}, {"hash", hash}, {"check", hex_of(content_hash(std::as_bytes(std::span(checked))))}};
  std::error_code ignored;
  fs::create_directories(directory_, ignored);
  try {
    write_file_atomically(entry_path(directory_, files_), entry.dump(1) + "\n");
  } catch (const EngineError&) {  // the hash is computed again the next time
  }
}

std::string cached_hash(const ModelSource& source) {
  const HashCache cache(cache_folder("weights"), source);
  if (const auto known = cache.find()) return *known;
  std::string hash = source.hash();
  cache.store(hash);
  return hash;
}

}  // namespace carryover
