// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/serve/http_message.h"

namespace carryover {

struct HttpLimits {
  std::size_t head_bytes = 16384;  ///< request line and headers
  std::size_t headers = 100;
  std::size_t target_bytes = 2048;
  std::uint64_t body_bytes = std::uint64_t{16} << 20;
};

/// Reads one HTTP/1.x request after another from bytes in pieces of any size (RFC 9112). Stricter than it needs to be,
/// so that nothing in front of it can see another request in the same bytes: lines end in CRLF, a body has either one
/// Content-Length of digits alone or one Transfer-Encoding that says chunked and never both, no folded headers. The
/// extensions and trailers of chunks have to be well formed and short, and are dropped. One thread.
class HttpParser {
 public:
  enum class State { Head, Body, Done, Failed };
  explicit HttpParser(HttpLimits limits) : limits_(limits) {}

  /// Takes the bytes at the front of `bytes` that belong to the current request, and returns their number. Stops at the
  /// end of the head (state Body or Done), so that the caller can look at the head before any of the body is taken.
  std::size_t feed(std::string_view bytes);

  State state() const { return state_; }
  bool has_begun() const;
  /// Returns the body's length, or the most bytes that its chunks may have together. Known once the head is complete.
  std::uint64_t body_length() const { return body_length_; }
  /// For a request that failed: the status to refuse it with, and the reason.
  int status() const { return status_; }
  const std::string& problem() const { return problem_; }

  const HttpRequest& request() const { return request_; }
  HttpRequest take();  ///< the finished request; the next one begins

 private:
  /// The kind of the next line in a body in chunks.
  enum class ChunkLine { Size, EndOfData, Trailer };

  std::size_t skip_empty_lines(std::string_view bytes);
  std::size_t feed_head(std::string_view bytes);
  void read_head();
  bool read_request_line(std::string_view line);
  bool read_target(std::string_view method, std::string_view target);
  bool check_header(std::string_view line);
  bool read_header(std::string_view line);
  bool read_meaning();
  bool read_coding();
  bool read_length();
  std::size_t feed_data(std::string_view bytes);
  std::size_t feed_chunk_line(std::string_view bytes);
  bool read_chunk_line(std::string_view line);
  bool read_chunk_size(std::string_view line);
  bool count_dropped(std::size_t bytes);
  bool refuse_length();
  bool fail(int status, std::string problem);

  HttpLimits limits_;
  State state_ = State::Head;
  std::string head_;       ///< the beginning of a head, or of a line between chunks
  std::string authority_;  ///< the host of a target that is a whole address
  HttpRequest request_;
  std::uint64_t body_length_ = 0, missing_ = 0;  ///< missing_: bytes that the body or its chunk still lacks
  bool chunked_ = false;
  ChunkLine chunk_line_ = ChunkLine::Size;
  std::size_t dropped_ = 0;  ///< bytes of extensions and trailers
  int status_ = 0;
  std::string problem_;
};

}  // namespace carryover
