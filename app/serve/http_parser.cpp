// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/http_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/base/text_parts.h"

namespace carryover {

namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n", kLineEnd = "\r\n", kHalfLineEnd = "\r";
constexpr std::size_t kLongestMethod = 16, kLongestChunkSize = 16;

bool is_token(std::string_view text) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool begins_without_case(std::string_view text, std::string_view beginning) {
  return equal_without_case(text.substr(0, beginning.size()), beginning);
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

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_control(c) && c != '\t'; });
}

/// Returns true if a list of options such as "keep-alive, Upgrade" has this one.
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
  std::size_t taken = 0;
  while (state_ == State::Body && taken < bytes.size()) {
    const std::string_view rest = bytes.substr(taken);
    taken += missing_ > 0 ? feed_data(rest) : feed_chunk_line(rest);
  }
  return taken;
}

std::size_t HttpParser::feed_data(std::string_view bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, bytes.size()));
  request_.body.append(bytes.substr(0, taken));
  missing_ -= taken;
  if (missing_ == 0 && !chunked_) state_ = State::Done;
  return taken;
}

std::size_t HttpParser::feed_chunk_line(std::string_view bytes) {
  const std::size_t taken = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  head_.append(bytes.substr(0, taken));
  if (chunk_line_ == ChunkLine::EndOfData && !kLineEnd.starts_with(head_)) {
    fail(400, "A chunk is longer than its size says.");
  } else if (head_.size() > limits_.head_bytes) {
    fail(431, "A line between the body's chunks is too long.");
  } else if (head_.ends_with(kLineEnd)) {
    head_.resize(head_.size() - kLineEnd.size());
    read_chunk_line(head_);
    head_.clear();
  } else if (head_.ends_with('\n')) {
    fail(400, "A line between the body's chunks doesn't end in CRLF.");
  }
  return taken;
}

bool HttpParser::read_chunk_line(std::string_view line) {
  if (chunk_line_ == ChunkLine::Size) return read_chunk_size(line);
  if (chunk_line_ == ChunkLine::EndOfData) {
    chunk_line_ = ChunkLine::Size;
    return true;
  }
  if (!line.empty()) return count_dropped(line.size()) && check_header(line);
  state_ = State::Done;
  return true;
}

bool HttpParser::read_chunk_size(std::string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  const std::string_view extension = line.substr(digits);
  const bool well_formed = extension.empty() || (trimmed(extension).starts_with(';') && !has_control(extension));
  if (digits == 0 || digits > kLongestChunkSize || !well_formed) return fail(400, "A chunk's size is malformed.");
  if (!count_dropped(extension.size())) return false;
  std::from_chars(line.data(), line.data() + digits, missing_, 16);
  if (missing_ > limits_.body_bytes - request_.body.size()) return refuse_length();
  chunk_line_ = missing_ > 0 ? ChunkLine::EndOfData : ChunkLine::Trailer;
  return true;
}

bool HttpParser::count_dropped(std::size_t bytes) {
  dropped_ += bytes;
  return dropped_ <= limits_.head_bytes || fail(431, "There is too much beside the body's chunks.");
}

HttpRequest HttpParser::take() {
  HttpRequest taken = std::exchange(request_, {});
  head_.clear();
  authority_.clear();
  body_length_ = 0;
  chunked_ = false;
  chunk_line_ = ChunkLine::Size;
  dropped_ = 0;
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
  head_.clear();
  state_ = chunked_ || missing_ > 0 ? State::Body : State::Done;
}

bool HttpParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fail(400, "The request line is malformed.");
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (!is_token(method) || method.size() > kLongestMethod) return fail(400, "The method is malformed.");
  if (!read_target(method, target)) return false;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    const bool is_http = version.starts_with("HTTP/");
    return fail(is_http ? 505 : 400, is_http ? "Only HTTP/1.1 and HTTP/1.0." : "The request line is malformed.");
  }
  request_.method = method;
  request_.http10 = version == "HTTP/1.0";
  return true;
}

/// Takes the three forms of RFC 9112, 3.2: a path, "*" to OPTIONS, and a whole address.
bool HttpParser::read_target(std::string_view method, std::string_view target) {
  constexpr std::string_view scheme = "http://", with_tls = "https://";
  if (target.size() > limits_.target_bytes) return fail(414, "The request's target is too long.");
  if (begins_without_case(target, with_tls)) return fail(421, "This server speaks HTTP without TLS alone.");
  const bool is_address = begins_without_case(target, scheme), asks_server = method == "OPTIONS";
  if (is_address) {
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?#"), target.size());
    authority_ = target.substr(0, end);
    target.remove_prefix(end);
    request_.target = !target.empty() || !asks_server ? "/" : "*";
    if (target.starts_with('/')) target.remove_prefix(1);
  }
  request_.target += target;
  const bool printable = std::ranges::none_of(target, [](char c) { return is_control(c) || c == ' '; });
  const bool has_host = !authority_.empty() && authority_.find('@') == std::string::npos && !has_control(authority_);
  const bool has_form = is_address ? has_host : target.starts_with('/') || (target == "*" && asks_server);
  return (printable && has_form) || fail(400, "The request's target is malformed.");
}

bool HttpParser::check_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return fail(400, "A header is malformed.");
  return !has_control(line.substr(colon)) || fail(400, "A header has a control character.");
}

bool HttpParser::read_header(std::string_view line) {
  if (!check_header(line)) return false;
  if (request_.headers.size() == limits_.headers) return fail(431, "The request has too many headers.");
  const std::size_t colon = line.find(':');
  request_.headers.emplace_back(in_lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return true;
}

/// Reads the headers that say how to handle the message: host, connection, coding and expectation. Returns false where
/// it is refused.
bool HttpParser::read_meaning() {
  const auto hosts = std::ranges::count(request_.headers, "host", &HttpHeaders::value_type::first);
  if (hosts > 1 || (hosts == 0 && !request_.http10)) return fail(400, "The request needs one Host header.");
  if (!authority_.empty()) {  // RFC 9112, 3.2.2: the host of the address replaces the header's
    std::erase_if(request_.headers, [](const auto& header) { return header.first == "host"; });
    request_.headers.emplace_back("host", authority_);
  }
  request_.keep_alive = !request_.http10;
  for (const auto& [name, value] : request_.headers) {
    if (name != "connection") continue;
    if (lists(value, "close")) request_.keep_alive = false;
    if (request_.http10 && lists(value, "keep-alive")) request_.keep_alive = true;
  }
  if (!read_coding()) return false;
  if (const std::string* expected = request_.header("expect")) {
    if (!equal_without_case(*expected, "100-continue")) return fail(417, "This expectation can't be met.");
    request_.expects_continue = !request_.http10 && body_length_ > 0;
  }
  return true;
}

/// Finds out where the body ends. A request with two ways to tell it is refused, and so is an encoding in HTTP/1.0:
/// something in front of this server could have seen another end.
bool HttpParser::read_coding() {
  const std::string* coding = request_.header("transfer-encoding");
  if (coding == nullptr) return read_length();
  if (request_.http10) return fail(400, "HTTP/1.0 has no Transfer-Encoding.");
  if (request_.header("content-length") != nullptr)
    return fail(400, "The request has both Content-Length and Transfer-Encoding.");
  const auto count = std::ranges::count(request_.headers, "transfer-encoding", &HttpHeaders::value_type::first);
  if (count > 1 || !equal_without_case(*coding, "chunked"))
    return fail(501, "Of the transfer encodings, chunked alone is supported.");
  chunked_ = true;
  body_length_ = limits_.body_bytes;
  return true;
}

bool HttpParser::read_length() {
  if (std::ranges::count(request_.headers, "content-length", &HttpHeaders::value_type::first) > 1)
    return fail(400, "The request has several Content-Length headers.");
  const std::string* length = request_.header("content-length");
  if (length == nullptr) return true;
  const bool digits = !length->empty() && std::ranges::all_of(*length, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return fail(400, "Content-Length is not a number.");
  const auto error = std::from_chars(length->data(), length->data() + length->size(), body_length_).ec;
  if (error != std::errc() || body_length_ > limits_.body_bytes) return refuse_length();
  missing_ = body_length_;
  return true;
}

bool HttpParser::refuse_length() {
  return fail(413, "The request's body may have at most " + std::to_string(limits_.body_bytes) + " bytes.");
}

bool HttpParser::fail(int status, std::string problem) {
  state_ = State::Failed;
  status_ = status;
  problem_ = std::move(problem);
  return false;
}

}  // namespace carryover
