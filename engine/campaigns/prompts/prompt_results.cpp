// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/prompts/prompt_results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/text_parts.h"
#include "engine/campaigns/kernel/text_tables.h"
#include "engine/statistics/cluster_bootstrap.h"
#include "engine/statistics/median.h"
#include "engine/statistics/share_interval.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Share of the tokens of a target that are among `read`; the best of those that stand before `start`.
std::optional<double> best_share(const std::vector<TokenRange>& targets, const std::set<std::int64_t>& read,
                                 std::int64_t start) {
  std::optional<double> best;
  for (const TokenRange& target : targets) {
    if (target.last > start) continue;
    std::int64_t found = 0;
    for (std::int64_t position = target.first; position < target.last; ++position) found += read.contains(position);
    const double share = static_cast<double>(found) / static_cast<double>(target.last - target.first);
    best = std::max(best.value_or(0), share);
  }
  return best;
}

/// Takes in a run segment by segment.
class Measuring {
 public:
  Measuring(const PromptTokens& tokens, std::int64_t run_tokens)
      : tokens_(tokens), asked_(tokens.answer.first < tokens.answer.last ? tokens.answer.first : run_tokens) {}

  void take(const SegmentSnapshot& segment) {
    const std::int64_t start = segment.record.first_token;
    std::set<std::int64_t> read;
    for (const HeadHits& head : segment.hits)
      for (const Hit& hit : head.hits) {
        if (hit.kind == HitKind::Padding) continue;
        distances_.push_back(static_cast<double>(start - hit.position));
        read.insert(hit.position);
      }
    if (asked_ > start && asked_ <= start + segment.record.length) recall_ = best_share(tokens_.targets, read, start);
    for (std::size_t j = 0; j < segment.target_nll.size(); ++j)
      if (tokens_.answer.contains(start + static_cast<std::int64_t>(j) + 1)) {
        answer_ += static_cast<double>(segment.target_nll[j]);
        ++answered_;
      }
  }

  PromptMeasures result(const RunSummary& summary) const {
    PromptMeasures measures{summary.tokens, summary.targets, summary.nll_mean(), {}, {}, recall_};
    if (!distances_.empty()) measures.hit_distance = median_of(distances_);
    if (answered_ > 0) measures.answer_loss = answer_ / static_cast<double>(answered_);
    return measures;
  }

 private:
  const PromptTokens& tokens_;
  std::int64_t asked_;  ///< the token before it is the last that is read before the answer
  std::vector<double> distances_;
  std::optional<double> recall_;
  double answer_ = 0;
  std::int64_t answered_ = 0;
};

std::optional<double> difference(const std::optional<double>& of, const std::optional<double>& from) {
  return of && from ? std::optional(*of - *from) : std::nullopt;
}

/// Returns the mean of the examples that have a value, its interval and their number; null where none has one.
json interval_json(const PromptColumn& column, const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const MeanInterval interval = slice_interval(column, values);
  const bool known = interval.has_bounds();
  return {{"mean", interval.mean},
          {"low", known ? json(interval.low) : json()},
          {"high", known ? json(interval.high) : json()},
          {"examples", values.size()}};
}

json slice_json(const std::vector<PromptResult>& results, const std::optional<std::string>& tag) {
  json slice{{"tag", tag ? json(*tag) : json()}};
  std::vector<const PromptResult*> members;
  for (const PromptResult& result : results)
    if (result.error.empty() && (!tag || std::ranges::find(result.tags, *tag) != result.tags.end()))
      members.push_back(&result);
  slice["examples"] = members.size();
  for (const PromptColumn& column : prompt_columns()) {
    std::vector<double> values;
    for (const PromptResult* member : members)
      if (const auto value = column.value(*member)) values.push_back(*value);
    slice[column.key] = interval_json(column, values);
  }
  return slice;
}

json example_json(const PromptResult& result) {
  json example{{"name", result.name}, {"tags", result.tags}, {"folder", result.folder}};
  if (!result.against_folder.empty()) example["against_folder"] = result.against_folder;
  if (!result.error.empty()) {
    example["error"] = result.error;
    return example;
  }
  example["tokens"] = result.own.tokens;
  example["targets"] = result.own.targets;
  for (const PromptColumn& column : prompt_columns()) {
    const auto value = column.value(result);
    example[column.key] = value ? json(*value) : json();
  }
  return example;
}

/// Shortest digits that give the number back; empty for null.
std::string csv_number(const json& value) {
  if (!value.is_number()) return "";
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  std::string text;
  append_digits(text, value.get<double>());
  return text;
}

/// Rounds as the window does: halfway cases away from zero.
std::string rounded_text(double value, int digits) {
  const double beyond = std::copysign(std::numeric_limits<double>::infinity(), value);
  return fixed_text(std::nextafter(value, beyond), digits);
}

std::string slice_name(const json& slice) {
  return slice.at("tag").is_null() ? "all" : slice.at("tag").get<std::string>();
}

}  // namespace

PromptMeasures measure_prompt(const RunContents& run, const PromptTokens& tokens) {
  Measuring measuring(tokens, run.summary.tokens);
  for (int segment = 0; segment < run.segments->count(); ++segment) measuring.take(*run.segments->load(segment));
  return measuring.result(run.summary);
}

const std::vector<PromptColumn>& prompt_columns() {
  static const std::vector<PromptColumn> columns{
      {"loss", "loss", 3, false, [](const PromptResult& result) { return result.own.loss; }},
      {"answer_loss", "answer loss", 3, false, [](const PromptResult& result) { return result.own.answer_loss; }},
      {"hit_distance", "hit distance", 0, false, [](const PromptResult& result) { return result.own.hit_distance; }},
      {"recall", "recall", 3, true, [](const PromptResult& result) { return result.own.recall; }},
      {"delta_loss", "Δ loss", 3, false,
       [](const PromptResult& result) {
         return result.against ? difference(result.against->loss, result.own.loss) : std::nullopt;
       }},
      {"delta_answer_loss", "Δ answer loss", 3, false, [](const PromptResult& result) {
         return result.against ? difference(result.against->answer_loss, result.own.answer_loss) : std::nullopt;
       }}};
  return columns;
}

MeanInterval slice_interval(const PromptColumn& column, const std::vector<double>& values) {
  const MeanInterval drawn = bootstrap_clusters(values).interval;
  return column.share ? wilson_interval(drawn.mean, static_cast<double>(values.size())) : drawn;
}

json prompt_results_json(const std::vector<PromptResult>& results) {
  std::vector<std::string> tags;  // in the file's order, which is its author's
  json examples = json::array();
  for (const PromptResult& result : results) {
    for (const std::string& tag : result.tags)
      if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
    examples.push_back(example_json(result));
  }
  json slices = json::array({slice_json(results, std::nullopt)});
  for (const std::string& tag : tags) slices.push_back(slice_json(results, tag));
  return {{"examples", std::move(examples)}, {"slices", std::move(slices)}};
}

std::string prompt_examples_csv(const json& results) {
  TableRow head{"name", "tags", "folder", "error", "tokens", "targets"};
  for (const PromptColumn& column : prompt_columns()) head.emplace_back(column.key);
  std::string text = csv_row(head);
  for (const json& example : results.at("examples")) {
    std::string tags;
    for (const json& tag : example.at("tags")) tags += (tags.empty() ? "" : ";") + tag.get<std::string>();
    const auto text_of = [&](const char* key) { return example.value(key, std::string()); };
    TableRow row{text_of("name"), tags, text_of("folder"), text_of("error")};
    for (std::size_t i = row.size(); i < head.size(); ++i) row.push_back(csv_number(example.value(head[i], json())));
    text += csv_row(row);
  }
  return text;
}

std::string prompt_slices_csv(const json& results) {
  std::string text = csv_row({"slice", "measure", "examples", "mean", "low", "high"});
  for (const json& slice : results.at("slices"))
    for (const PromptColumn& column : prompt_columns()) {
      const json& interval = slice.at(column.key);
      if (interval.is_null()) continue;
      TableRow row{slice_name(slice), column.key};
      for (const char* key : {"examples", "mean", "low", "high"}) row.push_back(csv_number(interval.at(key)));
      text += csv_row(row);
    }
  return text;
}

std::string prompt_table(const json& results) {
  const json& slices = results.at("slices");
  std::vector<const PromptColumn*> shown;  // that some example has
  for (const PromptColumn& column : prompt_columns())
    if (!slices.at(0).at(column.key).is_null()) shown.push_back(&column);
  TableRow head{"slice", "examples"};
  for (const PromptColumn* column : shown) head.emplace_back(column->title);
  std::vector<TableRow> rows;
  for (const json& slice : slices) {
    TableRow row{slice_name(slice), slice.at("examples").dump()};
    for (const PromptColumn* column : shown) {
      const json& interval = slice.at(column->key);
      const auto number = [&](const char* key) {
        return interval.at(key).is_null() ? std::nan("") : interval.at(key).get<double>();
      };
      const auto text = [&](double value) { return rounded_text(value, column->digits); };
      row.push_back(interval.is_null() ? std::string()
                                       : interval_text({number("mean"), number("low"), number("high")},
                                                       interval.at("examples").get<std::int64_t>(), text));
    }
    rows.push_back(std::move(row));
  }
  return markdown_table(head, rows);
}

}  // namespace carryover
