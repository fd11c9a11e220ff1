// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carryover {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// A request as it came: nothing in it is trusted beyond its form. A plain value.
struct HttpRequest {
  std::string method;
  std::string target;   ///< a path, and a query where there is one, as sent; "*" of OPTIONS
  HttpHeaders headers;  ///< names in lower case, values without blanks; the host is that of a whole address as target
  std::string body;
  bool http10 = false;
  bool keep_alive = true;
  bool expects_continue = false;  ///< waits for "100 Continue" before it sends the body

  std::string_view path() const;                           ///< the target without its query
  const std::string* header(std::string_view name) const;  ///< null where there is none; the first of several
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  HttpHeaders more = {};  ///< headers beside those of every reply
};

/// "Not Found"; "Unknown" for a status that this server doesn't use.
std::string_view status_text(int status);

/// A whole reply as it goes out. `head_only`: to HEAD, the length but not the body.
std::string reply_text(const HttpReply& reply, bool keep_alive, bool head_only);

/// The head of a reply whose length isn't known; in chunks, or ended by closing where `chunked` is false (HTTP/1.0).
std::string stream_head(std::string_view type, bool chunked, bool keep_alive);
std::string chunk_text(std::string_view data);  ///< of some data; an empty one would end the stream
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

bool equal_without_case(std::string_view a, std::string_view b);  ///< of ASCII letters

}  // namespace carryover
