// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// A hub, and how this user reaches it. A plain value.
struct HubSettings {
  std::string endpoint;      ///< "https://huggingface.co", without a slash at its end
  std::string token;         ///< empty: none. Only the endpoint's server gets it, and no message has it
  std::string cache;         ///< folder of huggingface_hub's layout; empty if the user has none
  bool offline = false;      ///< nothing may be asked of the hub
  double first_pause = 1.0;  ///< seconds between a first and a second try; each further pause is twice as long
};

/// Reads HF_ENDPOINT, HF_TOKEN (else the file of HF_TOKEN_PATH, else the one that `hf auth login` writes), HF_HUB_CACHE
/// and its kin, and HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE, as huggingface_hub does. No other thread may change the
/// environment meanwhile. Throws EngineError{Usage} if HF_ENDPOINT is no address or HF_TOKEN no token.
HubSettings hub_settings();

}  // namespace carryover
