// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/file_stamp.h"
#include "engine/installed/installed_model.h"

namespace carryover {

/// Remembers the facts of models in one JSON file, by path and by the stamp of each file that they were read from, so
/// that a list of hundreds of models opens none of them. A file that is damaged, or of another build of this program,
/// which may open other models, counts as absent. Owner: one thread; of several processes, the last one's file stays.
class HeaderCache {
 public:
  using Stamps = std::vector<FileStamp>;

  /// Reads `file`; remembers nothing beyond this object if it is empty.
  explicit HeaderCache(std::string file);

  /// Returns null if nothing is known of these files.
  const ModelFacts* find(const std::string& path, const Stamps& stamps) const;
  /// A path that is not UTF-8, which JSON can't hold, is not remembered.
  void store(const std::string& path, const Stamps& stamps, const ModelFacts& facts);
  /// Writes the file if something was stored, without the models that are gone. Failures are ignored.
  void save();

 private:
  struct Entry {
    Stamps stamps;
    ModelFacts facts;
  };
  void read();

  std::string file_;
  std::map<std::string, Entry> entries_;
  bool changed_ = false;
};

}  // namespace carryover
