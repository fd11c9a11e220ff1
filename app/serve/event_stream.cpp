// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/event_stream.h"

#include <utility>

namespace carryover {

EventStream::EventStream(ReplyWriter& writer, nlohmann::json envelope, bool with_usage)
    : writer_(writer), envelope_(std::move(envelope)), with_usage_(with_usage) {
  if (with_usage) envelope_["usage"] = nullptr;
}

void EventStream::send(nlohmann::json choice) {
  write(nlohmann::json::array({std::move(choice)}));
}

void EventStream::end(const Usage& usage) {
  if (with_usage_) {
    envelope_["usage"] = usage_json(usage);
    write(nlohmann::json::array());
  }
  writer_.write(kSseEnd);
  writer_.end();
}

void EventStream::write(nlohmann::json choices) {
  if (!std::exchange(begun_, true)) writer_.begin_stream(kSseType);
  nlohmann::json event = envelope_;
  event["choices"] = std::move(choices);
  writer_.write(sse_text(event));
}

}  // namespace carryover
