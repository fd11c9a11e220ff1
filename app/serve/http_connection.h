// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "app/serve/http_outbox.h"
#include "app/serve/http_parser.h"
#include "app/serve/request_handler.h"

struct bufferevent;
struct event;
struct event_base;

namespace carryover {

/// Limits on the time that a client may take, in seconds. Complete parts count, not single bytes: a slow client can't
/// win time by sending a byte now and then.
struct HttpTimes {
  double head = 10;   ///< for a request's head, from its first byte; of a new connection, from the beginning
  double body = 30;   ///< for a body, plus its length (for chunks, the longest) at `rate`
  double rate = 1e5;  ///< bytes a second
  double idle = 60;   ///< between two requests
  double write = 30;  ///< without taking a byte of an answer
  double linger = 2;  ///< for what is still sent to a connection that is closing
};

/// The state that all connections of a server share. The thread that serves HTTP.
struct HttpShared {
  HttpLimits limits;
  HttpTimes times;
  std::uint64_t most_body_bytes = std::uint64_t{64} << 20;  ///< arrived bytes of all requests at a time
  RequestHandler* handler = nullptr;
  std::shared_ptr<HttpOutbox> outbox;
  event_base* base = nullptr;
  std::uint64_t body_bytes = 0;
  std::size_t connections = 0;
  bool stopping = false;                                       ///< true if no connection is kept for another request
  std::function<void(std::uint64_t connection)> release = {};  ///< called when a connection is closed; it must be
                                                               ///< destroyed later
};

/// The connection of one client. Requests are answered one after another; more of them may have been sent (pipelining).
/// On the thread that serves HTTP.
class HttpConnection {
 public:
  HttpConnection(HttpShared& shared, int descriptor, std::uint64_t number);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void take(OutgoingPart part);  ///< a part of an answer
  /// Returns true between two requests, once the last answer is sent: closing the connection then loses no answer.
  bool idle() const;
  void leave();  ///< between two requests, stops reading
  void close();  ///< at once
  void when_gone(std::function<void()> action) { gone_ = std::move(action); }

 private:
  enum class Phase { Idle, Head, Body, Busy, Flushing, Lingering, Closed };
  friend struct HttpCallbacks;

  void on_read();
  void on_written();
  void on_event(short what);
  void on_deadline();
  void read_requests();
  bool head_is_fine();
  bool body_fits();
  void follow_parser();
  void dispatch();
  void finish_exchange();
  void fail(int status, const std::string& problem);
  void reply_and_close(const HttpReply& reply);
  void flush_and_close();
  void linger();
  void send(std::string_view text);
  std::size_t unsent() const;
  void set_deadline(double seconds);
  void stop_deadline();
  void release_body();

  HttpShared& shared_;
  const std::uint64_t number_;
  HttpParser parser_;
  Phase phase_ = Phase::Idle;
  bufferevent* buffer_ = nullptr;
  event* deadline_ = nullptr;
  std::uint64_t exchange_ = 0, reserved_ = 0;
  std::size_t longest_part_ = 0;  ///< bytes, of the stream
  bool keep_alive_ = true, head_only_ = false, http10_ = false, at_end_ = false;
  std::function<void()> gone_;
};

}  // namespace carryover
