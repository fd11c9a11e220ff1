// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/access.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace carryover {

namespace {

/// The name of "name:port", "[::1]:port" and both without a port; brackets stay. Empty where the port is none.
std::string_view host_of(std::string_view authority) {
  const std::size_t end = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  const std::size_t colon = authority.find(':', end == std::string_view::npos ? 0 : end);
  if (colon == std::string_view::npos) return authority;
  const std::string_view port = authority.substr(colon + 1);
  const bool digits = std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? authority.substr(0, colon) : std::string_view();
}

bool is_allowed_host(const HttpRequest& request, const AccessRules& rules) {
  if (rules.hosts.empty()) return true;
  const std::string* host = request.header("host");
  if (host == nullptr) return false;
  return std::ranges::any_of(
      rules.hosts, [name = host_of(*host)](const std::string& allowed) { return equal_without_case(name, allowed); });
}

/// A page that this server gave out would have the origin that it is called by.
bool is_own_origin(const HttpRequest& request) {
  const std::string* host = request.header("host");
  const std::string own = host != nullptr ? "http://" + *host : std::string();
  return std::ranges::all_of(request.headers, [&](const auto& header) {
    return header.first != "origin" || (host != nullptr && equal_without_case(header.second, own));
  });
}

/// Browsers name the relation between the page that asks and this server, also for images and links, which they send
/// without an Origin. A page of another port of this machine is of the same site, but it is not ours. Other programs
/// send no such header.
bool is_own_page(const HttpRequest& request) {
  return std::ranges::all_of(request.headers, [](const auto& header) {
    return header.first != "sec-fetch-site" || header.second == "same-origin" || header.second == "none";
  });
}

bool has_key(const HttpRequest& request, const std::string& key) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string* given = request.header("authorization");
  if (given == nullptr || given->size() < scheme.size()) return false;
  const std::string_view text = *given;
  return equal_without_case(text.substr(0, scheme.size()), scheme) &&
         equal_in_constant_time(text.substr(scheme.size()), key);
}

}  // namespace

std::vector<std::string> allowed_hosts(const std::string& host) {
  if (host == "0.0.0.0" || host == "::") return {};
  const std::string own = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return {"localhost", "127.0.0.1", "[::1]", own};
}

std::optional<ApiError> refused_access(const HttpRequest& request, const AccessRules& rules) {
  if (!is_allowed_host(request, rules))
    return ApiError(421, "This server isn't known by the name in the Host header: call it as localhost.");
  if (!is_own_origin(request) || !is_own_page(request))
    return ApiError(403, "Requests of web pages of another origin are refused.");
  const bool is_open = request.path() == "/health";
  if (!rules.key.empty() && !is_open && !has_key(request, rules.key))
    return ApiError(401, "This server needs its API key: Authorization: Bearer KEY.", {}, "invalid_api_key");
  return std::nullopt;
}

bool is_loopback(std::string_view host) {
  if (equal_without_case(host, "localhost") || host == "::1") return true;
  in_addr address{};
  constexpr unsigned kLoopbackNet = 127;
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == kLoopbackNet;
}

bool equal_in_constant_time(std::string_view given, std::string_view secret) {
  if (secret.empty()) return given.empty();
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i % secret.size()]);
  return difference == 0;
}

}  // namespace carryover
