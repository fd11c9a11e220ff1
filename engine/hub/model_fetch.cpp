// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/model_fetch.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/formats/file_stamp.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/input_file.h"
#include "engine/formats/output_file.h"
#include "engine/formats/sha1.h"
#include "engine/formats/sha256.h"
#include "engine/hub/file_choice.h"
#include "engine/hub/hub_cache.h"

namespace carryover {

namespace fs = std::filesystem;

namespace {

/// Returns how much of a file has come in earlier fetches; nothing of one that is longer than the file.
std::int64_t begun_bytes(const HubCache& cache, const HubFile& file) {
  const std::int64_t size = file_stamp(cache.incomplete(file)).size;
  return size > file.bytes ? 0 : std::max<std::int64_t>(0, size);
}

/// BLOB.incomplete, which grows.
class FileBody final : public HubBody {
 public:
  FileBody(const HubCache& cache, const HubFile& file, const std::string& where,
           std::function<void(std::int64_t size)> grown)
      : listed_(file), where_(where), path_(cache.incomplete(file)), grown_(std::move(grown)) {
    file_ = std::make_unique<OutputFile>(path_, OutputFile::Existing::Continue);
    if (file_->size() > file.bytes) FileBody::restart();
  }
  std::int64_t size() const override { return file_->size(); }
  bool is_whole() const override { return size() == listed_.bytes; }
  void restart() override {
    file_.reset();
    file_ = std::make_unique<OutputFile>(path_, OutputFile::Existing::Replace);
  }
  void append(std::string_view bytes) override {
    if (size() + std::ssize(bytes) > listed_.bytes)
      throw EngineError(Fault::BadInput, where_, "is longer than the hub lists it", "Fetch it again.");
    file_->append(bytes);
    grown_(size());
  }
  void finish() { file_->finish(); }

 private:
  const HubFile& listed_;
  const std::string& where_;
  std::string path_;
  std::function<void(std::int64_t size)> grown_;
  std::unique_ptr<OutputFile> file_;
};

template <typename Hash>
std::string hash_of(const InputFile& file, Hash hash, RunControl& control) {
  constexpr std::int64_t kAtOnce = std::int64_t{1} << 22;
  const std::int64_t size = file.size();
  for (std::int64_t at = 0; at < size; at += kAtOnce) {
    control.checkpoint();
    hash.add(file.read(at, std::min(kAtOnce, size - at)));
  }
  return hash.hex();
}

/// Returns the hash by which a hub names a file: of a large one its SHA-256, of others git's.
std::string blob_name(const std::string& path, bool is_large, RunControl& control) {
  const InputFile file(path);
  if (is_large) return hash_of(file, sha256_hash(), control);
  BlockHash<5> hash = sha1_hash();
  hash.add("blob " + std::to_string(file.size()) + std::string(1, '\0'));
  return hash_of(file, hash, control);
}

/// One fetch, file by file.
class ModelFetch {
 public:
  ModelFetch(const FetchPlan& plan, const HubSettings& settings, const FetchEvents& events, RunControl& control)
      : plan_(plan),
        events_(events),
        control_(control),
        cache_(settings.cache, plan.model.name),
        client_(settings, events.note, control) {}

  std::string run() {
    require_room();
    cache_.make_folders();
    for (const HubFile& file : plan_.files) {
      fetch(file);
      before_ += file.bytes;
    }
    for (const HubFile& file : plan_.files) cache_.link(file, plan_.model.commit);
    cache_.write_ref(plan_.model.commit);
    return path_to_open();
  }

 private:
  void require_room() const {
    fs::path folder = cache_.folder();
    std::error_code code;
    while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
    const fs::space_info disk = fs::space(folder, code);
    if (code || plan_.to_come <= static_cast<std::int64_t>(disk.available)) return;
    throw EngineError(Fault::Io, cache_.folder(),
                      plan_.model.name.text() + " needs " + size_text(static_cast<double>(plan_.to_come)) +
                          ", and the disk has " + size_text(static_cast<double>(disk.available)) + " left",
                      "Free some space, or set HF_HOME to a folder on another disk.");
  }

  void fetch(const HubFile& file) {
    if (cache_.has(file)) return;
    const FolderLock lock(cache_.lock_of(file), FolderLock::Of::File);
    if (cache_.has(file)) return;
    const std::string where = plan_.model.name.text() + "/" + file.path;
    const auto report = [&](std::int64_t size) { events_.progress({file.path, before_ + size, plan_.bytes}); };
    FileBody body(cache_, file, where, report);
    report(body.size());
    if (!body.is_whole()) client_.get(plan_.model, file, body);
    body.finish();
    keep(file, where);
  }

  /// Gives a file that is whole its name in the cache, if it is the listed one.
  void keep(const HubFile& file, const std::string& where) {
    constexpr std::size_t kSha256Digits = 64;
    const std::string path = cache_.incomplete(file);
    const std::string found = blob_name(path, file.blob.size() == kSha256Digits, control_);
    if (found != file.blob) {
      std::error_code ignored;
      fs::remove(path, ignored);
      throw EngineError(Fault::BadInput, where,
                        "came with the hash " + found + ", and the hub lists " + file.blob + ": it was removed",
                        "Fetch it again. If that does not help, something between you and the hub changes it.");
    }
    const std::string blob = cache_.blob(file);
    if (std::rename(path.c_str(), blob.c_str()) != 0) throw write_error(blob, errno);
  }

  std::string path_to_open() const {
    const fs::path snapshot = cache_.snapshot(plan_.model.commit);
    std::string first;
    for (const HubFile& file : plan_.files)
      if (file.path.ends_with(".gguf") && (first.empty() || file.path < first)) first = file.path;
    return first.empty() ? snapshot.string() : (snapshot / first).string();
  }

  const FetchPlan& plan_;
  const FetchEvents& events_;
  RunControl& control_;
  HubCache cache_;
  HubClient client_;
  std::int64_t before_ = 0;  ///< bytes of the files before the present one
};

}  // namespace

FetchPlan plan_fetch(const HubName& name, const std::vector<std::string>& patterns, const HubSettings& settings,
                     const FetchEvents& events, RunControl& control) {
  if (settings.offline)
    throw EngineError(
        Fault::Usage, name.text(),
        "is not in " + settings.cache + ", and HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to fetch it",
        "Unset them, or give a model that is here: `carryover models` lists them.");
  const HubCache cache(settings.cache, name);
  FetchPlan plan;
  plan.model = HubClient(settings, events.note, control).list(name);
  plan.files = choose_files(plan.model, patterns);
  for (const HubFile& file : plan.files) {
    plan.bytes += file.bytes;
    if (!cache.has(file)) plan.to_come += file.bytes - begun_bytes(cache, file);
  }
  return plan;
}

std::string run_fetch(const FetchPlan& plan, const HubSettings& settings, const FetchEvents& events,
                      RunControl& control) {
  return ModelFetch(plan, settings, events, control).run();
}

}  // namespace carryover
