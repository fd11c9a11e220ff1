// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/header_cache.h"

#include <dlfcn.h>

#include <filesystem>
#include <span>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr int kHeaderCacheVersion = 1;

json stamp_json(const FileStamp& stamp) {
  return {stamp.inode, stamp.size, stamp.seconds, stamp.nanoseconds};
}

FileStamp stamp_from(const json& values) {
  const auto number = [&](std::size_t at) { return values.at(at).get<std::int64_t>(); };
  return {number(0), number(1), number(2), number(3)};
}

/// Returns what tells this build from others: the version of the format, and the stamp of the library or program that
/// holds this function.
json build_json() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(&build_json), &info) != 0 && info.dli_fname != nullptr;
  return {kHeaderCacheVersion, CARRYOVER_VERSION, stamp_json(known ? file_stamp(info.dli_fname) : FileStamp())};
}

std::string check_of(const json& models) {
  const std::string text = json_text(models);
  return hex_of(content_hash(std::as_bytes(std::span(text))));
}

}  // namespace

HeaderCache::HeaderCache(std::string file) : file_(std::move(file)) {
  try {
    if (!file_.empty()) read();
  } catch (const EngineError&) {
    entries_.clear();
  } catch (const json::exception&) {
    entries_.clear();
  }
}

void HeaderCache::read() {
  const json cache = read_json_file(file_, JsonKind::Results);
  const json& models = cache.at("models");
  if (cache.at("build") != build_json() || cache.at("check") != check_of(models)) return;
  for (const auto& [path, model] : models.items()) {
    Entry entry;
    for (const json& stamp : model.at("files")) entry.stamps.push_back(stamp_from(stamp));
    model.at("facts").get_to(entry.facts);
    entries_[path] = std::move(entry);
  }
}

const ModelFacts* HeaderCache::find(const std::string& path, const Stamps& stamps) const {
  const auto found = entries_.find(path);
  return found != entries_.end() && found->second.stamps == stamps ? &found->second.facts : nullptr;
}

void HeaderCache::store(const std::string& path, const Stamps& stamps, const ModelFacts& facts) {
  if (file_.empty() || first_invalid_utf8(path) != path.size()) return;
  entries_[path] = {stamps, facts};
  changed_ = true;
}

void HeaderCache::save() {
  if (!changed_) return;
  json models = json::object();
  for (const auto& [path, entry] : entries_) {
    if (file_stamp(path) == FileStamp()) continue;
    json& model = models[path];
    for (const FileStamp& stamp : entry.stamps) model["files"].push_back(stamp_json(stamp));
    model["facts"] = entry.facts;
  }
  const json cache{{"build", build_json()}, {"check", check_of(models)}, {"models", models}};
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
  try {
    write_file_atomically(file_, json_text(cache) + "\n");
  } catch (const EngineError&) {  // the headers are read again the next time
  }
  changed_ = false;
}

}  // namespace carryover
