// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/metrics_follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/regular_file.h"

namespace carryover {

namespace {
constexpr std::size_t kBlockBytes = 1 << 20;

/// Anybody may have written the file: each segment and each age is a column of all steps where it is shown.
void check_columns(const StepRecord& record, const std::string& where) {
  const auto is_age = [](const GradientReach& reach) { return reach.age >= 1 && reach.age <= kMostSampleSegments; };
  if (std::ssize(record.segment_loss) <= kMostSampleSegments && std::ranges::all_of(record.reach, is_age)) return;
  throw EngineError(Fault::BadInput, where, "tells of segments that no sample has",
                    "Use a folder that `carryover train` wrote.");
}

}  // namespace

class MetricsFollower::File {
 public:
  explicit File(const std::string& path) : path_(path), descriptor_(open_regular_file(path)) {
    if (descriptor_ < 0) refuse();
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::int64_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) refuse();
    return status.st_size;
  }
  /// Reads `bytes` bytes from `offset` on; fewer only at the file's end.
  std::string read(std::int64_t offset, std::size_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t got = ::pread(descriptor_, text.data() + done, bytes - done, offset + static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
  }

 private:
  [[noreturn]] void refuse() const {
    throw EngineError(Fault::Io, path_, std::string("can't be read: ") + std::strerror(errno),
                      "Name the folder of a training run that has begun.");
  }
  const std::string& path_;
  int descriptor_;
};

MetricsFollower::MetricsFollower(const std::string& directory)
    : path_((std::filesystem::path(directory) / "metrics.jsonl").string()) {}

bool MetricsFollower::still_the_same(const File& file) const {
  const std::int64_t begin = offset_ - std::ssize(last_line_);
  return file.size() >= offset_ && file.read(begin, last_line_.size()) == last_line_;
}

MetricsFollower::News MetricsFollower::poll() {
  const File file(path_);
  News news;
  if (file.size() == offset_) return news;
  if (!still_the_same(file)) {
    news.restarted = true;
    offset_ = lines_ = 0;
    last_line_.clear();
  }
  std::string rest;  // begins at offset_
  for (bool more = true; more;) {
    const std::string block = file.read(offset_ + std::ssize(rest), kBlockBytes);
    more = block.size() == kBlockBytes;
    rest += block;
    std::size_t begin = 0;
    for (std::size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take_line(std::string_view(rest).substr(begin, end + 1 - begin), news);
    }
    rest.erase(0, begin);
  }
  return news;
}

/// `line` with its end.
void MetricsFollower::take_line(std::string_view line, News& news) {
  offset_ += std::ssize(line);
  ++lines_;
  last_line_ = line;
  const std::string where = path_ + ":" + std::to_string(lines_);
  const nlohmann::json object = parse_json(line, where);
  try {
    if (object.contains("validation")) {
      news.validations.push_back(object.get<ValidationRecord>());
    } else {
      news.steps.push_back(object.get<StepRecord>());
      check_columns(news.steps.back(), where);
    }
  } catch (const nlohmann::json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("is not a record of a step: ") + error.what(),
                      "Use a folder that `carryover train` wrote.");
  }
}

}  // namespace carryover
