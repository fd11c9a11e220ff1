// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/api_error.h"

#include <nlohmann/json.hpp>

#include "engine/base/current_error.h"
#include "engine/base/terminal_text.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

int status_of(Fault fault) {
  switch (fault) {
    case Fault::Usage:
    case Fault::BadInput:
    case Fault::Unsupported:
      return 400;
    case Fault::OutOfMemory:
      return 413;  // a shorter text would fit
    case Fault::Cancelled:
      return 503;
    case Fault::Io:
    case Fault::Shape:
    case Fault::Internal:
      return 500;
  }
  return 500;
}

std::string message_of(const EngineError& error) {
  if (error.fault() == Fault::Cancelled) return "The server is stopping.";
  if (status_of(error.fault()) == 500) return "The request failed; the server's own log says why.";
  const bool is_path = error.where().find('/') != std::string::npos;
  std::string message = is_path ? error.problem() : error.where() + " " + error.problem();
  if (!error.advice().empty()) message += ". " + error.advice();
  return message;
}

std::string code_of(Fault fault) {
  if (fault == Fault::OutOfMemory) return "out_of_memory";
  return fault == Fault::Unsupported ? "unsupported" : "";
}

const char* type_of(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403 || status == 421) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

}  // namespace

ApiError::ApiError(const EngineError& error)
    : ApiError(status_of(error.fault()), message_of(error), {}, code_of(error.fault())) {}

ApiError current_api_error() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error;
  } catch (...) {
    const EngineError error = current_error();
    ApiError told(error);
    if (told.status() == 500) print_error_line(std::string("carryover: ") + error.what());
    return told;
  }
}

nlohmann::json error_json(const ApiError& error) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
  };
  return {{"error",
           {{"message", error.what()},
            {"type", type_of(error.status())},
            {"param", text_or_null(error.param())},
            {"code", text_or_null(error.code())}}}};
}

HttpReply error_reply(const ApiError& error) {
  HttpReply reply{error.status(), json_text(error_json(error))};
  if (error.status() == 401) reply.more.emplace_back("WWW-Authenticate", "Bearer");
  if (error.status() == 429 || error.status() == 503) reply.more.emplace_back("Retry-After", "1");
  return reply;
}

}  // namespace carryover
