// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/input_lines.h"

namespace carryover {

namespace {
constexpr std::int64_t kBlock = 1 << 16;
}

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
