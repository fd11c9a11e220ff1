// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace carryover {

class RunControl;

/// A GET of HTTP or HTTPS.
struct WebRequest {
  std::string url;
  std::string token;      ///< for the server of `url`, and for no other that it redirects to; empty: none
  std::int64_t from = 0;  ///< the first byte that is wanted
};

/// The end of a request, beside the body. A plain value.
struct WebReply {
  int status = 0;                         ///< of the last server that was asked; 0: it did not answer
  std::string server;                     ///< that server's name
  std::string problem;                    ///< why not all of the body came; empty if all did
  bool lasting = false;                   ///< true: `problem` would be the same at another try
  std::string error_code, error_message;  ///< X-Error-Code and X-Error-Message, by which a hub explains a status
  std::int64_t retry_after = 0;           ///< seconds, as the server asks for; 0 if it asks for none
};

/// Gets parts of the body of a reply with status 200, or 206 if it begins at WebRequest::from.
using WebBody = std::function<void(int status, std::string_view bytes)>;

/// Sends a request and follows redirects, but none from HTTPS to HTTP. A server that stays silent for half a minute is
/// given up. `body` is called in the calling thread, and what it throws is passed on. Throws EngineError{Cancelled}
/// about a second after `control` was asked to stop, and {Unsupported} in a build without libcurl. Any thread.
WebReply web_get(const WebRequest& request, const WebBody& body, RunControl& control);

}  // namespace carryover
