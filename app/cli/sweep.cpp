// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/sweep.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/asked_prediction.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/noted_tokenizer.h"

namespace carryover {

namespace {

using nlohmann::json;

struct SweepOptions {
  std::string folder, patch, foil, site = "heads", source;
  std::int64_t token = 0, first = -1, last = -1, rows = 20;
  bool losses = false, json = false, csv = false, quiet = false;
};

/// A sweep that was run, or what there was of it when it was stopped.
struct Swept {
  const SweepOptions& options;
  const SweepRequest& request;
  SweepBase base;
  std::vector<SweepCell> cells;
  bool cancelled = false;
};

template <typename Enum, std::size_t kCount>
Enum choice(const std::string& name, const std::array<std::string_view, kCount>& names) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

/// Returns the tokens of the options, counted from the segment's start; in the options they count from the text's.
std::optional<TokenRange> tokens_of(const SweepOptions& options, std::int64_t first_token, std::int64_t segment) {
  if (options.first < 0 && options.last < 0) return {};
  const std::int64_t last = options.last < 0 ? options.token - 1 : options.last;
  const std::int64_t first = options.first < 0 ? first_token : options.first;
  if (first < first_token || last < first)
    throw EngineError(Fault::Usage, "--first and --last", "name no tokens of segment " + std::to_string(segment),
                      "Choose tokens from " + std::to_string(first_token) + " to " + std::to_string(options.token - 1) +
                          ", which makes the prediction.");
  return TokenRange{first - first_token, last + 1 - first_token};
}

SweepRequest request_of(const SweepOptions& options, const RunContents& run, const Tokenizer& tokenizer) {
  const AskedPrediction asked = ask_prediction(run, options.token, options.foil, tokenizer);
  SweepRequest request;
  request.run = run.description.request;
  request.segment = asked.segment;
  request.site = choice<SweepSite>(options.site, kSweepSiteNames);
  const std::string source = !options.source.empty() ? options.source : options.patch.empty() ? "zero" : "run";
  request.source = choice<SweepSource>(source, kSweepSourceNames);
  request.question = asked.question;
  request.losses = options.losses;
  request.tokens = tokens_of(options, asked.segment * run.description.request.config.segment_length, asked.segment);
  request.record = recorded_segment(run, asked.segment);
  if (!options.patch.empty()) {
    const RunContents other = reopen_to_repeat(options.patch);
    request.patch_source = PatchSource{other.description.request, recorded_segment(other, asked.segment)};
  }
  if (const std::string problem = sweep_problem(request); !problem.empty())
    throw EngineError(Fault::Usage, "sweep", problem, "carryover sweep --help explains the options.");
  return request;
}

/// Returns a cell's column as people count it: a head, or a token of the text.
std::int64_t column_of(const Swept& swept, const SweepPlace& place) {
  if (has_head_columns(swept.request.site)) return place.column;
  return swept.request.segment * swept.request.run.config.segment_length + place.column;
}

json cell_json(const Swept& swept, const SweepCell& cell) {
  json fields{{"logit", cell.logit}, {"logprob", cell.logprob}};
  if (swept.request.question.foil) fields["foil_logit"] = cell.foil_logit;
  if (swept.request.losses) fields["nll_sum"] = cell.nll_sum;
  return fields;
}

std::string sweep_json(const Swept& swept) {
  json cells = json::array();
  for (const SweepCell& cell : swept.cells) {
    json fields = cell_json(swept, cell);
    fields["layer"] = cell.place.layer;
    fields[has_head_columns(swept.request.site) ? "head" : "token"] = column_of(swept, cell.place);
    cells.push_back(std::move(fields));
  }
  json fields{{"token", swept.options.token},
              {"segment", swept.request.segment},
              {"site", sweep_site_name(swept.request.site)},
              {"source", sweep_source_name(swept.request.source)},
              {"cancelled", swept.cancelled},
              {"id", swept.base.prediction.target},
              {"as_it_was", cell_json(swept, swept.base.as_it_was)},
              {"cells", cells}};
  if (swept.request.question.foil) fields["foil"] = *swept.request.question.foil;
  return json_text(fields, 2) + "\n";
}

std::string sweep_csv(const Swept& swept) {
  const std::string column = has_head_columns(swept.request.site) ? "head" : "token";
  std::string text = "layer," + column + ",logit,foil_logit,logprob,nll_sum\n";
  const auto value = [](bool known, double number) { return known ? json(number).dump() : std::string(); };
  for (const SweepCell& cell : swept.cells)
    text += std::to_string(cell.place.layer) + "," + std::to_string(column_of(swept, cell.place)) + "," +
            value(true, cell.logit) + "," + value(swept.request.question.foil.has_value(), cell.foil_logit) + "," +
            value(true, cell.logprob) + "," + value(swept.request.losses, cell.nll_sum) + "\n";
  return text;
}

/// The cells that change the logit most, or the difference of logits.
std::string sweep_text(const Swept& swept, const Tokenizer& tokenizer) {
  const SweepBase& base = swept.base;
  const double before = base.as_it_was.logit_difference();
  std::vector<SweepCell> cells = swept.cells;
  std::ranges::stable_sort(cells, std::greater(),
                           [&](const SweepCell& cell) { return std::abs(cell.logit_difference() - before); });
  cells.resize(std::min(cells.size(), static_cast<std::size_t>(swept.options.rows)));
  std::string name = quoted(tokenizer.bytes(base.prediction.target));
  if (swept.request.question.foil) name += " against " + quoted(tokenizer.bytes(*swept.request.question.foil));
  std::string text = "token      " + std::to_string(swept.options.token) + ", " + name + ", in segment " +
                     std::to_string(swept.request.segment) + "\nlogit      " + fixed_text(before, 3) + ", ln p " +
                     fixed_text(base.as_it_was.logprob, 3) + "\n" + std::to_string(swept.cells.size()) +
                     (swept.cancelled ? " cells, stopped: " : " cells: ") + swept.options.site + " replaced by " +
                     std::string(sweep_source_name(swept.request.source)) + "; changes of logit, ln p" +
                     (swept.request.losses ? " and loss" : "") + "\n";
  for (const SweepCell& cell : cells) {
    const std::int64_t column = column_of(swept, cell.place);
    const bool head = has_head_columns(swept.request.site);
    std::string place = "L" + std::to_string(cell.place.layer) + (head ? " H" : " token ") + std::to_string(column);
    if (!head) place += " " + quoted(tokenizer.bytes((*swept.request.run.ids)[static_cast<std::size_t>(column)]));
    text += "  " + padded(place, head ? 12 : 32) + padded(signed_text(cell.logit_difference() - before), 10) +
            padded(signed_text(cell.logprob - base.as_it_was.logprob), 10);
    if (swept.request.losses) text += signed_text(cell.nll_sum - base.as_it_was.nll_sum);
    text += "\n";
  }
  return text;
}

int sweep(const SweepOptions& options) {
  const RunContents run = reopen_to_repeat(options.folder);
  const ModelInfo& model = run.description.model;
  const auto tokenizer = load_tokenizer(model.path);
  const SweepRequest request = request_of(options, run, *tokenizer);
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session =
      open_session({model.path, model.dtype, Device::Auto, 0, false, model.adapter}, progress, control);
  const std::size_t cells = sweep_places(request, session->model().config).size();
  progress.note("Running " + std::to_string(cells) + " cells, as much as " +
                fixed_text(sweep_cost(request, session->model().config), 1) + " segments");
  Swept swept{options, request, {}, {}};
  const SweepObserver observer{
      [&](const SweepBase& base) { swept.base = base; },
      [&](const SweepCell& cell) {
        swept.cells.push_back(cell);
        progress.status("cell " + std::to_string(swept.cells.size()) + " of " + std::to_string(cells));
      }};
  try {
    session->sweep(request, observer, control);
  } catch (const EngineError& error) {
    if (error.fault() != Fault::Cancelled || swept.cells.empty()) throw;
    swept.cancelled = true;
  }
  progress.clear();
  print(options.json ? sweep_json(swept) : options.csv ? sweep_csv(swept) : sweep_text(swept, *tokenizer));
  return swept.cancelled ? kExitStopped : kExitOk;
}

}  // namespace

VerbAction add_sweep(CLI::App& app) {
  const auto options = std::make_shared<SweepOptions>();
  app.add_option("RUN", options->folder, "a run's folder, as `carryover run --out` writes it")
      ->required()
      ->type_name("");
  app.add_option("--token", options->token,
                 "the token, counted from the text's start, whose prediction each cell gives")
      ->required()
      ->type_name("N");
  app.add_option("--foil", options->foil, "one token with which the target is compared: logits become differences")
      ->type_name("TEXT");
  app.add_option("--site", options->site,
                 "what a cell replaces: heads (their outputs), attention, feed-forward or residual (by token); or what "
                 "a head no longer reads: sinks, retrieved, carry (heads)")
      ->check(CLI::IsMember(std::vector<std::string>(kSweepSiteNames.begin(), kSweepSiteNames.end())))
      ->type_name("SITE");
  app.add_option("--source", options->source,
                 "what replaces it: zero, mean (of a segment's tokens) or run (the same token's value in --patch)")
      ->check(CLI::IsMember(std::vector<std::string>(kSweepSourceNames.begin(), kSweepSourceNames.end())))
      ->type_name("SOURCE");
  app.add_option("--patch", options->patch, "another run's folder, whose values are taken")->type_name("RUN");
  app.add_option("--first", options->first, "first token that is replaced, counted from the text's start")
      ->type_name("N");
  app.add_option("--last", options->last, "last token that is replaced")->type_name("N");
  app.add_flag("--losses", options->losses, "also give the segment's loss in each cell, which takes longer");
  app.add_option("--rows", options->rows, "print so many cells (20)")->check(CLI::Range(1, 100000))->type_name("N");
  app.add_flag("--json", options->json, "print all cells as JSON");
  app.add_flag("--csv", options->csv, "print all cells as CSV");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  app.footer(
      R"(Activation patching and ablation: the segment that predicts the token runs again for each cell, with one value
replaced, and each cell gives the token's logit and log-probability. Heads change at all tokens, or at those from
--first to --last; attention, feed-forward and residual have a cell for each layer and token. Only what comes after
the replaced value runs again. Ctrl-C ends the sweep, and prints the cells that are done.

Examples:
  carryover sweep run1 --token 1043
  carryover sweep run1 --token 1043 --site residual --first 1000 --patch run2 --csv
  carryover sweep run1 --token 1043 --site retrieved --foil " Mary")");
  return [options] { return sweep(*options); };
}

}  // namespace carryover
