// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/base/error.h"
#include "engine/hub/hub_name.h"
#include "engine/hub/hub_settings.h"
#include "engine/hub/web_get.h"

namespace carryover {

/// Returns true for a reply that may be another one soon: no reply or half of one, a server that fails or is busy.
bool is_worth_another_try(const WebReply& reply);

/// Returns a reply's problem in a few words: "huggingface.co: 503".
std::string short_reason(const WebReply& reply);

/// Returns what a hub's refusal means, and what to do. It never has the token.
EngineError hub_error(const WebReply& reply, const HubName& name, const HubSettings& settings);

}  // namespace carryover
