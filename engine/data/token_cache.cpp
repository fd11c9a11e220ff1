// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/token_cache.h"

#include <cstring>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/input_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "carryover-ids-1\n";

void put(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Takes numbers off the front of a file's bytes; `whole` becomes false when there are too few.
struct Reader {
  std::string_view bytes;
  bool whole = true;

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (bytes.size() < sizeof value) {
      whole = false;
      return 0;
    }
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return value;
  }
  std::vector<std::int32_t> ids(std::uint64_t count) {
    std::vector<std::int32_t> values;
    whole = whole && count <= bytes.size() / sizeof(std::int32_t);
    if (!whole) return values;
    values.resize(count);
    if (count == 0) return values;
    std::memcpy(values.data(), bytes.data(), count * sizeof(std::int32_t));
    bytes.remove_prefix(count * sizeof(std::int32_t));
    return values;
  }
};

std::uint64_t checksum(std::string_view bytes) {
  Fingerprint fingerprint;
  fingerprint.add(bytes);
  return fingerprint.value();
}

/// Returns a fingerprint of a tokenizer. The vocabulary alone does not distinguish two tokenizers that merge or split
/// differently, so a text that tests both is encoded, too.
std::string fingerprint_of(const Tokenizer& tokenizer) {
  Fingerprint fingerprint;
  const std::int64_t vocabulary = tokenizer.vocabulary();
  for (std::int64_t id = 0; id < vocabulary; ++id) {
    const std::string bytes = tokenizer.bytes(static_cast<std::int32_t>(id));
    fingerprint.add(std::to_string(bytes.size()) + ":");
    fingerprint.add(bytes);
  }
  for (const char* probe : {"It was the best of times; it was the worst\n\n\tof 12345 times, wasn't it?  I'LL say.",
                            "naïve façade, 東京, Ωμέγα — “quoted” 😀"}) {
    try {
      for (const std::int32_t id : tokenizer.encode(probe)) fingerprint.add(std::to_string(id) + ",");
    } catch (const EngineError&) {
      fingerprint.add("refused");  // a vocabulary without these characters
    }
  }
  return fingerprint.hex();
}

std::optional<std::vector<TokenCache::Entry>> parse(std::string_view file, const std::string& key,
                                                    std::int64_t vocabulary) {
  const std::string head = std::string(kMagic) + key;
  if (file.size() < head.size() + 2 * sizeof(std::uint64_t) || !file.starts_with(head)) return std::nullopt;
  Reader tail{file.substr(file.size() - sizeof(std::uint64_t))};
  file.remove_suffix(sizeof(std::uint64_t));
  if (tail.number() != checksum(file)) return std::nullopt;
  Reader reader{file.substr(head.size())};
  std::vector<TokenCache::Entry> entries;
  for (std::uint64_t left = reader.number(); left > 0 && reader.whole; --left) {
    const auto line = static_cast<std::int64_t>(reader.number());
    entries.push_back({line, reader.ids(reader.number())});
    for (const std::int32_t id : entries.back().ids)
      if (id < 0 || id >= vocabulary) return std::nullopt;
  }
  if (!reader.whole || !reader.bytes.empty()) return std::nullopt;
  return entries;
}

}  // namespace

TokenCache::TokenCache(std::string directory, const Tokenizer& tokenizer)
    : directory_(std::move(directory)),
      tokenizer_(directory_.empty() ? std::string() : fingerprint_of(tokenizer)),
      vocabulary_(tokenizer.vocabulary()) {}

std::string TokenCache::key(std::string_view contents, std::string_view kind) const {
  if (directory_.empty()) return {};
  Fingerprint fingerprint;
  fingerprint.add(std::string(kind) + "\n" + std::to_string(contents.size()) + "\n");
  fingerprint.add(contents);
  return fingerprint.hex() + "-" + tokenizer_;
}

std::string TokenCache::path(const std::string& key) const {
  return (fs::path(directory_) / (key + ".ids")).string();
}

std::optional<std::vector<TokenCache::Entry>> TokenCache::find(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  try {
    return parse(read_whole_file(path(key)), key, vocabulary_);
  } catch (const EngineError&) {
    return std::nullopt;  // absent or unreadable: the caller makes it again
  }
}

void TokenCache::store(const std::string& key, const std::vector<Entry>& entries) const {
  if (directory_.empty()) return;
  std::error_code failed;
  fs::create_directories(directory_, failed);
  std::string bytes = std::string(kMagic) + key;
  put(bytes, entries.size());
  for (const Entry& entry : entries) {
    put(bytes, static_cast<std::uint64_t>(entry.line));
    put(bytes, entry.ids.size());
    bytes.append(reinterpret_cast<const char*>(entry.ids.data()), entry.ids.size() * sizeof(std::int32_t));
  }
  put(bytes, checksum(bytes));
  write_file_atomically(path(key), bytes);
}

}  // namespace carryover
