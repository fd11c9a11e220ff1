// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/input_lines.h"

#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr std::int64_t kBlock = 1 << 16;

/// Returns true if a file's first bytes are UTF-16 or UTF-32: a byte-order mark, or two ASCII characters, or one.
bool is_wide(std::string_view start) {
  using namespace std::string_view_literals;
  for (const std::string_view mark : {"\xFF\xFE"sv, "\xFE\xFF"sv, "\0\0\xFE\xFF"sv})
    if (start.starts_with(mark)) return true;
  if (start.size() < 4) return false;
  std::string zeros;
  for (const char byte : start.substr(0, 4)) zeros += byte == '\0' ? '0' : 'x';
  return zeros == "x0x0" || zeros == "0x0x" || zeros == "x000" || zeros == "000x";
}

}  // namespace

bool InputLines::next(std::string& line) {
  line.clear();
  while (true) {
    const std::size_t end = block_.find('\n', at_);
    line.append(block_, at_, end == std::string::npos ? std::string::npos : end - at_);
    if (end != std::string::npos) {
      at_ = end + 1;
      ended_ = true;
      break;
    }
    block_ = file_.read_up_to(read_, kBlock);
    if (read_ == 0 && is_wide(block_)) {
      throw EngineError(Fault::BadInput, path(), "is in UTF-16 or UTF-32, and its lines are read as UTF-8",
                        "Convert it (iconv -f UTF-16 -t UTF-8).");
    }
    at_ = 0;
    read_ += std::ssize(block_);
    if (!block_.empty()) continue;
    if (line.empty()) return false;
    ended_ = false;
    break;
  }
  offset_ += std::ssize(line) + (ended_ ? 1 : 0);
  ++number_;
  return true;
}

}  // namespace carryover
