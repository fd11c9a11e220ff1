// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/recall_order.h"

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/config/recall_preset.h"
#include "engine/data/needles.h"
#include "engine/data/text_source.h"

namespace carryover {

RecallHeadsRequest make_recall_request(const RecallOrder& order, const ModelConfig& model, const Tokenizer& tokenizer) {
  if (order.texts.empty())
    throw EngineError(Fault::Usage, "heads for recall", "have no text to be found in", "Name a novel, or several.");
  RecallHeadsRequest request;
  request.config = recall_preset(model, SegmentConfig::untrained_defaults_for(model));
  // Who searches is what is looked for; where none are known the settings need a name.
  if (request.config.search_heads.empty()) request.config.search_heads = {{0, 0}};
  request.held_out = order.held_out;
  request.most_searchers = order.searchers;
  request.loss_rise = order.loss_rise;
  std::vector<std::vector<std::int32_t>> books;
  for (const std::string& path : order.texts) books.push_back(tokenizer.encode(read_text(path)));
  const NeedlePlan plan{request.config.segment_length, order.segments, order.needles, 0, NeedleWords::Choose};
  request.documents = make_documents(plan, books, tokenizer, order.documents, static_cast<std::uint64_t>(order.seed));
  return request;
}

std::vector<std::string> recall_words(const RecallOrder& order) {
  std::vector<std::string> words = order.texts;
  words.emplace_back("--recall");
  const auto add = [&words](const char* flag, std::int64_t value) {
    words.insert(words.end(), {flag, std::to_string(value)});
  };
  add("--documents", order.documents);
  add("--held-out", order.held_out);
  add("--segments", order.segments);
  add("--needles", order.needles);
  add("--searchers", order.searchers);
  words.insert(words.end(), {"--loss-rise", nlohmann::json(order.loss_rise).dump()});
  add("--seed", order.seed);
  return words;
}

nlohmann::json recall_grouping_json(const RecallHeads& heads) {
  nlohmann::json grouping = heads.readers.back().readers;
  grouping["search"] = "shared";
  grouping["search_heads"] = heads.search_heads();
  return grouping;
}

}  // namespace carryover
