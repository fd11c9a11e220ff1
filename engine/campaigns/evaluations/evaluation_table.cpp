// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/evaluation_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/config_fields.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/kernel/text_tables.h"
#include "engine/formats/json_file.h"
#include "engine/statistics/share_interval.h"
#include "engine/tasks/longbench.h"
#include "engine/tasks/scores/metric_table.h"

namespace carryover {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostTableEntries = 10'000;
const char* const kUseWrittenResults = "Use a results file that `carryover eval` wrote.";

struct Cell {
  std::string task, metric;
  std::int64_t length = 0, n = 0, failures = 0;
  std::optional<std::int64_t> visible, resident;  ///< none of a mean of tasks
  std::optional<double> score, error, low, high;

  bool few_samples() const { return n > 0 && n < kFewestForInterval; }
};

/// Sets Wilson's interval for a share, and removes the interval of too few samples. Files of earlier versions need this
/// too: they have a bootstrap's interval for every score and every number of samples.
void set_interval(Cell& cell) {
  const MeanInterval wilson = cell.score && is_share(cell.metric)
                                  ? wilson_interval(*cell.score, static_cast<double>(cell.n))
                                  : MeanInterval{0, std::nan(""), std::nan("")};
  if (wilson.has_bounds()) {
    cell.low = wilson.low;
    cell.high = wilson.high;
  } else if (cell.few_samples()) {
    cell.low = cell.high = std::nullopt;
  }
}

struct Column {
  std::string model, policy;
  std::vector<Cell> cells;
};

Cell cell_of(const json& object, const std::string& where) {
  const JsonFields fields(object, where);
  Cell cell;
  cell.task = fields.find_text("task").value_or(std::string());
  cell.metric = fields.find_text("metric").value_or(std::string());
  cell.length = fields.integer("length");
  cell.n = fields.integer("n");
  cell.failures = fields.integer("failures");
  cell.visible = fields.integer("visible_kv_bytes");
  cell.resident = fields.integer("resident_kv_bytes");
  const json* scores = fields.find("scores");
  if (scores == nullptr || !scores->is_object()) refuse_field(where, "scores", "is not an object", kUseWrittenResults);
  if (const auto found = scores->find(cell.metric); found != scores->end()) {
    const JsonFields score(*found, where + ": scores");
    cell.score = score.find_number("score");
    cell.error = score.find_number("stderr");
    cell.low = score.find_number("low");
    cell.high = score.find_number("high");
    set_interval(cell);
  }
  return cell;
}

/// LongBench's categories and their mean, as papers give them, of the sets that were run; no interval.
void add_longbench_means(Column& column) {
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, double>> scores;  ///< by family and length
  for (const Cell& cell : column.cells) {
    const std::string family = cell.task.substr(0, cell.task.find('/'));
    if (cell.score && (family == "longbench" || family == "longbench_e"))
      scores[{family, cell.length}][cell.task] = *cell.score;
  }
  const std::size_t all = longbench_categories().size();
  for (const auto& [group, by_task] : scores) {
    const LongBenchAverage means = longbench_average(by_task);
    const std::size_t sets = all - means.missing.size();
    if (sets < 2) continue;
    const auto add = [&, &family = group.first, length = group.second](const std::string& name, double score) {
      Cell cell;
      cell.task = family + ", " + name;
      cell.metric = "mean";
      cell.length = length;
      cell.score = score;
      column.cells.push_back(std::move(cell));
    };
    for (const auto& [category, score] : means.categories) add(category, score);
    add("mean of " + std::to_string(means.categories.size()) + " categories, " + std::to_string(sets) + " of " +
            std::to_string(all) + " sets",
        means.average);
  }
}

Column column_of(const ResultsFile& file) {
  const JsonFields all(file.results, file.where);
  const json* ours = all.find("carryover");
  if (ours == nullptr || !ours->is_object())
    refuse_field(file.where, "carryover", "is not an object", kUseWrittenResults);
  const JsonFields fields(*ours, file.where);
  Column column;
  column.policy = fields.find_text("policy").value_or(std::string());
  if (const json* model = fields.find("model"))
    column.model = JsonFields(*model, file.where).find_text("file").value_or(std::string());
  const json* tasks = fields.find("tasks");
  if (tasks == nullptr || !tasks->is_array() || tasks->size() > kMostTableEntries)
    refuse_field(file.where, "tasks", "is not a list", kUseWrittenResults);
  for (const json& task : *tasks) column.cells.push_back(cell_of(task, file.where));
  add_longbench_means(column);
  return column;
}

using RowName = std::pair<std::string, std::int64_t>;  ///< task and length

std::vector<RowName> row_names(const std::vector<Column>& columns) {
  std::vector<RowName> names;
  for (const Column& column : columns)
    for (const Cell& cell : column.cells) {
      const RowName name{cell.task, cell.length};
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return names;
}

const Cell* cell_in(const Column& column, const RowName& name) {
  const auto found = std::ranges::find_if(
      column.cells, [&](const Cell& cell) { return cell.task == name.first && cell.length == name.second; });
  return found == column.cells.end() ? nullptr : &*found;
}

/// Shares have three decimals, percentages and perplexities fewer.
std::string score_text(double score, double largest) {
  if (!std::isfinite(score)) return "-";
  return fixed_text(score, largest < 10 ? 3 : largest < 1000 ? 2 : 0);
}

std::string score_cell(const Cell* cell) {
  if (cell == nullptr) return "";
  std::string text = "-";
  if (cell->score) {
    const double largest = std::max(std::fabs(*cell->score), std::fabs(cell->high.value_or(0)));
    const auto number = [largest](double score) { return score_text(score, largest); };
    const double none = std::nan("");
    const MeanInterval interval{*cell->score, cell->low.value_or(none), cell->high.value_or(none)};
    text =
        interval.has_bounds() || cell->few_samples() ? interval_text(interval, cell->n, number) : number(interval.mean);
  }
  if (cell->failures > 0) text += " (" + std::to_string(cell->failures) + " failed)";
  return text;
}

std::string megabytes(std::int64_t bytes) {
  const double size = static_cast<double>(bytes) / 1e6;
  return fixed_text(size, size < 10 ? 2 : size < 100 ? 1 : 0);
}

std::string length_text(std::int64_t length) {
  return length > 0 ? std::to_string(length) : std::string("-");
}

/// Models are named where there are several.
std::vector<std::string> titles_of(const std::vector<Column>& columns) {
  const bool several =
      std::ranges::any_of(columns, [&](const Column& column) { return column.model != columns.front().model; });
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back((several ? column.model + " " : "") + column.policy);
  return titles;
}

std::string csv_table(const std::vector<Column>& columns) {
  std::string text = csv_row({"model", "policy", "task", "length", "metric", "score", "stderr", "low", "high", "n",
                              "failures", "visible_kv_bytes", "resident_kv_bytes"});
  const auto number = [](const std::optional<double>& value) {
    std::string digits;
    if (value) append_digits(digits, *value);
    return digits;
  };
  const auto whole = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : std::string();
  };
  for (const RowName& name : row_names(columns))
    for (const Column& column : columns)
      if (const Cell* cell = cell_in(column, name))
        text += csv_row({column.model, column.policy, cell->task, std::to_string(cell->length), cell->metric,
                         number(cell->score), number(cell->error), number(cell->low), number(cell->high),
                         std::to_string(cell->n), std::to_string(cell->failures), whole(cell->visible),
                         whole(cell->resident)});
  return text;
}

}  // namespace

std::vector<ResultsFile> read_results(const std::string& path) {
  std::error_code code;
  const bool folder = fs::is_directory(path, code);
  const std::string plan_file = plan_path(folder ? path : fs::path(path).parent_path().string());
  if (!folder && fs::path(path).filename() != fs::path(plan_file).filename())
    return {{read_json_file(path, JsonKind::Results), path}};
  const std::string out = fs::path(plan_file).parent_path().string();
  const EvaluationPlan plan = plan_of(read_json_file(plan_file), plan_file);
  std::vector<ResultsFile> files;
  for (const std::string& policy : plan.policies) {
    const std::string file = results_path(plan, policy_folder(plan, out, policy));
    if (fs::exists(file, code)) files.push_back({read_json_file(file, JsonKind::Results), file});
  }
  return files;
}

std::string evaluation_table(const std::vector<ResultsFile>& files, TableFormat format) {
  std::vector<Column> columns;
  for (const ResultsFile& file : files) columns.push_back(column_of(file));
  if (format == TableFormat::Csv) return csv_table(columns);
  TableRow head{"task", "length", "metric", "samples"};
  const std::vector<std::string> titles = titles_of(columns);
  for (const std::string& title : titles) head.push_back(title);
  for (const std::string& title : titles) head.push_back(title + " attention-visible / resident KV, MB");
  std::vector<TableRow> rows;
  for (const RowName& name : row_names(columns)) {
    TableRow row{name.first, length_text(name.second), "", ""};
    for (const Column& column : columns) {
      const Cell* cell = cell_in(column, name);
      if (cell != nullptr && row[2].empty()) row[2] = cell->metric;
      if (cell != nullptr && cell->visible && row[3].empty()) row[3] = std::to_string(cell->n + cell->failures);
      row.push_back(score_cell(cell));
    }
    for (const Column& column : columns) {
      const Cell* cell = cell_in(column, name);
      row.push_back(cell == nullptr || !cell->visible ? ""
                                                      : megabytes(*cell->visible) + " / " + megabytes(*cell->resident));
    }
    rows.push_back(std::move(row));
  }
  constexpr std::size_t kWords = 3;
  return text_table(format, head, rows, kWords);
}

}  // namespace carryover
