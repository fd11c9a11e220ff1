// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "app/serve/http_message.h"
#include "engine/base/error.h"

namespace carryover {

/// A request that can't be answered, in the form that OpenAI's clients read. Any thread.
class ApiError : public std::runtime_error {
 public:
  /// `param`: the request's wrong field; empty: none. `code`: likewise.
  ApiError(int status, const std::string& message, std::string param = {}, std::string code = {})
      : std::runtime_error(message), status_(status), param_(std::move(param)), code_(std::move(code)) {}

  /// Takes the engine's message, without what a client must not see: a path of this machine, or a bug of this program.
  explicit ApiError(const EngineError& error);

  int status() const { return status_; }
  const std::string& param() const { return param_; }
  const std::string& code() const { return code_; }

 private:
  int status_;
  std::string param_, code_;
};

/// Returns the exception that is being handled in the form for clients; call it in a catch block only. What a client
/// must not see (a bug, a file that can't be read) goes to standard error.
ApiError current_api_error();

/// {"error": {"message", "type", "param", "code"}}
nlohmann::json error_json(const ApiError& error);
HttpReply error_reply(const ApiError& error);

}  // namespace carryover
