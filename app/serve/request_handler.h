// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "app/serve/http_message.h"
#include "app/serve/reply_writer.h"

namespace carryover {

/// What a server asks for each request. On the thread that serves HTTP.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// Of the head alone, before any of the body is read: why it is refused, or nothing.
  virtual std::optional<HttpReply> refuse(const HttpRequest& head) = 0;
  /// Returns soon; the writer is answered now or later, and kept until then. `connections`: open ones, this included.
  virtual void handle(HttpRequest request, std::shared_ptr<ReplyWriter> writer, std::size_t connections) = 0;
};

}  // namespace carryover
