// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/hub/hub_client.h"

namespace carryover {

class RunControl;

/// A repository's folder in a cache of huggingface_hub's layout, in which transformers finds what is here:
///   models--ORG--NAME/blobs/BLOB                       contents, and BLOB.incomplete while they come
///   models--ORG--NAME/snapshots/COMMIT/FILE            links to them
///   models--ORG--NAME/refs/REVISION                    the commit that a branch or tag was at
/// Any thread; a process that fetches a blob locks it, as huggingface_hub does.
class HubCache {
 public:
  /// `cache`: HubSettings::cache. Throws EngineError{Usage} if it is empty.
  HubCache(const std::string& cache, const HubName& name);

  const std::string& folder() const { return cache_; }
  std::string blob(const HubFile& file) const;
  std::string incomplete(const HubFile& file) const { return blob(file) + ".incomplete"; }
  std::string lock_of(const HubFile& file) const;  ///< for FolderLock, which adds .lock
  std::string snapshot(const std::string& commit) const;
  /// Returns the snapshot of the name's revision; empty if it is not here.
  std::string find_snapshot() const;

  /// Returns true if the blob is here with the size that is listed.
  bool has(const HubFile& file) const;
  /// Makes the folders that blobs and locks are written into. Throws EngineError{Io}, as all that follow.
  void make_folders() const;
  /// Makes FILE of the commit's snapshot a link to its blob.
  void link(const HubFile& file, const std::string& commit) const;
  void write_ref(const std::string& commit) const;

 private:
  std::string cache_, folder_name_, repository_;
  HubName name_;
};

/// Returns the path to open of a model whose snapshot is in the cache; empty if none is, or it has no model in it.
/// Throws EngineError{Usage} if it holds several, {Cancelled} once `control` was asked to stop. Any thread.
std::string cached_model(const std::string& cache, const HubName& name, RunControl& control);

}  // namespace carryover
