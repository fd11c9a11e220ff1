// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/statistics/cluster_bootstrap.h"

namespace carryover {

inline constexpr std::int64_t kResultsFormat = 1;  ///< of results.json

/// The contents of results.json that tables need, checked. A plain value.
struct ResultsView {
  struct Name {
    std::string name, title;
  };
  struct Condition {
    std::string recipe, evaluation;
    bool operator==(const Condition&) const = default;
  };
  struct Length {
    std::int64_t tokens = 0, targets = 0;
    double nll_sum = 0, attention_kv_bytes = 0;
  };
  struct OffsetBin {
    std::int64_t first = 0, targets = 0;
    double nll_sum = 0;
  };
  struct Segment {
    std::int64_t targets = 0;
    double nll_sum = 0;
  };
  struct Text {
    std::string file;
    std::vector<Length> lengths;
    std::vector<Segment> segments;  ///< none in results of early versions
    std::vector<OffsetBin> offsets;
    double peak_memory_bytes = 0, seconds = 0;
    std::string made_by;               ///< processor and commit of a cell that was taken from other results
    std::optional<double> sinks_lost;  ///< share of its segments; nothing where the run did not measure sinks
    std::int64_t longest() const { return lengths.empty() ? 0 : lengths.back().tokens; }
  };
  struct Run {
    std::string model;
    Condition condition;
    std::optional<std::uint64_t> seed;
    std::string policy, prefix, dtype;
    std::int64_t segment = 0, carry = 0, retrieved = 0, sinks = 0;
    std::vector<Text> texts;  ///< one for each text, or, where each length has its own run, one for each length

    std::vector<const Text*> longest_texts() const;  ///< each file's longest
    /// Returns "S 512, M 124, R 0, n 4", or a policy's name: the settings that decide what attention sees.
    std::string settings_text() const;
  };
  struct Training {
    std::string model, recipe;
    std::uint64_t seed = 0;
    std::int64_t steps = 0, tokens = 0, skipped = 0;
    double seconds = 0, peak_memory_bytes = 0;
    std::optional<double> last_loss;  ///< mean over the last tenth of its steps; nothing where none has a number
    std::string made_by;
  };
  struct Comparison {
    std::string title;
    Condition of, against;
  };
  struct Book {
    std::string file, title, author;
  };

  std::string experiment, title, about;
  std::vector<std::int64_t> lengths;
  std::vector<std::uint64_t> seeds;
  std::vector<Name> models, recipes, evaluations;
  std::vector<Book> books;
  std::vector<Comparison> comparisons;
  std::vector<Run> runs;
  std::vector<Training> trainings;
  std::int64_t unfinished = 0;
  std::string processor, libraries, version, commit;  ///< where known

  std::string title_of(const std::vector<Name>& names, const std::string& name) const;
  std::string first_model() const { return models.empty() ? std::string() : models.front().name; }

  /// Returns the mean loss of each book, nats a target, over the seeds that have it, without books that have none.
  std::map<std::string, double> book_losses(const std::string& model, const Condition& condition,
                                            std::int64_t length) const;
  /// Returns the mean of book_losses() over the books; nothing where there is none.
  std::optional<double> mean_loss(const std::string& model, const Condition& condition, std::int64_t length) const;
  /// Returns the largest size of keys and values that attention saw, over texts and seeds; nothing where no run has
  /// this length.
  std::optional<double> kv_bytes(const std::string& model, const Condition& condition, std::int64_t length) const;
  /// Returns the difference of the loss over the books that both sides of a comparison have, with its interval; nothing
  /// where there is none.
  std::optional<ClusterInterval> compared(const std::string& model, const Comparison& comparison,
                                          std::int64_t length) const;
  /// Returns the length that most conditions have, and the longest of several; tables of one length show it.
  std::int64_t common_length(const std::string& model) const;
  /// Returns the share of segments that lost their sink, mean over texts and seeds, with Wilson's interval for as many
  /// samples as there are books, because segments of one book depend on each other. Nothing where none was measured.
  std::optional<ClusterInterval> sinks_lost(const std::string& model, const Condition& condition) const;
  /// Returns every condition that has a run, in the plan's order.
  std::vector<Condition> conditions(const std::string& model) const;
  /// Returns the runs of a condition, one for each seed.
  std::vector<const Run*> runs_of(const std::string& model, const Condition& condition) const;
};

/// Returns true if drawing its figures takes seconds at most: a crafted file may have any number of everything. Pure.
bool is_drawable(const ResultsView& results);

/// Throws EngineError{BadInput} naming `where`; also where two models, recipes or evaluations have one name, lengths do
/// not rise, or a name or title has more than 1000 bytes.
ResultsView results_view(const nlohmann::json& results, const std::string& where);

}  // namespace carryover
