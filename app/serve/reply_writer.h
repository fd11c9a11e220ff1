// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "app/serve/http_message.h"

namespace carryover {

/// Where the answer to one request goes: reply() once, or begin_stream(), any number of write(), end(). One thread at a
/// time, not the one that serves HTTP alone; what comes after the client has gone is dropped.
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;
  virtual void reply(HttpReply reply) = 0;
  virtual void begin_stream(std::string type) = 0;
  virtual void write(std::string data) = 0;
  virtual void end() = 0;
  /// Called on the thread that serves HTTP, at most once, where the client goes before the answer is complete. Only
  /// within RequestHandler::handle().
  virtual void when_gone(std::function<void()> action) = 0;
};

}  // namespace carryover
