// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/http_server.h"

#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr int kBacklog = 256;
constexpr timeval kTick{0, 100'000};
constexpr int kStopTicks = 30;  // three seconds for what is still to be said

template <typename Handle, void (*free_handle)(Handle*)>
struct Freed {
  void operator()(Handle* handle) const { free_handle(handle); }
};
using BasePtr = std::unique_ptr<event_base, Freed<event_base, event_base_free>>;
using EventPtr = std::unique_ptr<event, Freed<event, event_free>>;
using ListenerPtr = std::unique_ptr<evconnlistener, Freed<evconnlistener, evconnlistener_free>>;
using AddressPtr = std::unique_ptr<addrinfo, Freed<addrinfo, freeaddrinfo>>;

std::string address_text(const HttpServerOptions& options) {
  return options.host + ":" + std::to_string(options.port);
}

AddressPtr find_address(const HttpServerOptions& options) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(options.host.c_str(), std::to_string(options.port).c_str(), &hints, &found);
  if (error != 0)
    throw EngineError(Fault::Usage, "--host " + options.host, ::gai_strerror(error),
                      "Name an address of this machine.");
  return AddressPtr(found);
}

int port_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  CARRYOVER_CHECK(::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

class HttpServer::Loop {
 public:
  Loop(const HttpServerOptions& options, RequestHandler& handler)
      : most_connections_(options.connections), base_(event_base_new()) {
    if (!base_) throw std::bad_alloc();
    std::signal(SIGPIPE, SIG_IGN);
    shared_.limits = options.limits;
    shared_.times = options.times;
    shared_.handler = &handler;
    shared_.outbox = std::make_shared<HttpOutbox>();
    shared_.base = base_.get();
    shared_.release = [this](std::uint64_t number) { release(number); };
    listen(options);
    outbox_.reset(event_new(base_.get(), shared_.outbox->descriptor(), EV_READ | EV_PERSIST, on_outbox, this));
    tick_.reset(event_new(base_.get(), -1, EV_PERSIST, on_tick, this));
    if (!outbox_ || !tick_ || event_add(outbox_.get(), nullptr) != 0 || event_add(tick_.get(), &kTick) != 0)
      throw std::bad_alloc();
  }
  ~Loop() {
    shared_.stopping = true;
    refuse_accepted();
    while (!connections_.empty()) connections_.begin()->second->close();
    listener_.reset();
    tick_.reset();
    outbox_.reset();
    event_base_loop(base_.get(), EVLOOP_NONBLOCK);  // libevent frees in its loop what was closed last
  }

  int port() const { return port_of(evconnlistener_get_fd(listener_.get())); }

  void run(const std::function<bool()>& should_stop, const std::function<void()>& on_stop) {
    should_stop_ = should_stop;
    on_stop_ = on_stop;
    event_base_dispatch(base_.get());
  }

 private:
  void listen(const HttpServerOptions& options) {
    const AddressPtr address = find_address(options);
    constexpr unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE;
    listener_.reset(evconnlistener_new_bind(base_.get(), on_accept, this, flags, kBacklog, address->ai_addr,
                                            static_cast<int>(address->ai_addrlen)));
    if (!listener_)
      throw EngineError(Fault::Io, address_text(options), std::string("can't be listened on: ") + std::strerror(errno),
                        "Choose another --port, or stop the program that has this one.");
    evconnlistener_set_error_cb(listener_.get(), on_accept_error);
  }

  static void on_accept(evconnlistener*, evutil_socket_t descriptor, sockaddr*, int, void* loop) {
    static_cast<Loop*>(loop)->accept(descriptor);
  }
  /// Too many open files: the next tick tries again.
  static void on_accept_error(evconnlistener* listener, void*) { evconnlistener_disable(listener); }
  static void on_outbox(evutil_socket_t, short, void* loop) { static_cast<Loop*>(loop)->deliver(); }
  static void on_tick(evutil_socket_t, short, void* loop) { static_cast<Loop*>(loop)->tick(); }

  /// Called again when the client that was accepted last is served.
  void accept(int descriptor) {
    accepted_ = descriptor;
    admit();
  }

  /// Serves who was accepted as soon as there is room, for which a connection that only waits for another request is
  /// closed. Until then all others wait in the system's queue.
  void admit() {
    if (accepted_ >= 0 && connections_.size() >= most_connections_) {
      const auto idle = std::ranges::find_if(connections_, [](const auto& each) { return each.second->idle(); });
      if (idle != connections_.end()) return idle->second->close();  // release() comes back here
    } else if (accepted_ >= 0) {
      const std::uint64_t number = ++last_number_;
      connections_.emplace(number, std::make_unique<HttpConnection>(shared_, std::exchange(accepted_, -1), number));
    }
    if (accepted_ < 0 && !shared_.stopping)
      evconnlistener_enable(listener_.get());
    else
      evconnlistener_disable(listener_.get());
  }
  void refuse_accepted() {
    if (accepted_ >= 0) evutil_closesocket(std::exchange(accepted_, -1));
  }

  void release(std::uint64_t number) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    closed_.push_back(std::move(found->second));  // its own callback may be running
    connections_.erase(found);
    event_active(outbox_.get(), EV_READ, 0);
    admit();
  }

  void deliver() {
    closed_.clear();
    for (OutgoingPart& part : shared_.outbox->take())
      if (const auto found = connections_.find(part.connection); found != connections_.end())
        found->second->take(std::move(part));
  }

  void tick() {
    if (!shared_.stopping && should_stop_()) begin_stop();
    if (shared_.stopping && (connections_.empty() || ++stop_ticks_ > kStopTicks)) event_base_loopbreak(base_.get());
    admit();
  }

  void begin_stop() {
    shared_.stopping = true;
    refuse_accepted();
    std::vector<HttpConnection*> all;  // the map changes as they go
    for (const auto& [number, connection] : connections_) all.push_back(connection.get());
    for (HttpConnection* connection : all) connection->leave();
    on_stop_();
  }

  const std::size_t most_connections_;
  BasePtr base_;
  HttpShared shared_;
  ListenerPtr listener_;
  EventPtr outbox_, tick_;
  std::map<std::uint64_t, std::unique_ptr<HttpConnection>> connections_;
  std::vector<std::unique_ptr<HttpConnection>> closed_;
  int accepted_ = -1;  ///< a descriptor that has no connection yet, or none
  std::uint64_t last_number_ = 0;
  std::function<bool()> should_stop_;
  std::function<void()> on_stop_;
  int stop_ticks_ = 0;
};

HttpServer::HttpServer(const HttpServerOptions& options, RequestHandler& handler)
    : loop_(std::make_unique<Loop>(options, handler)) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return loop_->port();
}

void HttpServer::run(const std::function<bool()>& should_stop, const std::function<void()>& on_stop) {
  loop_->run(should_stop, on_stop);
}

}  // namespace carryover
