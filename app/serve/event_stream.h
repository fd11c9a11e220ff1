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
  /// `envelope`: id, object, created and model. `with_usage`: events have a field for it, which is null but in the
  /// last.
  EventStream(ReplyWriter& writer, nlohmann::json envelope, bool with_usage);

  void send(nlohmann::json choice);
  void end(const Usage& usage);

 private:
  void write(nlohmann::json choices);

  ReplyWriter& writer_;
  nlohmann::json envelope_;
  const bool with_usage_;
  bool begun_ = false;
};

}  // namespace carryover
