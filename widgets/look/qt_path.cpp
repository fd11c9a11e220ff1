// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/qt_path.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace carryover {
namespace {

/// Returns the path with its bytes that are no characters written as a shell's $'…' does.
std::string shown_path(std::string_view path) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  while (!path.empty()) {
    const std::size_t good = first_invalid_utf8(path);
    shown += path.substr(0, good);
    path.remove_prefix(good);
    if (path.empty()) break;
    const auto byte = static_cast<unsigned char>(path.front());
    shown += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    path.remove_prefix(1);
  }
  return shown;
}

}  // namespace

void require_qt_path(const std::string& path) {
  if (first_invalid_utf8(path) == path.size()) return;
  throw EngineError(Fault::BadInput, shown_path(path),
                    "is a path whose bytes are not UTF-8, which the window can't open",
                    "Rename it, or use carryover-cli, which takes any path.");
}

void require_qt_paths(const std::vector<std::string>& words) {
  for (const std::string& word : words) require_qt_path(word);
  std::error_code none;
  require_qt_path(std::filesystem::current_path(none).native());
  for (const char* name : {"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"})
    if (const char* value = std::getenv(name)) require_qt_path(value);
}

}  // namespace carryover
