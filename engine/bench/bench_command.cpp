// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/bench_command.h"

#include <nlohmann/json.hpp>

namespace carryover {

namespace {

using nlohmann::json;

std::string text_of(const std::string& item) {
  return item;
}
std::string text_of(std::int64_t item) {
  return std::to_string(item);
}

template <typename Item>
std::string joined(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ",") + text_of(item);
  return text;
}

}  // namespace

std::vector<std::string> bench_command(const BenchRequest& request) {
  const BenchSettings& settings = request.settings;
  const BenchSettings usual;
  std::vector<std::string> words{"carryover", "bench"};
  const auto add = [&](const std::string& flag, const std::string& value, bool differs) {
    if (!differs) return;
    if (value.starts_with('-'))
      words.push_back(flag + "=" + value);
    else
      words.insert(words.end(), {flag, value});
  };
  if (!settings.model.empty()) words.push_back((settings.model.starts_with('-') ? "./" : "") + settings.model);
  add("--shape", settings.shape, !settings.shape.empty());
  add("--config", request.config, !request.config.empty());
  add("--dtype", std::string(dtype_name(request.dtype)), request.dtype != DType::Auto);
  add("--device", std::string(device_name(request.device)), request.device != Device::Auto);
  add("--threads", std::to_string(request.threads), request.threads != 0);
  add("--contexts", joined(settings.contexts), settings.contexts != usual.contexts);
  add("--policies", joined(settings.policies), settings.policies != usual.policies);
  add("--what", joined(settings.kinds), settings.kinds != usual.kinds);
  add("--repeats", std::to_string(settings.repeats), settings.repeats != usual.repeats);
  add("--new-tokens", std::to_string(settings.new_tokens), settings.new_tokens != usual.new_tokens);
  add("--peer", settings.peer, !settings.peer.empty());
  add("--output", settings.output, !settings.output.empty());
  return words;
}

std::string config_difference(const SegmentConfig& config, const SegmentConfig& usual) {
  const json wanted = config, base = usual;
  json different = json::object();
  for (const auto& [key, value] : wanted.items())
    if (value != base.at(key)) different[key] = value;
  return different.empty() ? "" : different.dump();
}

}  // namespace carryover
