// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/models/model_source.h"

namespace carryover {

/// ModelSource::hash() of one model, remembered by the path, size, time and inode of each of its files, so that what
/// only describes a model reads 16 GB once and not each time. Nothing is computed under a remembered hash: a session
/// hashes what it loads. An entry of another version, or damaged, counts as absent. One thread; several processes may
/// use one folder.
class HashCache {
 public:
  /// Looks at the source's files, which are to be read after this. `directory` is made when something is stored; empty:
  /// nothing is found or stored, nor of a model of fewer bytes than `least`, which is read as fast.
  HashCache(std::string directory, const ModelSource& source, std::int64_t least = std::int64_t{64} << 20);

  std::optional<std::string> find() const;
  /// Nothing is stored where the files have changed since they were looked at. A failure is passed over.
  void store(const std::string& hash) const;

 private:
  std::vector<std::string> files_;
  std::string directory_, key_;  ///< empty key: not kept
  std::int64_t least_;
};

/// source.hash(), from the user's cache where it is there.
std::string cached_hash(const ModelSource& source);

}  // namespace carryover
