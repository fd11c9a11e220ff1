// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/recall_order.h"

#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "engine/data/needles.h"
#include "engine/data/text_source.h"
#include "engine/formats/fingerprint.h"

namespace carryover {

RecallHeadsRequest make_recall_request(const RecallOrder& order, const ModelConfig& model, const Tokenizer& tokenizer) {
  if (order.texts.empty())
    throw EngineError(Fault::Usage, "heads for recall", "have no text to be found in", "Name a novel, or several.");
  if (order.segments < kLeastNeedleSegments)
    throw EngineError(Fault::Usage, "heads for recall",
                      "need documents of 2 segments or more: needles lie before the last one",
                      "Use 2 segments or more.");
  if (order.needles > kMostNeedlesToChooseBy)
    throw EngineError(Fault::Usage, "heads for recall",
                      "there are words for " + std::to_string(kMostNeedlesToChooseBy) +
                          " needles of each kind in a document, and " + std::to_string(order.needles) + " are wanted",
                      "Use " + std::to_string(kMostNeedlesToChooseBy) + " needles or fewer.");
  RecallHeadsRequest request;
  request.config = recall_preset(model, SegmentConfig::untrained_defaults_for(model));
  request.held_out = order.held_out;
  request.most_searchers = order.searchers;
  request.loss_rise = order.loss_rise;
  std::vector<std::vector<std::int32_t>> books;
  for (const std::string& path : order.texts) books.push_back(tokenizer.encode(read_text(path)));
  const NeedlePlan plan{request.config.segment_length, order.segments,    order.needles, 0,
                        NeedleWords::Choose,           request.config.bos};
  request.documents = make_documents(plan, books, tokenizer, order.documents, static_cast<std::uint64_t>(order.seed));
  return request;
}

std::string recall_inputs(const RecallHeadsRequest& request, const ModelInfo& model) {
  using nlohmann::json;
  Fingerprint inputs;
  inputs.add(json{model.weights_hash, std::string(dtype_name(model.dtype)), request.config, request.held_out,
                  request.most_searchers, request.loss_rise}
                 .dump());
  for (const NeedleDocument& document : request.documents) {
    inputs.add(std::as_bytes(std::span(document.ids)));
    for (const Needle& needle : document.needles) inputs.add(json{needle.kind, needle.position, needle.value}.dump());
  }
  return inputs.hex();
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
