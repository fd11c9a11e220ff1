// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace carryover::test {

/// A reply as it was sent.
struct ClientReply {
  int status = 0;
  std::string head, body;  ///< the body without its chunks' lengths
  nlohmann::json json() const { return nlohmann::json::parse(body); }
};

/// A socket to a port of this machine that sends what it is told, well formed or not. Every read has a limit of time.
class HttpClient {
 public:
  explicit HttpClient(int port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("can't connect");
    }
  }
  ~HttpClient() { ::close(socket_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Returns false if the other end does not take it any more.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  /// Adds to the bytes that came; returns false at the end.
  bool receive(int milliseconds = 20000) {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, milliseconds) != 1) throw std::runtime_error("nothing comes");
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    came_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  /// Returns everything until the other end closes.
  std::string receive_all() {
    while (receive()) {
    }
    return came_;
  }
  const std::string& came() const { return came_; }

  /// Returns the next whole reply. `has_body`: not to HEAD.
  ClientReply reply(bool has_body = true) {
    ClientReply read;
    read.head = take_until("\r\n\r\n");
    read.status = std::stoi(read.head.substr(9, 3));
    if (!has_body || read.status == 204) return read;
    if (const std::size_t at = read.head.find("Content-Length: "); at != std::string::npos) {
      read.body = take(std::stoul(read.head.substr(at + 16)));
    } else {
      while (const std::size_t length = std::stoul(take_until("\r\n"), nullptr, 16)) {
        read.body += take(length);
        take(2);
      }
      take(2);
    }
    return read;
  }

 private:
  std::string take(std::size_t count) {
    while (came_.size() < count)
      if (!receive()) throw std::runtime_error("the end, and not all came: " + came_);
    const std::string taken = came_.substr(0, count);
    came_.erase(0, count);
    return taken;
  }
  std::string take_until(std::string_view mark) {
    std::size_t at = 0;
    while ((at = came_.find(mark)) == std::string::npos)
      if (!receive()) throw std::runtime_error("the end, and not all came: " + came_);
    return take(at + mark.size());
  }

  int socket_;
  std::string came_;
};

inline std::string request_text(const std::string& method, const std::string& target, const std::string& body = {},
                                const std::string& headers = "Host: localhost\r\n") {
  return method + " " + target + " HTTP/1.1\r\n" + headers +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body;
}

/// Sends one request on a connection of its own, and returns the reply.
inline ClientReply ask(int port, const std::string& method, const std::string& target, const std::string& body = {},
                       const std::string& headers = "Host: localhost\r\n") {
  HttpClient client(port);
  client.send(request_text(method, target, body, headers));
  return client.reply(method != "HEAD");
}

}  // namespace carryover::test
