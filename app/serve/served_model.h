// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/serve/model_names.h"
#include "app/serve/seed_source.h"
#include "engine/config/segment_config.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The text of some chat messages as the model was trained on it; with or without the beginning of an answer behind
/// them. `values` is an object of more values for the template. Throws EngineError{BadInput}. Any thread.
using ChatRenderer = std::function<std::string(const nlohmann::json& messages, bool add_generation_prompt,
                                               const nlohmann::json& values)>;

/// The facts about the model that answers need, without its weights. Immutable but for the seeds while the server runs;
/// any thread.
struct ServedModel {
  ModelNames names;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::int64_t vocabulary = 0;
  SegmentConfig config;
  std::shared_ptr<SeedSource> seeds = std::make_shared<SeedSource>();
  std::vector<std::int32_t> stop_ids;
  std::int64_t most_new_tokens = 65536;
  ChatRenderer render_chat;   ///< empty: the model has no template
  std::string chat_template;  ///< its source, for clients that apply it themselves
  std::int64_t created = 0;   ///< seconds since 1970

  /// Returns the tokens of a prompt's text, which may spell special tokens. BOS comes first where the configuration
  /// says so, once: a chat template may have put it there itself. Throws EngineError{BadInput}.
  std::vector<std::int32_t> encode(const std::string& text) const;
  std::vector<std::int32_t> encode_behind(const std::string& text) const;  ///< the same without BOS
};

}  // namespace carryover
