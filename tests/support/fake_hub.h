// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QByteArray>
#include <QCryptographicHash>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/hub/hub_settings.h"

namespace carryover::test {

/// A question to a server.
struct HubRequest {
  std::string target, head;
  std::int64_t from = 0;  ///< of a Range; 0 without one
  /// Returns a header's value; empty if the request has none.
  std::string header(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

struct HubAnswer {
  int status = 200;
  std::string body;
  std::vector<std::string> headers;
  std::int64_t cut = -1;  ///< bytes of the body after which the connection ends; -1: all are sent
  bool hangs = false;     ///< where it is cut, nothing more comes until the other end closes
};

/// A server of HTTP on a thread of its own, which answers one connection after another.
class HubServer {
 public:
  using Answers = std::function<HubAnswer(const HubRequest& request)>;
  explicit HubServer(Answers answers) : answers_(std::move(answers)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    ::setenv("no_proxy", "*", 1);  // a proxy of this machine knows nothing of it
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 || ::getsockname(listener_, any, &size) != 0)
      throw std::runtime_error("no port to listen on");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HubServer() {
    ends_ = true;
    thread_.join();
    ::close(listener_);
  }
  HubServer(const HubServer&) = delete;
  HubServer& operator=(const HubServer&) = delete;

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<HubRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  static bool waits(int socket) {
    pollfd ready{socket, POLLIN, 0};
    return ::poll(&ready, 1, 20) == 0;
  }
  void serve() {
    while (!ends_) {
      if (waits(listener_)) continue;
      const int socket = ::accept(listener_, nullptr, nullptr);
      answer(socket);
      ::close(socket);
    }
  }
  void answer(int socket) {
    HubRequest request;
    char bytes[4096];
    while (request.head.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
      if (count <= 0) return;
      request.head.append(bytes, static_cast<std::size_t>(count));
    }
    request.target = request.head.substr(4, request.head.find(" HTTP/") - 4);
    if (const std::string range = request.header("Range"); !range.empty()) request.from = std::stoll(range.substr(6));
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    send(socket, answers_(request));
  }
  void send(int socket, const HubAnswer& answer) {
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " x\r\nConnection: close\r\n";
    for (const std::string& header : answer.headers) text += header + "\r\n";
    text += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n";
    text += answer.cut < 0 ? answer.body : answer.body.substr(0, static_cast<std::size_t>(answer.cut));
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
    while (answer.hangs && !ends_ && waits(socket)) {
    }
  }

  Answers answers_;
  int listener_, port_ = 0;
  std::atomic<bool> ends_{false};
  mutable std::mutex mutex_;
  std::vector<HubRequest> requests_;
  std::thread thread_;
};

inline std::string hex_hash(const std::string& bytes, QCryptographicHash::Algorithm algorithm) {
  const QByteArray all(bytes.data(), static_cast<qsizetype>(bytes.size()));
  return QCryptographicHash::hash(all, algorithm).toHex().toStdString();
}

/// The name of a file's contents in a cache: git's, or that of a large file.
inline std::string blob_of(const std::string& bytes, bool large) {
  if (large) return hex_hash(bytes, QCryptographicHash::Sha256);
  return hex_hash("blob " + std::to_string(bytes.size()) + std::string(1, '\0') + bytes, QCryptographicHash::Sha1);
}

/// A hub on this machine with one model, org/model, which it lists and sends as huggingface.co does. A file is large
/// (LFS) if its name says so. Change it only while it is not asked.
class FakeHub {
 public:
  std::string commit = std::string(40, 'c');
  std::map<std::string, std::string> files;
  /// Answers in its place; nothing: it answers itself.
  std::function<std::optional<HubAnswer>(const HubRequest& request)> instead;
  std::function<void(nlohmann::json& answer)> change_list;

  std::string address() const { return server_.address(); }
  std::vector<HubRequest> requests() const { return server_.requests(); }
  /// Settings for a cache, without pauses between tries that anybody would notice.
  HubSettings settings(const std::string& cache) const { return {address(), "", cache, false, 0.001}; }

  static bool is_large(const std::string& path) { return path.ends_with(".safetensors") || path.ends_with(".gguf"); }
  std::string blob(const std::string& path) const { return blob_of(files.at(path), is_large(path)); }

  /// Answers a request for a file, from where it asks.
  HubAnswer file(const HubRequest& request, const std::string& bytes) const {
    if (request.from > 0) return {206, bytes.substr(static_cast<std::size_t>(request.from)), {}};
    return {200, bytes, {}};
  }
  static HubAnswer refusal(int status, const std::string& code) { return {status, "{}", {"X-Error-Code: " + code}}; }

  std::string list() const {
    nlohmann::json answer{{"id", "org/model"}, {"sha", commit}, {"siblings", nlohmann::json::array()}};
    for (const auto& [path, bytes] : files) {
      nlohmann::json entry{{"rfilename", path}, {"size", bytes.size()}, {"blobId", blob_of(bytes, false)}};
      if (is_large(path)) entry["lfs"] = {{"sha256", blob_of(bytes, true)}, {"size", bytes.size()}};
      answer["siblings"].push_back(entry);
    }
    if (change_list) change_list(answer);
    return answer.dump();
  }

 private:
  HubAnswer answer(const HubRequest& request) const {
    if (instead)
      if (const auto other = instead(request)) return *other;
    if (request.target.starts_with("/api/models/org/model/revision/"))
      return request.target.ends_with("?blobs=true") ? HubAnswer{200, list(), {}} : refusal(400, "");
    const std::string start = "/org/model/resolve/" + commit + "/";
    const auto found =
        request.target.starts_with(start) ? files.find(request.target.substr(start.size())) : files.end();
    return found == files.end() ? refusal(404, "EntryNotFound") : file(request, found->second);
  }

  HubServer server_{[this](const HubRequest& request) { return answer(request); }};
};

}  // namespace carryover::test
