// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "app/serve/http_message.h"
#include "app/serve/reply_writer.h"

namespace carryover {

/// Answers each request that a server receives. On the thread that serves HTTP.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// Returns a refusal of a request by its head alone, before any of the body is read, or nothing.
  virtual std::optional<HttpReply> refuse(const HttpRequest& head) = 0;
  /// Handles a request and returns soon. The writer gets the answer now or later, and is kept until then.
  /// `connections`: number of open ones, with this one.
  virtual void handle(HttpRequest request, std::shared_ptr<ReplyWriter> writer, std::size_t connections) = 0;
};

}  // namespace carryover
