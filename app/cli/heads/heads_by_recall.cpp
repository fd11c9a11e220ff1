// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heads/heads_by_recall.h"

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/heads/evidence_file.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/formats/output_file.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

using nlohmann::json;

void RecallHeadOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "For recall";
  const auto count = [&](const char* name, std::int64_t& value, const char* help, const CLI::Validator& range) {
    app.add_option(name, value, help)->check(range)->type_name("N")->group(kGroup);
  };
  app.add_flag("--recall", wanted,
               "find the heads whose search finds needles in TEXT, and those that have to read them (--preset recall)")
      ->group(kGroup);
  count("--documents", order.documents, "documents with needles (8)", CLI::PositiveNumber);
  count("--held-out", order.held_out, "of these, documents that are used only to check searchers (2)",
        CLI::NonNegativeNumber);
  count("--segments", order.segments, "segments of a document (16)", CLI::PositiveNumber);
  count("--needles", order.needles, "needles of each kind in a document (2)", CLI::PositiveNumber);
  count("--searchers", order.searchers, "maximum number of searchers (6)", CLI::PositiveNumber);
  app.add_option("--loss-rise", order.loss_rise,
                 "readers are dropped until the answers' loss has risen by this share (0.05)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X")
      ->group(kGroup);
  app.add_option("--evidence", evidence,
                 "write the results after each step; if the file exists, the search continues from it")
      ->type_name("FILE")
      ->group(kGroup);
}

int find_recall_heads(const RecallHeadOptions& options, const ModelRequest& model) {
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session = open_session(model, progress, control);
  const ModelInfo& info = session->model();
  const auto tokenizer = Tokenizer::load(info.path);
  RecallHeadsRequest request = make_recall_request(options.order, info.config, *tokenizer);
  const EvidenceFile evidence(options.evidence, recall_inputs(request, info), info);
  if (const auto kept = evidence.read("heads"))
    request.known = recall_heads_from_json(*kept, info.config, options.evidence);
  request.progress = [&](double share, const std::string& what) {
    progress.status(what + ", " + std::to_string(static_cast<int>(100 * share)) + " %");
  };
  request.keep = [&](const RecallHeads& so_far) {
    evidence.write({{"config", with_recall_heads(request.config, so_far)}, {"heads", so_far}});
  };
  const RecallHeads found = session->find_recall_heads(request, control);
  progress.clear();
  if (!options.grouping.empty()) write_file_atomically(options.grouping, recall_grouping_json(found).dump(2) + "\n");
  const std::int64_t tokens = options.order.segments * request.config.segment_length;
  json report = found;
  report["grouping"] = recall_grouping_json(found);
  print(options.json ? report.dump(2) + "\n"
                     : recall_heads_text(found, tokens) + "proposed   " + recall_grouping_json(found).dump() + "\n");
  return kExitOk;
}

}  // namespace carryover
