// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/http_connection.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "app/serve/api_error.h"

namespace carryover {

namespace {

constexpr std::size_t kReadAhead = 65536;  // bytes of further requests that are taken
// Bytes of answers that a client has not taken: no further request of it is answered, or its stream is dropped where
// there are so many beside the longest of its parts.
constexpr std::size_t kMostUnsentAnswers = 65536, kMostUnsentStream = std::size_t{8} << 20;

timeval time_of(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<suseconds_t>((seconds - whole) * 1e6)};
}

/// Any thread's end of one answer.
class OutboxWriter final : public ReplyWriter {
 public:
  OutboxWriter(std::shared_ptr<HttpOutbox> outbox, HttpConnection* connection, std::uint64_t number,
               std::uint64_t exchange)
      : outbox_(std::move(outbox)), connection_(connection), number_(number), exchange_(exchange) {}
  /// No code of this program ends without an answer; if some did, its client would wait for ever.
  ~OutboxWriter() override {
    if (!complete_) post(OutgoingPart::Kind::Reply, error_reply(ApiError(500, "The request was dropped.")), {});
  }
  void reply(HttpReply reply) override {
    complete_ = true;
    post(OutgoingPart::Kind::Reply, std::move(reply), {});
  }
  void begin_stream(std::string type) override { post(OutgoingPart::Kind::Begin, {}, std::move(type)); }
  void write(std::string data) override { post(OutgoingPart::Kind::Data, {}, std::move(data)); }
  void end() override {
    complete_ = true;
    post(OutgoingPart::Kind::End, {}, {});
  }
  void when_gone(std::function<void()> action) override {
    if (connection_ != nullptr) connection_->when_gone(std::move(action));
  }
  void leave() { connection_ = nullptr; }  ///< handle() is done

 private:
  void post(OutgoingPart::Kind kind, HttpReply reply, std::string data) {
    outbox_->post({number_, exchange_, kind, std::move(reply), std::move(data)});
  }
  std::shared_ptr<HttpOutbox> outbox_;
  HttpConnection* connection_;
  const std::uint64_t number_, exchange_;
  bool complete_ = false;
};

}  // namespace

struct HttpCallbacks {
  static HttpConnection& of(void* connection) { return *static_cast<HttpConnection*>(connection); }
  static void read(bufferevent*, void* connection) { of(connection).on_read(); }
  static void written(bufferevent*, void* connection) { of(connection).on_written(); }
  static void event(bufferevent*, short what, void* connection) { of(connection).on_event(what); }
  static void deadline(evutil_socket_t, short, void* connection) { of(connection).on_deadline(); }
};

HttpConnection::HttpConnection(HttpShared& shared, int descriptor, std::uint64_t number)
    : shared_(shared), number_(number), parser_(shared.limits) {
  buffer_ = bufferevent_socket_new(shared.base, descriptor, BEV_OPT_CLOSE_ON_FREE);
  deadline_ = evtimer_new(shared.base, HttpCallbacks::deadline, this);
  if (buffer_ == nullptr || deadline_ == nullptr) throw std::bad_alloc();
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);  // a peer that is there no more is noticed
  bufferevent_setcb(buffer_, HttpCallbacks::read, HttpCallbacks::written, HttpCallbacks::event, this);
  bufferevent_setwatermark(buffer_, EV_READ, 0, kReadAhead);
  const timeval write_time = time_of(shared.times.write);
  bufferevent_set_timeouts(buffer_, nullptr, &write_time);
  bufferevent_enable(buffer_, EV_READ | EV_WRITE);
  ++shared_.connections;
  set_deadline(shared.times.head);
}

HttpConnection::~HttpConnection() {
  close();
}

bool HttpConnection::idle() const {
  return phase_ == Phase::Idle && exchange_ > 0 && unsent() == 0;
}

void HttpConnection::leave() {
  if (phase_ != Phase::Idle) return;
  if (unsent() == 0) return close();
  flush_and_close();
}

void HttpConnection::close() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  release_body();
  bufferevent_free(buffer_);
  event_free(deadline_);
  --shared_.connections;
  if (const auto action = std::exchange(gone_, {})) action();
  shared_.release(number_);
}

void HttpConnection::on_read() {
  if (phase_ == Phase::Lingering || phase_ == Phase::Flushing) {
    evbuffer* const input = bufferevent_get_input(buffer_);
    evbuffer_drain(input, evbuffer_get_length(input));
    return;
  }
  read_requests();
}

/// Is called when all bytes have been written.
void HttpConnection::on_written() {
  if (phase_ == Phase::Flushing) return linger();
  read_requests();  // those that waited for it
}

void HttpConnection::on_event(short what) {
  const bool only_end = (what & BEV_EVENT_EOF) != 0 && (what & (BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT)) == 0;
  if (only_end && phase_ == Phase::Flushing) {  // it still reads what it is told
    at_end_ = true;
    return;
  }
  close();
}

void HttpConnection::on_deadline() {
  if (phase_ == Phase::Head || phase_ == Phase::Body) return fail(408, "The request took too long to come.");
  close();
}

/// Reads the requests that are there, until one has to wait for its answer, or for the client to read an earlier
/// answer.
void HttpConnection::read_requests() {
  evbuffer* const input = bufferevent_get_input(buffer_);
  while (phase_ == Phase::Idle || phase_ == Phase::Head || phase_ == Phase::Body) {
    if (phase_ == Phase::Idle && unsent() > kMostUnsentAnswers) return;
    const std::size_t length = evbuffer_get_contiguous_space(input);
    if (length == 0) return;
    const auto* const bytes = reinterpret_cast<const char*>(evbuffer_pullup(input, static_cast<ev_ssize_t>(length)));
    const bool was_head = parser_.state() == HttpParser::State::Head;
    evbuffer_drain(input, parser_.feed({bytes, length}));
    if (parser_.state() == HttpParser::State::Failed) return fail(parser_.status(), parser_.problem());
    if (was_head && parser_.state() != HttpParser::State::Head && !head_is_fine()) return;
    if (!body_fits()) return;
    follow_parser();
  }
}

/// Returns true if the body of a request is wanted, whose head is complete.
bool HttpConnection::head_is_fine() {
  const HttpRequest& request = parser_.request();
  http10_ = request.http10;
  head_only_ = request.method == "HEAD";
  if (const auto refused = shared_.handler->refuse(request)) {
    reply_and_close(*refused);
    return false;
  }
  if (request.expects_continue) send("HTTP/1.1 100 Continue\r\n\r\n");
  return true;
}

/// Counts the bytes that have arrived, so that a client which announces a long body takes no memory from others.
bool HttpConnection::body_fits() {
  const std::uint64_t more = parser_.request().body.size() - reserved_;
  if (more > shared_.most_body_bytes - shared_.body_bytes) {
    reply_and_close(error_reply(ApiError(503, "Too many large requests at the same time. Try again later.")));
    return false;
  }
  reserved_ += more;
  shared_.body_bytes += more;
  return true;
}

void HttpConnection::follow_parser() {
  switch (parser_.state()) {
    case HttpParser::State::Head:
      if (phase_ == Phase::Idle && parser_.has_begun()) {
        phase_ = Phase::Head;
        set_deadline(shared_.times.head);
      }
      return;
    case HttpParser::State::Body:
      if (phase_ == Phase::Body) return;
      phase_ = Phase::Body;
      return set_deadline(shared_.times.body + static_cast<double>(parser_.body_length()) / shared_.times.rate);
    case HttpParser::State::Done:
      return dispatch();
    case HttpParser::State::Failed:
      return;
  }
}

void HttpConnection::dispatch() {
  phase_ = Phase::Busy;
  stop_deadline();
  longest_part_ = 0;
  keep_alive_ = parser_.request().keep_alive;
  const auto writer = std::make_shared<OutboxWriter>(shared_.outbox, this, number_, ++exchange_);
  shared_.handler->handle(parser_.take(), writer, shared_.connections);
  writer->leave();
}

void HttpConnection::take(OutgoingPart part) {
  if (phase_ != Phase::Busy || part.exchange != exchange_) return;
  const bool chunked = !http10_;
  switch (part.kind) {
    case OutgoingPart::Kind::Reply:
      keep_alive_ = keep_alive_ && !shared_.stopping;
      send(reply_text(part.reply, keep_alive_, head_only_));
      return finish_exchange();
    case OutgoingPart::Kind::Begin:
      keep_alive_ = keep_alive_ && chunked && !shared_.stopping;
      return send(stream_head(part.data, chunked, keep_alive_));
    case OutgoingPart::Kind::Data:
      if (unsent() > kMostUnsentStream + longest_part_) return close();
      longest_part_ = std::max(longest_part_, part.data.size());
      if (!part.data.empty()) send(chunked ? chunk_text(part.data) : part.data);
      return;
    case OutgoingPart::Kind::End:
      if (chunked) send(kLastChunk);
      return finish_exchange();
  }
}

void HttpConnection::finish_exchange() {
  gone_ = {};
  release_body();
  if (!keep_alive_ || shared_.stopping) return flush_and_close();
  phase_ = Phase::Idle;
  set_deadline(shared_.times.idle);
  read_requests();
}

void HttpConnection::fail(int status, const std::string& problem) {
  reply_and_close(error_reply(ApiError(status, problem)));
}

void HttpConnection::reply_and_close(const HttpReply& reply) {
  send(reply_text(reply, false, head_only_));
  flush_and_close();
}

void HttpConnection::flush_and_close() {
  phase_ = Phase::Flushing;
  stop_deadline();
  release_body();
  if (unsent() == 0) linger();
}

/// Closing with bytes unread would reset the connection, and the client could lose the answer: what it still sends is
/// read for a while.
void HttpConnection::linger() {
  if (at_end_) return close();
  phase_ = Phase::Lingering;
  ::shutdown(bufferevent_getfd(buffer_), SHUT_WR);
  set_deadline(shared_.times.linger);
  on_read();
}

void HttpConnection::send(std::string_view text) {
  if (bufferevent_write(buffer_, text.data(), text.size()) != 0) throw std::bad_alloc();
}

std::size_t HttpConnection::unsent() const {
  return evbuffer_get_length(bufferevent_get_output(buffer_));
}

void HttpConnection::set_deadline(double seconds) {
  const timeval time = time_of(seconds);
  evtimer_add(deadline_, &time);
}

void HttpConnection::stop_deadline() {
  evtimer_del(deadline_);
}

void HttpConnection::release_body() {
  shared_.body_bytes -= std::exchange(reserved_, 0);
}

}  // namespace carryover
