// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heads/heads_by_pattern.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/checkpoints/model_source.h"
#include "engine/data/text_source.h"
#include "engine/families/family.h"
#include "engine/heads/choice/head_pattern_file.h"
#include "engine/heads/choice/pattern_search.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

/// The demo's, which lies beside the programs: share/carryover/demo of a build and of an installation.
std::string bundled_text() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path text = program.parent_path().parent_path() / "share/carryover/demo/text.txt";
  if (program.empty() || !fs::exists(text, failed))
    throw EngineError(Fault::Usage, "heads", "has no text to search patterns on", "Name one after the model.");
  return text.string();
}

PatternSearchRequest make_pattern_request(const PatternHeadOptions& options, const std::string& model) {
  const auto tokenizer = Tokenizer::load(model);
  const ModelConfig config = ModelSource::open(model)->config();
  std::vector<std::int32_t> ids = tokenizer->encode(read_text(options.text.empty() ? bundled_text() : options.text));
  if (family_of(config).starts_with_bos) put_any_bos_first(ids, *tokenizer);
  const std::int64_t context = config.context,
                     most = context > 0 ? std::min(context, kMostPatternTokens) : kMostPatternTokens,
                     tokens = options.tokens.value_or(most);
  if (tokens < std::ssize(ids)) ids.resize(static_cast<std::size_t>(tokens));
  PatternSearchRequest request;
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  request.most_keys = options.most_keys;
  return request;
}

}  // namespace

int find_patterns(const PatternHeadOptions& options, const ModelRequest& model) {
  PatternSearchRequest request = make_pattern_request(options, model.path);
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  request.progress = [&](double share, const std::string& what) {
    progress.status("looking for patterns: " + what + ", " + fixed_text(100 * share, 0) + " %");
  };
  const auto session = open_session(model, progress, control);
  const FoundPatterns found = session->search_patterns(request, control);
  progress.clear();
  if (!options.out.empty()) write_head_patterns(found.patterns(), options.out);
  print(options.json ? nlohmann::json(found).dump(2) + "\n"
                     : found_patterns_text(found) + (options.out.empty() ? "" : "written    " + options.out + "\n"));
  return kExitOk;
}

}  // namespace carryover
