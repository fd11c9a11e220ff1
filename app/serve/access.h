// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/api_error.h"
#include "app/serve/http_message.h"

namespace carryover {

/// The rules for who may send requests. A plain value; any thread.
struct AccessRules {
  /// Names by which the server may be called. A web page whose own name was pointed at this machine (DNS rebinding)
  /// calls it by that name, and is refused. Empty: any, for a server that is open to other machines and has a key.
  std::vector<std::string> hosts;
  std::string key;  ///< empty: none is asked for
};

/// localhost, the loopback addresses and `host`; nothing where it stands for every address.
std::vector<std::string> allowed_hosts(const std::string& host);

/// Returns the reason why a request is refused, or nothing. Requests of pages with another origin are always refused:
/// there is no CORS.
std::optional<ApiError> refused_access(const HttpRequest& request, const AccessRules& rules);

bool is_loopback(std::string_view host);  ///< a name or address that other machines can't reach

/// Takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace carryover
