// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoints/model_source.h"

namespace carryover {

/// Remembers ModelSource::hash() of one model by the path, size, time and inode of each of its files, so that a command
/// that only describes a model reads its 16 GB once and not each time. Nothing is computed under a remembered hash: a
/// session hashes what it loads. A damaged entry, or one of another version, counts as absent. Used by one thread;
/// several processes may use one folder.
class HashCache {
 public:
  /// Looks at the source's files, which have to be read after this. `directory` is created when something is stored.
  /// Nothing is found or stored if `directory` is empty or if the model has fewer bytes than `least`, because such a
  /// model is read as fast.
  HashCache(std::string directory, const ModelSource& source, std::int64_t least = std::int64_t{64} << 20);

  std::optional<std::string> find() const;
  /// Stores the hash, unless the files have changed since the constructor looked at them. Failures are ignored.
  void store(const std::string& hash) const;

 private:
  std::vector<std::string> files_;
  std::string directory_, key_;  ///< empty key: nothing is found or stored
  std::int64_t least_;
};

/// Returns source.hash(), from the user's cache if it is there.
std::string cached_hash(const ModelSource& source);

}  // namespace carryover
