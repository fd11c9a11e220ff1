// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/base/byte_size.h"
#include "engine/base/run_control.h"
#include "engine/base/terminal_text.h"
#include "engine/base/text_parts.h"
#include "engine/formats/json_file.h"
#include "engine/installed/model_list.h"

namespace carryover {

namespace {

using nlohmann::json;

struct ModelsOptions {
  std::vector<std::string> folders;
  std::int64_t tokens = kListedTokens;
  bool json = false;
};

bool is_there(const ModelPlace& place) {
  std::error_code ignored;
  return std::filesystem::is_directory(place.folder, ignored);
}

json list_json(const ModelList& list, const std::vector<ModelPlace>& places, std::int64_t tokens) {
  json result{{"models", json::array()}, {"tokens", tokens}, {"places", json::array()}, {"unread", json::array()}};
  for (const InstalledModel& model : list.models) result["models"].push_back(model_entry(model, tokens));
  for (const ModelPlace& place : places)
    result["places"].push_back({{"program", place.program}, {"folder", place.folder}, {"exists", is_there(place)}});
  for (const UnreadFolder& folder : list.unread)
    result["unread"].push_back({{"path", folder.path}, {"problem", folder.problem}});
  return result;
}

/// "134.5 M", "8.03 B": a number of parameters.
std::string parameters_text(std::int64_t count) {
  const auto number = static_cast<double>(count);
  if (count == 0) return "?";
  return count < 1'000'000'000 ? fixed_text(number / 1e6, 1) + " M" : fixed_text(number / 1e9, 2) + " B";
}

using TableRow = std::vector<std::string>;

TableRow row_of(const InstalledModel& model, std::int64_t tokens) {
  const auto known = [](const std::string& text) { return text.empty() ? std::string("?") : text; };
  const ModelFacts& facts = model.facts;
  return {model.name,
          known(facts.architecture),
          parameters_text(facts.parameters),
          known(facts.storage),
          facts.context == 0 ? "?" : std::to_string(facts.context),
          size_text(static_cast<double>(model.bytes)),
          facts.opens() ? size_text(static_cast<double>(facts.memory_for(tokens))) : "-"};
}

/// Returns a line of the table. Names are to the left, numbers to the right.
std::string line_of(const TableRow& row, const std::vector<std::size_t>& widths) {
  constexpr std::size_t kTexts = 2;
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string blanks(widths[i] - row[i].size(), ' ');
    line += "  " + (i < kTexts ? row[i] + blanks : blanks + row[i]);
  }
  return line + "\n";
}

std::string list_text(const ModelList& list, std::int64_t tokens) {
  std::vector<TableRow> rows{{"model", "architecture", "parameters", "stored as", "context", "size", "memory"}};
  for (const InstalledModel& model : list.models) rows.push_back(row_of(model, tokens));
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text = line_of(rows.front(), widths), program;
  for (std::size_t i = 0; i < list.models.size(); ++i) {
    const InstalledModel& model = list.models[i];
    if (model.program != program) text += model.program + "\n";
    program = model.program;
    text += line_of(rows[i + 1], widths) + "    " + model.path + "\n";
    if (!model.facts.opens())
      text += "    does not open: " + model.facts.problem + "\n      " + model.facts.advice + "\n";
  }
  const auto opening = std::ranges::count_if(list.models, [](const auto& model) { return model.facts.opens(); });
  return text + "\nCarryover opens " + std::to_string(opening) + " of " + std::to_string(list.models.size()) +
         ". Memory is the forecast for a text of " + std::to_string(tokens) +
         " tokens, on the CPU, with the settings that a model opens with. `carryover info PATH` describes one.\n";
}

std::string nothing_found_text(const std::vector<ModelPlace>& places) {
  std::size_t width = 0;
  for (const ModelPlace& place : places) width = std::max(width, place.program.size());
  std::string text = "No models found. Looked in\n";
  for (const ModelPlace& place : places)
    text += "  " + place.program + std::string(width + 2 - place.program.size(), ' ') + place.folder +
            (is_there(place) ? "" : " (does not exist)") + "\n";
  return text + "`carryover models --folder DIR` also looks in a folder of yours.\n";
}

int models(const ModelsOptions& options) {
  RunControl control;
  const InterruptWatch interrupt(control);
  const std::vector<ModelPlace> places = model_places(options.folders);
  const ModelList list = list_models(places, header_cache_file(), control);
  if (options.json)
    print(json_text(list_json(list, places, options.tokens), 2) + "\n");
  else
    print(list.models.empty() ? nothing_found_text(places) : list_text(list, options.tokens));
  for (const UnreadFolder& folder : list.unread)
    print_error_line("carryover: " + folder.path + ": can't be read, and may hold further models: " + folder.problem);
  return kExitOk;
}

}  // namespace

VerbAction add_models(CLI::App& app) {
  const auto options = std::make_shared<ModelsOptions>();
  app.add_option("--folder", options->folders,
                 "also look in this folder and those below it; may be given several times")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--tokens", options->tokens, "length of the text for which memory is predicted")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print the list as JSON");
  app.footer(
      R"(Lists the models in Carryover's own cache and in those of Hugging Face, Ollama, LM Studio, llama.cpp, GPT4All
and Jan, and says which of them Carryover opens. Reads headers, never weights, and remembers them while files do not
change.
  carryover models
  carryover models --folder /data/models --json)");
  return [options] { return models(*options); };
}

}  // namespace carryover
