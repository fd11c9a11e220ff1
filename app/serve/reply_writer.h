// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "app/serve/http_message.h"

namespace carryover {

/// Takes the answer to one request: reply() once, or begin_stream(), any number of write(), and end(). Any one thread
/// at a time, not only the one that serves HTTP; parts that come after the client has gone are dropped.
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;
  virtual void reply(HttpReply reply) = 0;
  virtual void begin_stream(std::string type) = 0;
  virtual void write(std::string data) = 0;
  virtual void end() = 0;
  /// Sets an action that is called on the thread that serves HTTP, at most once, if the client goes before the answer
  /// is complete. Call it only within RequestHandler::handle().
  virtual void when_gone(std::function<void()> action) = 0;
};

}  // namespace carryover
