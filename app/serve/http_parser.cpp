// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/http_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/core/base/text_parts.h"

namespace carryover {

namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n", kLineEnd = "\r\n", kHalfLineEnd = "\r";
constexpr std::size_t kLongestMethod = 16;

bool is_token(std::string_view text) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Whether a list of options such as "keep-alive, Upgrade" has this one.
bool lists(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    if (equal_without_case(trimmed(options.substr(0, comma)), option)) return true;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return false;
}

}  // namespace

bool HttpParser::has_begun() const {
  return state_ != State::Head || !(head_.empty() || head_ == kHalfLineEnd);
}

std::size_t HttpParser::feed(std::string_view bytes) {
  if (state_ == State::Head) return feed_head(bytes);
  if (state_ != State::Body) return 0;
  const std::uint64_t missing = body_length_ - request_.body.size();
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing, bytes.size()));
  request_.body.append(bytes.substr(0, taken));
  if (taken == missing) state_ = State::Done;
  return taken;
}

HttpRequest HttpParser::take() {
  HttpRequest taken = std::exchange(request_, {});
  head_.clear();
  body_length_ = 0;
  state_ = State::Head;
  return taken;
}

/// RFC 9112, 2.2: empty lines before a request don't count. How many bytes of them there are; half a line end waits for
/// the other half.
std::size_t HttpParser::skip_empty_lines(std::string_view bytes) {
  std::size_t skipped = 0;
  for (; skipped < bytes.size() && head_.size() < kLineEnd.size(); ++skipped) {
    if (bytes[skipped] != kLineEnd[head_.size()]) break;
    head_ += bytes[skipped];
    if (head_ == kLineEnd) head_.clear();
  }
  return skipped;
}

std::size_t HttpParser::feed_head(std::string_view bytes) {
  const std::size_t skipped = head_.empty() || head_ == kHalfLineEnd ? skip_empty_lines(bytes) : 0;
  bytes.remove_prefix(skipped);
  const std::size_t before = head_.size();
  head_.append(bytes.substr(0, limits_.head_bytes + 1 - std::min(before, limits_.head_bytes)));
  const std::size_t searched = before < kEndOfHead.size() ? 0 : before - kEndOfHead.size() + 1;
  const std::size_t end = head_.find(kEndOfHead, searched);
  if (head_.size() > limits_.head_bytes && (end == std::string::npos || end + kEndOfHead.size() > limits_.head_bytes))
    fail(431, "The request's head is too large.");
  if (end == std::string::npos || state_ == State::Failed) return skipped + head_.size() - before;
  head_.resize(end + 2);
  read_head();
  return skipped + end + kEndOfHead.size() - before;
}

void HttpParser::read_head() {
  std::string_view rest = head_;
  bool first = true;
  while (!rest.empty()) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (!(first ? read_request_line(line) : read_header(line))) return;
    first = false;
  }
  if (!read_meaning()) return;
  state_ = body_length_ > 0 ? State::Body : State::Done;
}

bool HttpParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fail(400, "The request line is malformed.");
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (!is_token(method) || method.size() > kLongestMethod) return fail(400, "The method is malformed.");
  if (target.size() > limits_.target_bytes) return fail(414, "The request's target is too long.");
  const bool printable = std::ranges::none_of(target, [](char c) { return is_control(c) || c == ' '; });
  if (!printable || !(target.starts_with('/') || (target == "*" && method == "OPTIONS")))
    return fail(400, "The request's target is malformed.");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    const bool is_http = version.starts_with("HTTP/");
    return fail(is_http ? 505 : 400, is_http ? "Only HTTP/1.1 and HTTP/1.0." : "The request line is malformed.");
  }
  request_.method = method;
  request_.target = target;
  request_.http10 = version == "HTTP/1.0";
  return true;
}

bool HttpParser::read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return fail(400, "A header is malformed.");
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::ranges::any_of(value, [](char c) { return is_control(c) && c != '\t'; }))
    return fail(400, "A header has a control character.");
  if (request_.headers.size() == limits_.headers) return fail(431, "The request has too many headers.");
  request_.headers.emplace_back(in_lower_case(line.substr(0, colon)), value);
  return true;
}

/// What the headers together say of the message.
bool HttpParser::read_meaning() {
  const auto hosts = std::ranges::count(request_.headers, "host", &HttpHeaders::value_type::first);
  if (hosts > 1 || (hosts == 0 && !request_.http10)) return fail(400, "The request needs one Host header.");
  if (request_.header("transfer-encoding") != nullptr)
    return fail(501, "Transfer-Encoding is not supported: send the body with a Content-Length.");
  request_.keep_alive = !request_.http10;
  for (const auto& [name, value] : request_.headers) {
    if (name != "connection") continue;
    if (lists(value, "close")) request_.keep_alive = false;
    if (request_.http10 && lists(value, "keep-alive")) request_.keep_alive = true;
  }
  if (!read_length()) return false;
  if (const std::string* expected = request_.header("expect")) {
    if (!equal_without_case(*expected, "100-continue")) return fail(417, "This expectation can't be met.");
    request_.expects_continue = !request_.http10 && body_length_ > 0;
  }
  return true;
}

bool HttpParser::read_length() {
  if (std::ranges::count(request_.headers, "content-length", &HttpHeaders::value_type::first) > 1)
    return fail(400, "The request has several Content-Length headers.");
  const std::string* length = request_.header("content-length");
  if (length == nullptr) return true;
  const bool digits = !length->empty() && std::ranges::all_of(*length, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return fail(400, "Content-Length is not a number.");
  const auto [end, error] = std::from_chars(length->data(), length->data() + length->size(), body_length_);
  if (error != std::errc() || body_length_ > limits_.body_bytes) {
    return fail(413, "The request's body may have at most " + std::to_string(limits_.body_bytes) + " bytes.");
  }
  return end == length->data() + length->size();
}

bool HttpParser::fail(int status, std::string problem) {
  state_ = State::Failed;
  status_ = status;
  problem_ = std::move(problem);
  return false;
}

}  // namespace carryover
