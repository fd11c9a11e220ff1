// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/text_parts.h"
#include "engine/campaigns/experiments/experiment_frontier.h"
#include "engine/campaigns/experiments/results_view.h"
#include "engine/campaigns/kernel/text_tables.h"
#include "engine/statistics/cluster_bootstrap.h"

namespace carryover {

namespace {

using Condition = ResultsView::Condition;
using Losses = std::map<std::string, double>;

std::string lost_text(const std::optional<ClusterInterval>& share) {
  if (!share) return "";
  const auto percent = [](double value) { return fixed_text(100 * value, 1); };
  const MeanInterval& interval = share->interval;
  return percent(interval.mean) + " % " +
         (interval.has_bounds() ? "[" + percent(interval.low) + ", " + percent(interval.high) + "]"
                                : "(n = " + std::to_string(share->clusters) + ")");
}

class Report {
 public:
  explicit Report(const ResultsView& view) : view_(view) {}

  std::string table(const std::string& model, TableFormat format) const;
  std::string by_text(const std::string& model) const;
  std::string csv() const;
  std::string comparisons(const std::string& model) const;
  std::string offsets(const std::string& model) const;
  std::string frontier(const std::string& model) const;
  std::string trainings(const std::string& model) const;
  std::string machine() const;
  std::map<std::string, std::size_t> cells_from_elsewhere() const;  ///< by where they were made

 private:
  /// Returns true if any run measured its sinks; runs of earlier versions did not.
  bool has_sinks(const std::string& model) const {
    return std::ranges::any_of(view_.conditions(model), [&](const Condition& condition) {
      return view_.sinks_lost(model, condition).has_value();
    });
  }
  TableRow titles(const Condition& condition) const {
    return {view_.title_of(view_.recipes, condition.recipe), view_.title_of(view_.evaluations, condition.evaluation)};
  }
  std::optional<TableRow> comparison(const std::string& model, const ResultsView::Comparison& comparison,
                                     std::int64_t length) const;
  std::map<std::int64_t, double> offset_losses(const std::string& model, const Condition& condition) const;

  const ResultsView& view_;
};

std::string Report::table(const std::string& model, TableFormat format) const {
  TableRow head{"recipe", "evaluation", "settings"};
  for (const std::int64_t length : view_.lengths) head.push_back(std::to_string(length) + " tokens");
  head.insert(head.end(), {"books", "seeds"});
  const bool sinks = has_sinks(model);
  if (sinks) head.emplace_back("sinks lost");
  std::vector<TableRow> rows;
  for (const Condition& condition : view_.conditions(model)) {
    const auto runs = view_.runs_of(model, condition);
    TableRow row = titles(condition);
    row.push_back(runs.front()->settings_text());
    std::size_t books = 0;
    for (const std::int64_t length : view_.lengths) {
      const auto loss = view_.mean_loss(model, condition, length);
      row.push_back(loss ? fixed_text(std::exp(*loss), 2) : "");
      books = std::max(books, view_.book_losses(model, condition, length).size());
    }
    row.insert(row.end(), {std::to_string(books), std::to_string(runs.size())});
    if (sinks) row.push_back(lost_text(view_.sinks_lost(model, condition)));
    rows.push_back(std::move(row));
  }
  return text_table(format, head, rows, 3);
}

/// Returns a table of each text's perplexity at one length.
std::string Report::by_text(const std::string& model) const {
  const std::int64_t length = view_.common_length(model);
  TableRow head{"recipe", "evaluation"};
  for (const ResultsView::Book& book : view_.books)
    head.push_back(book.title + (book.author.empty() ? "" : ", " + book.author));
  std::vector<TableRow> rows;
  for (const Condition& condition : view_.conditions(model)) {
    const Losses losses = view_.book_losses(model, condition, length);
    if (losses.empty()) continue;
    TableRow row = titles(condition);
    for (const ResultsView::Book& book : view_.books) {
      const auto found = losses.find(book.file);
      row.push_back(found == losses.end() ? "" : fixed_text(std::exp(found->second), 2));
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return {};
  return wrapped_text("Perplexity of the first " + std::to_string(length) +
                      " tokens of each text: the exponential of its mean loss over the seeds.") +
         "\n" + markdown_table(head, rows);
}

std::string Report::csv() const {
  TableRow head{"model",
                "recipe",
                "evaluation",
                "seed",
                "text",
                "tokens",
                "targets",
                "loss",
                "perplexity",
                "attention_kv_bytes",
                "peak_memory_bytes",
                "seconds"};
  const bool sinks = std::ranges::any_of(view_.models, [&](const auto& model) { return has_sinks(model.name); });
  if (sinks) head.emplace_back("sinks_lost_share");
  std::string text = csv_row(head);
  for (const ResultsView::Run& run : view_.runs)
    for (const ResultsView::Text& entry : run.texts)
      for (const ResultsView::Length& length : entry.lengths) {
        if (length.targets == 0) continue;
        const double loss = length.nll_sum / static_cast<double>(length.targets);
        TableRow row{run.model,
                     run.condition.recipe,
                     run.condition.evaluation,
                     run.seed ? std::to_string(*run.seed) : "",
                     entry.file,
                     std::to_string(length.tokens),
                     std::to_string(length.targets),
                     fixed_text(loss, 6),
                     fixed_text(std::exp(loss), 4),
                     fixed_text(length.attention_kv_bytes, 0),
                     fixed_text(entry.peak_memory_bytes, 0),
                     fixed_text(entry.seconds, 1)};
        if (sinks) row.push_back(entry.sinks_lost ? fixed_text(*entry.sinks_lost, 4) : "");
        text += csv_row(row);
      }
  return text;
}

/// Books that both sides have; nothing where there is none.
std::optional<TableRow> Report::comparison(const std::string& model, const ResultsView::Comparison& comparison,
                                           std::int64_t length) const {
  const auto found = view_.compared(model, comparison, length);
  if (!found) return std::nullopt;
  const MeanInterval& interval = found->interval;
  return TableRow{comparison.title,
                  std::to_string(length),
                  signed_fixed_text(interval.mean, 3),
                  interval.has_bounds()
                      ? signed_fixed_text(interval.low, 3) + " … " + signed_fixed_text(interval.high, 3)
                      : "n = " + std::to_string(found->clusters),
                  signed_fixed_text(100 * std::expm1(interval.mean), 1) + " %",
                  std::to_string(found->below) + " of " + std::to_string(found->clusters)};
}

std::string Report::comparisons(const std::string& model) const {
  std::vector<TableRow> rows;
  for (const ResultsView::Comparison& one : view_.comparisons)
    for (const std::int64_t length : view_.lengths)
      if (auto row = comparison(model, one, length)) rows.push_back(std::move(*row));
  if (rows.empty()) return {};
  return wrapped_text(
             "Difference of the mean loss, in nats per target, and relative difference of the perplexity. Below 0, "
             "the first of the two is better. The 95 % interval is the percentile interval of a bootstrap that draws "
             "books with replacement; the value of a book is the mean over its seeds.") +
         "\n" +
         markdown_table({"comparison", "tokens", "Δ loss", "95 %", "perplexity", "books with a lower loss"}, rows);
}

/// Mean over books and seeds of the loss of each bin, by the bin's first offset.
std::map<std::int64_t, double> Report::offset_losses(const std::string& model, const Condition& condition) const {
  struct Mean {
    double sum = 0;
    int count = 0;
  };
  std::map<std::int64_t, Mean> means;
  for (const ResultsView::Run* run : view_.runs_of(model, condition))
    for (const ResultsView::Text* text : run->longest_texts())
      for (const ResultsView::OffsetBin& bin : text->offsets) {
        if (bin.targets == 0) continue;
        Mean& mean = means[bin.first];
        mean.sum += bin.nll_sum / static_cast<double>(bin.targets);
        ++mean.count;
      }
  std::map<std::int64_t, double> losses;
  for (const auto& [first, mean] : means) losses[first] = mean.sum / mean.count;
  return losses;
}

std::string Report::offsets(const std::string& model) const {
  std::set<std::int64_t> bins;
  for (const Condition& condition : view_.conditions(model))
    for (const auto& [first, loss] : offset_losses(model, condition)) bins.insert(first);
  if (bins.empty()) return {};
  TableRow head{"recipe", "evaluation"};
  for (const std::int64_t first : bins)
    head.push_back(first < 2 ? std::to_string(first) : std::to_string(first) + "–" + std::to_string(2 * first - 1));
  std::vector<TableRow> rows;
  for (const Condition& condition : view_.conditions(model)) {
    const auto losses = offset_losses(model, condition);
    TableRow row = titles(condition);
    for (const std::int64_t first : bins) {
      const auto found = losses.find(first);
      row.push_back(found == losses.end() ? "" : fixed_text(found->second, 3));
    }
    rows.push_back(std::move(row));
  }
  return wrapped_text(
             "Loss, in nats per target, by the offset within its segment of the token that makes the prediction, in "
             "segments after the first; mean over books and seeds.") +
         "\n" + markdown_table(head, rows);
}

std::string Report::frontier(const std::string& model) const {
  const ExperimentFrontier found = experiment_frontier(view_, model, view_.common_length(model));
  if (found.conditions.empty()) return {};
  std::vector<TableRow> rows;
  for (const FrontierCondition& one : found.conditions) {
    TableRow row = titles(one.condition);
    row.insert(row.end(), {fixed_text(one.bytes / (1 << 20), 2),
                           found.full_bytes > 0 ? fixed_text(one.bytes / found.full_bytes, 3) : "",
                           fixed_text(std::exp(one.loss), 2), one.best ? "•" : ""});
    rows.push_back(std::move(row));
  }
  return wrapped_text("Perplexity at " + std::to_string(found.length) +
                      " tokens against attention-visible KV, in the dtype of the run. • marks the frontier: no row "
                      "with at most as many bytes has a lower perplexity.") +
         "\n" +
         markdown_table(
             {"recipe", "evaluation", "attention-visible KV, MiB", "share of full attention's", "perplexity", ""},
             rows);
}

std::string Report::trainings(const std::string& model) const {
  std::vector<TableRow> rows;
  double hours = 0;
  for (const ResultsView::Training& training : view_.trainings) {
    if (training.model != model) continue;
    hours += training.seconds / 3600;
    rows.push_back({view_.title_of(view_.recipes, training.recipe), std::to_string(training.seed),
                    std::to_string(training.steps), std::to_string(training.tokens),
                    training.last_loss ? fixed_text(*training.last_loss, 3) : "",
                    fixed_text(training.seconds / 3600, 2), fixed_text(training.peak_memory_bytes / (1 << 30), 2)});
  }
  if (rows.empty()) return {};
  return "The loss is the mean over the last tenth of the steps. All trainings together took " + fixed_text(hours, 2) +
         " hours.\n\n" +
         markdown_table({"recipe", "seed", "steps", "tokens", "loss", "hours", "peak memory, GiB"}, rows);
}

std::map<std::string, std::size_t> Report::cells_from_elsewhere() const {
  std::map<std::string, std::size_t> cells;
  const auto count = [&](const std::string& maker) { cells[maker] += maker.empty() ? 0 : 1; };
  for (const ResultsView::Training& training : view_.trainings) count(training.made_by);
  for (const ResultsView::Run& run : view_.runs)
    for (const ResultsView::Text& text : run.texts) count(text.made_by);
  cells.erase("");
  return cells;
}

std::string Report::machine() const {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (!view_.version.empty()) {  // else no cell was run here: each says where it comes from
    add("Carryover " + view_.version);
    if (!view_.commit.empty()) add("commit " + view_.commit);
  }
  add(view_.libraries);
  add(view_.processor);
  for (const auto& [maker, cells] : cells_from_elsewhere()) add(std::to_string(cells) + " cells on " + maker);
  if (view_.unfinished > 0) add(std::to_string(view_.unfinished) + " cells are not finished");
  return text.empty() ? text : wrapped_text(text + ".");
}

}  // namespace

std::string experiment_table(const nlohmann::json& results, TableFormat format, const std::string& where) {
  const ResultsView view = results_view(results, where);
  const Report report(view);
  if (format == TableFormat::Csv) return report.csv();
  std::string text;
  for (const ResultsView::Name& model : view.models) {
    if (view.models.size() > 1)
      text += format == TableFormat::Latex ? "% " + model.name + "\n" : "**" + model.title + "**\n\n";
    text += report.table(model.name, format) + (&model == &view.models.back() ? "" : "\n");
  }
  return text;
}

std::string experiment_report(const nlohmann::json& results, const std::string& where, int level) {
  const ResultsView view = results_view(results, where);
  const Report report(view);
  const std::string heading(static_cast<std::size_t>(level), '#');
  std::string text = heading + " " + view.title + "\n\n";
  if (!view.about.empty()) text += wrapped_text(view.about) + "\n";
  text += report.machine();
  const auto section = [&](const std::string& title, const std::string& body) {
    if (!body.empty()) text += "\n" + heading + "# " + title + "\n\n" + body;
  };
  for (const ResultsView::Name& model : view.models) {
    const std::string of = view.models.size() > 1 ? ": " + model.title : "";
    section("Perplexity" + of,
            wrapped_text(
                "Perplexity of the first tokens of each text: the exponential of the mean loss, averaged first over "
                "the seeds of a book and then over the books.") +
                "\n" + report.table(model.name, TableFormat::Markdown));
    section("By text" + of, report.by_text(model.name));
    section("Comparisons" + of, report.comparisons(model.name));
    section("Loss by offset" + of, report.offsets(model.name));
    section("The frontier" + of, report.frontier(model.name));
    section("Trainings" + of, report.trainings(model.name));
  }
  return text;
}

}  // namespace carryover
