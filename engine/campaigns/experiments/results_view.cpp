// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/results_view.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/formats/json_file.h"
#include "engine/statistics/share_interval.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Numbers that means can be made of.
std::int64_t count_of(const json& value) {
  const std::int64_t count = integer_of(value);
  if (count < 0 || count > (std::int64_t{1} << 53)) throw std::out_of_range("a count is out of range");
  return count;
}

double real_of(const json& value) {
  const auto real = value.get<double>();
  if (!(std::fabs(real) <= 1e15)) throw std::out_of_range("a number is out of range");  // so that sums stay finite
  return real;
}

double share_of(const json& value) {
  const auto share = value.get<double>();
  if (!(share >= 0 && share <= 1)) throw std::out_of_range("a share is not between 0 and 1");
  return share;
}

std::string short_text_of(const json& value) {
  auto text = value.get<std::string>();
  if (text.size() > 1000) throw std::out_of_range("a name or title has more than 1000 bytes");
  return text;
}

ResultsView::Condition condition_of(const json& pair) {
  return {short_text_of(pair.at(0)), short_text_of(pair.at(1))};
}

std::vector<ResultsView::Name> names_of(const json& list) {
  std::vector<ResultsView::Name> names;
  std::set<std::string> known;
  for (const json& entry : list) {
    names.push_back({short_text_of(entry.at("name")), short_text_of(entry.at("title"))});
    if (!known.insert(names.back().name).second) throw std::out_of_range("'" + names.back().name + "' stands twice");
  }
  return names;
}

/// Returns the machine and commit that made a cell taken from other results; empty for one of these results.
std::string maker_in(const json& entry) {
  const auto found = entry.find("made_by");
  if (found == entry.end()) return {};
  const std::string commit = found->value("commit", "");
  return found->value("processor", "another machine") + (commit.empty() ? "" : ", commit " + commit);
}

ResultsView::Text text_of(const json& entry) {
  ResultsView::Text text;
  text.file = short_text_of(entry.at("file"));
  for (const json& length : entry.at("lengths"))
    text.lengths.push_back({count_of(length.at("tokens")), count_of(length.at("targets")),
                            real_of(length.at("nll_sum")), real_of(length.at("attention_kv_bytes"))});
  for (const json& bin : entry.at("offsets"))
    text.offsets.push_back({count_of(bin.at(0)), count_of(bin.at(1)), real_of(bin.at(2))});
  if (entry.contains("segments"))
    for (const json& segment : entry.at("segments"))
      text.segments.push_back({count_of(segment.at(0)), real_of(segment.at(1))});
  text.peak_memory_bytes = real_of(entry.at("peak_memory_bytes"));
  text.seconds = real_of(entry.at("seconds"));
  text.made_by = maker_in(entry);
  if (entry.contains("sinks_lost_share")) text.sinks_lost = share_of(entry.at("sinks_lost_share"));
  return text;
}

ResultsView::Run run_of(const json& entry) {
  ResultsView::Run run;
  run.model = entry.at("model").get<std::string>();
  run.condition = {short_text_of(entry.at("recipe")), short_text_of(entry.at("evaluation"))};
  if (!entry.at("seed").is_null()) run.seed = static_cast<std::uint64_t>(count_of(entry.at("seed")));
  run.policy = short_text_of(entry.at("policy"));
  run.prefix = entry.at("prefix").get<std::string>();
  run.dtype = entry.at("dtype").get<std::string>();
  const json& config = entry.at("config");
  run.segment = count_of(config.at("segment_length"));
  run.carry = count_of(config.at("carry_length"));
  run.retrieved = count_of(config.at("retrieval_length"));
  run.sinks = count_of(config.at("sink_length"));
  for (const json& text : entry.at("texts")) run.texts.push_back(text_of(text));
  return run;
}

ResultsView::Training training_of(const json& entry) {
  ResultsView::Training training;
  training.model = entry.at("model").get<std::string>();
  training.recipe = entry.at("recipe").get<std::string>();
  training.seed = static_cast<std::uint64_t>(count_of(entry.at("seed")));
  training.steps = count_of(entry.at("steps"));
  training.tokens = count_of(entry.at("tokens"));
  training.skipped = count_of(entry.at("skipped_steps"));
  training.seconds = real_of(entry.at("seconds"));
  training.peak_memory_bytes = real_of(entry.at("peak_memory_bytes"));
  const json& losses = entry.at("losses");  // of earlier versions, null where no step of a tenth had a number
  if (!losses.empty() && !losses.back().at(1).is_null()) training.last_loss = real_of(losses.back().at(1));
  training.made_by = maker_in(entry);
  return training;
}

ResultsView read(const json& results) {
  ResultsView view;
  if (integer_of(results.at("format")) != kResultsFormat) throw std::out_of_range("its format is another version's");
  view.experiment = results.at("experiment").get<std::string>();
  view.title = results.at("title").get<std::string>();
  view.about = results.at("about").get<std::string>();
  for (const json& length : results.at("lengths")) {
    if (!view.lengths.empty() && count_of(length) <= view.lengths.back())
      throw std::out_of_range("its lengths do not rise");
    view.lengths.push_back(count_of(length));
  }
  if (view.lengths.empty()) throw std::out_of_range("it has no length");
  for (const json& seed : results.at("seeds")) view.seeds.push_back(static_cast<std::uint64_t>(count_of(seed)));
  view.models = names_of(results.at("models"));
  view.recipes = names_of(results.at("recipes"));
  view.evaluations = names_of(results.at("evaluations"));
  for (const json& book : results.at("texts"))
    view.books.push_back(
        {short_text_of(book.at("file")), short_text_of(book.at("title")), short_text_of(book.at("author"))});
  for (const json& entry : results.at("comparisons"))
    view.comparisons.push_back(
        {short_text_of(entry.at("title")), condition_of(entry.at("of")), condition_of(entry.at("against"))});
  for (const json& entry : results.at("runs")) view.runs.push_back(run_of(entry));
  for (const json& entry : results.at("trainings")) view.trainings.push_back(training_of(entry));
  view.unfinished = count_of(results.at("unfinished_cells"));
  if (const json environment = results.value("environment", json()); environment.is_object()) {
    view.processor = environment.value("processor", "");
    view.libraries = environment.value("libraries", "");
    view.version = environment.value("carryover", "");
  }
  view.commit = results.value("commit", "");
  return view;
}

}  // namespace

std::string ResultsView::title_of(const std::vector<Name>& names, const std::string& name) const {
  const auto found = std::ranges::find(names, name, &Name::name);
  return found == names.end() ? name : found->title;
}

std::vector<const ResultsView::Text*> ResultsView::Run::longest_texts() const {
  std::vector<const Text*> longest;
  for (const Text& text : texts) {
    const auto found = std::ranges::find(longest, text.file, [](const Text* one) { return one->file; });
    if (found == longest.end())
      longest.push_back(&text);
    else if (text.longest() > (*found)->longest())
      *found = &text;
  }
  return longest;
}

std::string ResultsView::Run::settings_text() const {
  if (policy != "segmented") return policy;
  std::string text =
      "S " + std::to_string(segment) + ", M " + std::to_string(carry) + ", R " + std::to_string(retrieved);
  if (sinks > 0) text += ", n " + std::to_string(sinks);
  if (retrieved > 0 && prefix != "search") text += ", " + prefix;
  return text;
}

std::vector<ResultsView::Condition> ResultsView::conditions(const std::string& model) const {
  std::vector<Condition> found;
  for (const Name& recipe : recipes)
    for (const Name& evaluation : evaluations) {
      Condition condition{recipe.name, evaluation.name};
      if (!runs_of(model, condition).empty()) found.push_back(std::move(condition));
    }
  return found;
}

std::vector<const ResultsView::Run*> ResultsView::runs_of(const std::string& model, const Condition& condition) const {
  std::vector<const Run*> found;
  for (const Run& run : runs)
    if (run.model == model && run.condition == condition) found.push_back(&run);
  return found;
}

std::map<std::string, double> ResultsView::book_losses(const std::string& model, const Condition& condition,
                                                       std::int64_t length) const {
  struct Mean {
    double sum = 0;
    int seeds = 0;
  };
  std::map<std::string, Mean> means;
  for (const Run* run : runs_of(model, condition))
    for (const Text& text : run->texts) {
      const auto found = std::ranges::find(text.lengths, length, &Length::tokens);
      if (found == text.lengths.end() || found->targets == 0) continue;
      Mean& mean = means[text.file];
      mean.sum += found->nll_sum / static_cast<double>(found->targets);
      ++mean.seeds;
    }
  std::map<std::string, double> losses;
  for (const auto& [file, mean] : means) losses[file] = mean.sum / mean.seeds;
  return losses;
}

std::optional<double> ResultsView::mean_loss(const std::string& model, const Condition& condition,
                                             std::int64_t length) const {
  double sum = 0;
  const auto losses = book_losses(model, condition, length);
  for (const auto& [file, loss] : losses) sum += loss;
  return losses.empty() ? std::nullopt : std::optional(sum / static_cast<double>(losses.size()));
}

std::optional<double> ResultsView::kv_bytes(const std::string& model, const Condition& condition,
                                            std::int64_t length) const {
  std::optional<double> most;
  for (const Run* run : runs_of(model, condition))
    for (const Text& text : run->texts)
      for (const Length& one : text.lengths)
        if (one.tokens == length) most = std::max(most.value_or(0), one.attention_kv_bytes);
  return most;
}

std::optional<ClusterInterval> ResultsView::compared(const std::string& model, const Comparison& comparison,
                                                     std::int64_t length) const {
  const auto of = book_losses(model, comparison.of, length);
  const auto against = book_losses(model, comparison.against, length);
  std::vector<double> differences;
  for (const auto& [file, loss] : of)
    if (const auto other = against.find(file); other != against.end()) differences.push_back(loss - other->second);
  return differences.empty() ? std::nullopt : std::optional(bootstrap_clusters(differences));
}

std::int64_t ResultsView::common_length(const std::string& model) const {
  std::int64_t common = lengths.back();
  std::ptrdiff_t most = 0;
  const auto all = conditions(model);
  for (const std::int64_t length : lengths) {
    const std::ptrdiff_t have = std::ranges::count_if(
        all, [&](const Condition& condition) { return !book_losses(model, condition, length).empty(); });
    if (have >= most) common = length;
    most = std::max(most, have);
  }
  return common;
}

std::optional<ClusterInterval> ResultsView::sinks_lost(const std::string& model, const Condition& condition) const {
  double sum = 0;
  int texts = 0;
  std::set<std::string> files;
  for (const Run* run : runs_of(model, condition))
    for (const Text* text : run->longest_texts()) {
      if (!text->sinks_lost) continue;
      sum += *text->sinks_lost;
      ++texts;
      files.insert(text->file);
    }
  if (texts == 0) return std::nullopt;
  return ClusterInterval{wilson_interval(sum / texts, static_cast<double>(files.size())), std::ssize(files), 0};
}

bool is_drawable(const ResultsView& results) {
  constexpr std::size_t most_lookups = 300'000;            ///< of a run by recipe and evaluation
  constexpr std::size_t most_numbers = 1'000'000;          ///< of texts
  constexpr std::size_t most_draws = 200'000'000;          ///< of books, by the bootstraps
  constexpr std::size_t resamples = 10'000, sorting = 20;  ///< of a bootstrap; in draws of each
  std::size_t numbers = 0;
  std::set<std::string_view> files;
  for (const ResultsView::Run& run : results.runs)
    for (const ResultsView::Text& text : run.texts) {
      numbers += 1 + text.lengths.size() + text.segments.size();
      files.insert(text.file);
    }
  const auto product_is_within = [](std::size_t most, std::initializer_list<std::size_t> factors) {
    for (const std::size_t factor : factors) {
      if (factor > most) return false;
      if (factor > 0) most /= factor;
    }
    return true;
  };
  const std::size_t lengths = results.lengths.size();
  return product_is_within(most_lookups, {results.recipes.size(), results.evaluations.size(), results.runs.size()}) &&
         product_is_within(most_numbers, {lengths, numbers}) &&
         product_is_within(most_draws / resamples, {results.comparisons.size(), lengths, files.size() + sorting});
}

ResultsView results_view(const json& results, const std::string& where) {
  try {
    return read(results);
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("has the wrong fields: ") + error.what(),
                      "Use a results.json that `carryover experiment` wrote.");
  } catch (const std::out_of_range& error) {
    throw EngineError(Fault::BadInput, where, std::string("is not usable: ") + error.what(),
                      "Use a results.json that `carryover experiment` wrote.");
  }
}

}  // namespace carryover
