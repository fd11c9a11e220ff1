// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "engine/campaigns/kernel/text_tables.h"
#include "engine/formats/folder_lock.h"

namespace carryover {

/// The folder of a campaign, which this process alone writes while the object lives. Owner: one thread.
class CampaignFolder {
 public:
  /// Makes the folder. Unless it is one of a campaign (`ours`), none of the files `names` may be there: they would be
  /// replaced. Throws EngineError{Usage} if one is, or another process holds the lock, and {Io}.
  CampaignFolder(const std::string& path, bool ours, std::initializer_list<const char*> names);

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const;
  void write(std::string_view name, std::string_view contents) const;
  /// Writes table.md, table.csv and table.tex.
  void write_tables(const std::function<std::string(TableFormat format)>& table) const;

 private:
  std::string path_;
  FolderLock lock_;
};

/// Throws EngineError{BadInput} if a file that a watch reads as a whole has more than 64 MB. `what`: "experiment".
void require_watched_size(const std::string& path, std::int64_t size, const char* what);

}  // namespace carryover
