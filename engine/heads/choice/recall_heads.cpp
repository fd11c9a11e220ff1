// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/recall_heads.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/heads/choice/head_agreement.h"

namespace carryover {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_file(const std::string& where, const std::string& what) {
  throw EngineError(Fault::BadInput, where, what, "Remove the file, and let the heads be found again.");
}

const json& member(const json& object, const char* key, const std::string& where) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) refuse_file(where, std::string("has no ") + key);
  return *found;
}

const json& list(const json& object, const char* key, const std::string& where) {
  const json& found = member(object, key, where);
  if (!found.is_array()) refuse_file(where, std::string(key) + " is not a list");
  return found;
}

double number(const json& object, const char* key, const std::string& where, double most) {
  const double value = read_real(member(object, key, where), where, key);
  if (!(value >= 0 && value <= most)) refuse_file(where, std::string(key) + " is out of range");
  return value;
}

constexpr double kMostLoss = 1e6;
constexpr std::int64_t kMostEntryBytes = std::int64_t{1} << 32;  ///< times the tokens of any text, no overflow

SearcherStep searcher_from(const json& object, const ModelConfig& model, const std::string& where) {
  const json& head = list(object, "head", where);
  if (head.size() != 2) refuse_file(where, "head is not [layer, head]");
  const std::int64_t layer = read_integer(head[0], where, "head"), index = read_integer(head[1], where, "head");
  if (layer < 0 || layer >= model.layers || index < 0 || index >= model.heads)
    refuse_file(where, "names a head that the model lacks");
  return {{static_cast<int>(layer), static_cast<int>(index)},
          {number(object, "found", where, 1), number(object, "found_held_out", where, 1)},
          number(object, "log_rank", where, 64)};
}

ReaderStep reader_from(const json& object, const ModelConfig& model, const std::string& where) {
  ReaderStep step;
  step.readers = member(object, "readers", where).get<Grouping>();
  step.readers.validate(model);
  step.loss = number(object, "loss", where, kMostLoss);
  step.answered = number(object, "answered", where, 1);
  step.entry_bytes = read_integer(member(object, "entry_bytes", where), where, "entry_bytes");
  if (step.entry_bytes < 0 || step.entry_bytes > kMostEntryBytes) refuse_file(where, "entry_bytes is out of range");
  return step;
}

std::string percent(double share) {
  return fixed_text(100 * share, 1) + " %";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

}  // namespace

std::vector<HeadRef> RecallHeads::search_heads() const {
  std::vector<HeadRef> heads;
  for (const SearcherStep& step : searchers) heads.push_back(step.head);
  std::ranges::sort(heads);
  return heads;
}

SegmentConfig with_recall_heads(SegmentConfig config, const RecallHeads& heads) {
  if (!heads.searchers.empty()) config.search_heads = heads.search_heads();
  if (!heads.readers.empty()) config.grouping = heads.readers.back().readers;
  return config;
}

void to_json(json& out, const RecallHeads& heads) {
  json searchers = json::array(), readers = json::array();
  for (const SearcherStep& step : heads.searchers)
    searchers.push_back({{"head", step.head},
                         {"found", step.found.chosen_by},
                         {"found_held_out", step.found.held_out},
                         {"log_rank", step.log_rank}});
  for (const ReaderStep& step : heads.readers)
    readers.push_back({{"readers", step.readers},
                       {"loss", step.loss},
                       {"answered", step.answered},
                       {"entry_bytes", step.entry_bytes}});
  out = {{"found_alone", heads.found.values.empty() ? json() : head_score_json(heads.found)},
         {"searchers", searchers},
         {"all_searchers", heads.all_searchers},
         {"loss_without", heads.loss_without},
         {"answered_without", heads.answered_without},
         {"readers", readers},
         {"complete", heads.complete}};
}

RecallHeads recall_heads_from_json(const json& told, const ModelConfig& model, const std::string& where) {
  RecallHeads heads;
  if (const json& found = member(told, "found_alone", where); !found.is_null())
    heads.found = scores_from_json(found, model, where);
  for (const json& step : list(told, "searchers", where)) heads.searchers.push_back(searcher_from(step, model, where));
  heads.all_searchers = read_flag(member(told, "all_searchers", where), where, "all_searchers");
  heads.loss_without = number(told, "loss_without", where, kMostLoss);
  heads.answered_without = number(told, "answered_without", where, 1);
  for (const json& step : list(told, "readers", where)) heads.readers.push_back(reader_from(step, model, where));
  heads.complete = read_flag(member(told, "complete", where), where, "complete");
  if (heads.all_searchers && (heads.searchers.empty() || heads.found.values.empty()))
    refuse_file(where, "has no searchers, and says that all are found");
  if (heads.complete && (!heads.all_searchers || heads.readers.empty()))
    refuse_file(where, "has no readers, and says that it is complete");
  return heads;
}

std::string recall_heads_text(const RecallHeads& heads, std::int64_t tokens) {
  std::string text =
      "searchers, and the share of answers that lie in the windows that they find together\n"
      "  head      found   held out  alone\n";
  for (const SearcherStep& step : heads.searchers)
    text += "  " + padded(text_of_heads({step.head}), 6) + padded(percent(step.found.chosen_by), 9) +
            padded(percent(step.found.held_out), 11) +
            padded(heads.found.values.empty() ? "" : percent(heads.found.at(step.head.layer, step.head.head)), 9) +
            "\n";
  text += "readers, with the needle in their prefix; the pool's bytes for " + std::to_string(tokens) + " tokens\n" +
          "  layers  heads  pool, MiB    loss  answered\n";
  for (const ReaderStep& step : heads.readers)
    text += padded(std::to_string(step.readers.long_range_layers().size()), 8) +
            padded(std::to_string(retrieving_heads(step.readers).size()), 7) +
            padded(fixed_text(static_cast<double>(step.entry_bytes * tokens) / (1 << 20), 1), 11) +
            padded(fixed_text(step.loss, 3), 8) + padded(percent(step.answered), 10) + "\n";
  return text + "  none                       " + padded(fixed_text(heads.loss_without, 3), 8) +
         padded(percent(heads.answered_without), 10) + "\n";
}

}  // namespace carryover
