// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/hub_settings.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/formats/input_file.h"
#include "engine/installed/place_rule.h"

namespace carryover {

namespace {

std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string() : std::string(trimmed(value, " \t\r\n"));
}

bool is_set(const char* variable) {
  std::string value = environment(variable);
  for (char& c : value)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

std::string endpoint() {
  std::string address = environment("HF_ENDPOINT");
  while (address.ends_with('/')) address.pop_back();
  if (address.empty()) return "https://huggingface.co";
  if (!address.starts_with("https://") && !address.starts_with("http://"))
    throw EngineError(Fault::Usage, "HF_ENDPOINT", "'" + address + "' is no address of a hub",
                      "Write it as https://HOST.");
  return address;
}

/// Returns what the file holds that `hf auth login` writes; empty if there is none.
std::string stored_token() {
  constexpr std::int64_t kMostBytes = 4096;
  const std::string file = place_path({{"HF_TOKEN_PATH", ""},
                                       {"HF_HOME", "token"},
                                       {"XDG_CACHE_HOME", "huggingface/token"},
                                       {"HOME", ".cache/huggingface/token"}});
  try {
    return file.empty() ? file : std::string(trimmed(InputFile(file).read_up_to(0, kMostBytes), " \t\r\n"));
  } catch (const EngineError&) {
    return {};
  }
}

/// A token becomes a line of a request's head, in which a line end would begin another.
std::string checked_token(std::string token) {
  if (std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; })) return token;
  throw EngineError(Fault::Usage, "HF_TOKEN", "has characters that no token has", "Copy the token again.");
}

}  // namespace

HubSettings hub_settings() {
  HubSettings settings;
  settings.endpoint = endpoint();
  settings.token = environment("HF_TOKEN");
  if (settings.token.empty()) settings.token = stored_token();
  settings.token = checked_token(settings.token);
  settings.cache = place_path(hub_cache_rules());
  settings.offline = is_set(environment("HF_HUB_OFFLINE").empty() ? "TRANSFORMERS_OFFLINE" : "HF_HUB_OFFLINE");
  return settings;
}

}  // namespace carryover
