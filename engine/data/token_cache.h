// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Tokenised files on disk, one entry per file, by content and tokenizer: header, ids as int32, checksum. An entry that
/// is damaged, cut short or of another version counts as absent. Any thread, also several processes on one folder.
class TokenCache {
 public:
  /// One document of a file.
  struct Entry {
    std::int64_t line = 0;  ///< line of a JSONL file, from 1; 0: the whole file
    std::vector<std::int32_t> ids;
    bool operator==(const Entry&) const = default;
  };

  /// `directory` is created when something is stored; empty: nothing is ever found or stored.
  TokenCache(std::string directory, const Tokenizer& tokenizer);

  /// Returns the key of a file's contents. `kind`: how the contents are read ("text", or "jsonl" and its field).
  std::string key(std::string_view contents, std::string_view kind) const;
  std::optional<std::vector<Entry>> find(const std::string& key) const;
  /// Stores an entry. Throws EngineError{Io}; a previous entry then stays whole.
  void store(const std::string& key, const std::vector<Entry>& entries) const;
  std::string path(const std::string& key) const;

 private:
  std::string directory_;
  std::string tokenizer_;  ///< the tokenizer's fingerprint
  std::int64_t vocabulary_;
};

}  // namespace carryover
