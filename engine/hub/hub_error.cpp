// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/hub_error.h"

#include "engine/base/utf8.h"

namespace carryover {

namespace {

constexpr int kTooMany = 429, kServerFails = 500;

/// Returns a server's own words, as far as they are few.
std::string quoted(const WebReply& reply) {
  constexpr std::size_t kLongest = 200;
  std::string words = reply.error_message.substr(0, kLongest);
  return words.empty() ? words : ": " + take_utf8(words, /*last=*/true);
}

EngineError refused(const WebReply& reply, const HubName& name, const HubSettings& settings) {
  const auto error = [&](const std::string& problem, const std::string& advice) {
    return EngineError(Fault::Io, name.text(), problem, advice);
  };
  const std::string page = settings.endpoint + "/" + name.repository;
  const bool has_token = !settings.token.empty();
  if (reply.error_code == "GatedRepo")
    return error("is gated: who wants it has to accept its terms first",
                 "Accept them at " + page +
                     (has_token ? ", with the account that your token is of."
                                : ", then set HF_TOKEN to a token of your account."));
  if (reply.error_code == "RevisionNotFound")
    return error("has no revision '" + name.revision + "'", "See its branches and tags at " + page + "/tree/main.");
  if (reply.status == 401 && has_token && reply.error_code != "RepoNotFound")
    return error("can't be fetched: " + reply.server + " does not accept your token" + quoted(reply),
                 "Set HF_TOKEN to a token that is valid, or to none and log out of `hf`.");
  if (reply.error_code == "RepoNotFound" || reply.status == 401)
    return error("is neither here nor on " + reply.server + ", or it is private",
                 "Check the name; for a private model, set HF_TOKEN to a token that may read it.");
  if (reply.status == 404) return error("is not on " + reply.server + quoted(reply), "Check the name.");
  if (reply.status == 403)
    return error("can't be fetched: " + reply.server + " refuses it" + quoted(reply),
                 "Look at " + page + "; your token may lack the right to read it.");
  return error("can't be fetched: " + reply.server + " answers " + std::to_string(reply.status) + quoted(reply),
               "Try again later.");
}

}  // namespace

bool is_worth_another_try(const WebReply& reply) {
  if (!reply.problem.empty()) return !reply.lasting;
  return reply.status == kTooMany || reply.status == 408 || reply.status >= kServerFails;
}

std::string short_reason(const WebReply& reply) {
  return reply.server + ": " + (reply.problem.empty() ? std::to_string(reply.status) : reply.problem);
}

EngineError hub_error(const WebReply& reply, const HubName& name, const HubSettings& settings) {
  if (!reply.problem.empty())
    return {Fault::Io, name.text(), "can't be fetched: " + short_reason(reply),
            "Check the connection and try again: what has come is kept. HF_ENDPOINT names another hub."};
  if (reply.status == kTooMany)
    return {Fault::Io, name.text(), "can't be fetched now: " + reply.server + " has had too many requests (429)",
            settings.token.empty() ? "Wait some minutes, or set HF_TOKEN: people with an account may ask for more."
                                   : "Wait some minutes."};
  return refused(reply, name, settings);
}

}  // namespace carryover
