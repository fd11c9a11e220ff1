// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/http_message.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace carryover {

namespace {

struct StatusRow {
  int status;
  std::string_view text;
};
constexpr StatusRow kStatuses[] = {
    {200, "OK"},
    {204, "No Content"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

std::string status_line(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(status_text(status)) + "\r\n";
}

std::string common_headers(std::string_view type, bool keep_alive) {
  std::string text;
  if (!type.empty()) text.append("Content-Type: ").append(type).append("\r\n");
  text += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
  text += keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  return text;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

const std::string* HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &HttpHeaders::value_type::first);
  return found == headers.end() ? nullptr : &found->second;
}

std::string_view status_text(int status) {
  const auto* const row = std::ranges::find(kStatuses, status, &StatusRow::status);
  return row == std::end(kStatuses) ? "Unknown" : row->text;
}

std::string reply_text(const HttpReply& reply, bool keep_alive, bool head_only) {
  const bool has_body = reply.status != 204;
  std::string text = status_line(reply.status) + common_headers(has_body ? reply.type : std::string(), keep_alive);
  if (has_body) text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  for (const auto& [name, value] : reply.more) text.append(name).append(": ").append(value).append("\r\n");
  text += "\r\n";
  if (has_body && !head_only) text += reply.body;
  return text;
}

std::string stream_head(std::string_view type, bool chunked, bool keep_alive) {
  return status_line(200) + common_headers(type, keep_alive && chunked) +
         (chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
}

std::string chunk_text(std::string_view data) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), data.size(), 16).ptr;
  std::string text(digits.data(), end);
  return text.append("\r\n").append(data).append("\r\n");
}

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace carryover
