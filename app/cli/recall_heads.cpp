// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/recall_heads.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/kept_findings.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/api/engine_library.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

using nlohmann::json;

/// The file that holds what was found, and from which the same command goes on.
class EvidenceFile {
 public:
  EvidenceFile(std::string path, const RecallHeadsRequest& request, const ModelInfo& model)
      : path_(std::move(path)), config_(request.config), inputs_(recall_inputs(request, model)), model_(model) {
    if (!path_.empty()) lock_.emplace(path_, FolderLock::Of::File);
  }

  RecallHeads read() const {
    const std::optional<json> kept = kept_findings(path_, inputs_, "heads");
    return kept ? recall_heads_from_json(*kept, model_.config, path_) : RecallHeads();
  }

  void write(const RecallHeads& heads) const {
    if (path_.empty()) return;
    const json told{{"model", model_.path},
                    {"weights", model_.weights_hash},
                    {"inputs", inputs_},
                    {"config", with_recall_heads(config_, heads)},
                    {"heads", heads}};
    write_file_atomically(path_, json_text(told, 2) + "\n");
  }

 private:
  std::string path_;
  SegmentConfig config_;
  std::string inputs_;
  const ModelInfo& model_;
  std::optional<FolderLock> lock_;  ///< while this process goes on from the file and writes it
};

}  // namespace

void RecallHeadOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "For recall";
  const auto count = [&](const char* name, std::int64_t& value, const char* help) {
    app.add_option(name, value, help)->check(CLI::PositiveNumber)->type_name("N")->group(kGroup);
  };
  app.add_flag("--recall", wanted,
               "find the heads whose search finds needles in TEXT, and those that have to read them (--preset recall)")
      ->group(kGroup);
  count("--documents", order.documents, "documents with needles (8)");
  count("--held-out", order.held_out, "of these, documents that are used only to check searchers (2)");
  count("--segments", order.segments, "segments of a document (16)");
  count("--needles", order.needles, "needles of each kind in a document (2)");
  count("--searchers", order.searchers, "maximum number of searchers (6)");
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
  const auto session = load_session(model, [&](double fraction, const std::string& what) {
    control.checkpoint();
    progress.loading(fraction, what);
  });
  const auto tokenizer = Tokenizer::load(session->model().path);
  RecallHeadsRequest request = make_recall_request(options.order, session->model().config, *tokenizer);
  const EvidenceFile evidence(options.evidence, request, session->model());
  request.known = evidence.read();
  request.progress = [&](double share, const std::string& what) {
    progress.status(what + ", " + std::to_string(static_cast<int>(100 * share)) + " %");
  };
  request.keep = [&](const RecallHeads& so_far) { evidence.write(so_far); };
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
