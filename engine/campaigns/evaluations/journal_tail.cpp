// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/journal_tail.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr std::int64_t kMostFollowedBytes = std::int64_t{256} << 20;
constexpr std::int64_t kTailBlock = 1 << 20;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

}  // namespace

bool JournalTail::look() {
  const FileStamp now = file_stamp(path_);
  if (now == seen_) return false;
  std::size_t known = entries_.size();
  if (now.inode != seen_.inode || now.size < offset_) {
    if (!entries_.empty()) known = SIZE_MAX;  // others than before, whatever their number
    entries_.clear();
    offset_ = 0;
  }
  seen_ = now;
  const std::string before = std::exchange(problem_, {});
  try {
    if (now.size >= 0) read_on();
  } catch (const EngineError& error) {
    problem_ = error.what();
  }
  return entries_.size() != known || problem_ != before;
}

void JournalTail::read_on() {
  const InputFile file(path_);
  if (file.size() > kMostFollowedBytes)
    throw EngineError(Fault::BadInput, path_, "has more than 256 MiB, which the window does not follow",
                      "Read the evaluation's tables.");
  std::string block = file.read_up_to(offset_, kTailBlock), rest;
  for (std::int64_t at = offset_; !block.empty(); block = file.read_up_to(at, kTailBlock)) {
    at += std::ssize(block);
    rest += block;
    std::size_t begin = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
      take_line(rest.substr(begin, end - begin));
      offset_ += static_cast<std::int64_t>(end - begin) + 1;
      begin = end + 1;
    }
    rest.erase(0, begin);
    if (rest.size() > kLongestLine)
      throw EngineError(Fault::BadInput, path_, "has a line of more than 64 MiB",
                        "Use a folder that `carryover eval` wrote.");
  }
}

void JournalTail::take_line(const std::string& line) {
  const std::string where = path_ + ":" + std::to_string(entries_.size() + 1);
  entries_.push_back(entry_of(parse_json(line, where, JsonKind::Text), where));
}

}  // namespace carryover
