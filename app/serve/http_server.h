// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "app/serve/http_connection.h"

namespace carryover {

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: any that is free
  std::size_t connections = 64;
  HttpLimits limits = {};
  HttpTimes times = {};
};

/// HTTP/1.1 on one thread. libevent's own evhttp is not used: it does not tell when a client goes while its answer is
/// computed, counts a slow client's time from its last byte, and does not limit connections.
class HttpServer {
 public:
  /// Listens; a client waits until run(). Writing to a client that has gone must not end the process: SIGPIPE is
  /// ignored from here on. Throws EngineError{Usage, Io} where the address can't be had.
  HttpServer(const HttpServerOptions& options, RequestHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// Serves until `should_stop`, which is asked about ten times a second. Then nothing more is accepted, `on_stop` is
  /// called, and answers have some seconds to get out.
  void run(const std::function<bool()>& should_stop, const std::function<void()>& on_stop);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace carryover
