// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>

#include "app/serve/answer.h"
#include "app/serve/reply_writer.h"

namespace carryover {

/// An answer as events, each the same object with other choices. It begins with the first one, so that a request which
/// fails before it is answered by a status. One thread.
class EventStream {
 public:
  /// `envelope`: id, object, created and model.
  EventStream(ReplyWriter& writer, nlohmann::json envelope) : writer_(writer), envelope_(std::move(envelope)) {}

  void send(nlohmann::json choice);
  void end(const AnswerSettings& settings, const Usage& usage);

 private:
  void write(nlohmann::json choices, const nlohmann::json* usage);

  ReplyWriter& writer_;
  nlohmann::json envelope_;
  bool begun_ = false;
};

}  // namespace carryover
