// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/temporary_name.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace carryover {

std::string temporary_name(const std::string& start) {
  static std::atomic<std::uint32_t> count = 0;
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = static_cast<std::uint32_t>(::getpid());  // the name is used only if nothing has it
  number += ++count;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = start;
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[number >> shift & 15];
  return name;
}

bool is_temporary_name(std::string_view name, std::string_view start) {
  if (!name.starts_with(start)) return false;
  const std::string_view digits = name.substr(start.size());
  return digits.size() <= 10 && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace carryover
