// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/server_metrics.h"

#include "engine/base/text_parts.h"

namespace carryover {

namespace {

void begin(std::string& text, const std::string& name, const char* type, const char* help) {
  text += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void add_value(std::string& text, const std::string& name, std::int64_t value) {
  text += name + " " + std::to_string(value) + "\n";
}

}  // namespace

void ServerMetrics::add(const std::string& endpoint, int status, const Usage& usage, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{endpoint, status}];
  Times& times = times_[endpoint];
  ++times.count;
  times.seconds += seconds;
  usage_.add(usage);
}

std::string ServerMetrics::text(std::size_t waiting, std::size_t connections) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  begin(text, "carryover_requests_total", "counter", "Requests that were answered.");
  for (const auto& [of, count] : requests_)
    add_value(text,
              "carryover_requests_total{endpoint=\"" + of.first + "\",status=\"" + std::to_string(of.second) + "\"}",
              count);
  begin(text, "carryover_request_seconds", "summary", "From a request's arrival to the end of its answer.");
  for (const auto& [endpoint, times] : times_) {
    const std::string label = "{endpoint=\"" + endpoint + "\"}";
    text += "carryover_request_seconds_sum" + label + " ";
    append_digits(text, times.seconds);
    text += "\n";
    add_value(text, "carryover_request_seconds_count" + label, times.count);
  }
  begin(text, "carryover_prompt_tokens_total", "counter", "Tokens of prompts that were read.");
  add_value(text, "carryover_prompt_tokens_total", usage_.prompt_tokens);
  begin(text, "carryover_generated_tokens_total", "counter", "Tokens that were decoded.");
  add_value(text, "carryover_generated_tokens_total", usage_.generated_tokens);
  begin(text, "carryover_waiting_requests", "gauge", "Requests that wait for the engine.");
  add_value(text, "carryover_waiting_requests", static_cast<std::int64_t>(waiting));
  begin(text, "carryover_connections", "gauge", "Connections that are open.");
  add_value(text, "carryover_connections", static_cast<std::int64_t>(connections));
  return text;
}

}  // namespace carryover
