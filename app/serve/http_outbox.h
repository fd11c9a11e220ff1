// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "app/serve/http_message.h"

namespace carryover {

/// A part of an answer on its way to its connection.
struct OutgoingPart {
  enum class Kind { Reply, Begin, Data, End };
  std::uint64_t connection = 0, exchange = 0;
  Kind kind = Kind::Reply;
  HttpReply reply = {};   ///< for Reply
  std::string data = {};  ///< for Data; for Begin, the content type
};

/// Passes parts of answers from other threads to the one that serves HTTP. Any thread, but for take() and descriptor().
class HttpOutbox {
 public:
  HttpOutbox();  ///< throws EngineError{Io}
  ~HttpOutbox();
  HttpOutbox(const HttpOutbox&) = delete;
  HttpOutbox& operator=(const HttpOutbox&) = delete;

  void post(OutgoingPart part);
  std::vector<OutgoingPart> take();
  int descriptor() const { return wake_; }  ///< readable while something is there

 private:
  std::mutex mutex_;
  std::vector<OutgoingPart> parts_;
  int wake_ = -1;
};

}  // namespace carryover
