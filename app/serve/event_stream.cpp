// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/event_stream.h"

namespace carryover {

void EventStream::send(nlohmann::json choice) {
  write(nlohmann::json::array({std::move(choice)}), nullptr);
}

void EventStream::end(const AnswerSettings& settings, const Usage& usage) {
  if (settings.stream_usage) {
    const nlohmann::json counts = usage_json(usage);
    write(nlohmann::json::array(), &counts);
  }
  writer_.write(kSseEnd);
  writer_.end();
}

void EventStream::write(nlohmann::json choices, const nlohmann::json* usage) {
  if (!begun_) writer_.begin_stream(kSseType);
  begun_ = true;
  nlohmann::json event = envelope_;
  event["choices"] = std::move(choices);
  if (usage != nullptr) event["usage"] = *usage;
  writer_.write(sse_text(event));
}

}  // namespace carryover
