// SPDX-License-Identifier: GPL-3.0-or-later
// Times runs of a model through the engine's façade, as JSON on standard output. Needs no Qt.
//   run_bench MODEL IDS.json [--policy segmented] [--dtype fp32] [--device cpu] [--threads 2] [--tokens 512,2048]
//             [--repeat 5] [--loss 1] [--decode 0]
// For each length: seconds of each repetition after one warm-up (none where --repeat is 1), their median, and the
// memory by kind. Without --loss 1 only the last token's logits are computed, as in a prefill.
#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/core/error.h"
#include "engine/engine_library.h"
#include "engine/io/text_source.h"

using namespace carryover;

namespace {

struct Quiet final : RunObserver {
  void segment_done(std::shared_ptr<const SegmentSnapshot>) override {}
};

std::vector<std::int64_t> parse_list(const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) numbers.push_back(std::stoll(word));
  return numbers;
}

nlohmann::json time_runs(Session& session, const RunRequest& request, int repeat) {
  std::vector<double> seconds;
  RunSummary summary;
  for (int i = repeat > 1 ? -1 : 0; i < repeat; ++i) {
    Quiet observer;
    RunControl control;
    summary = session.run(request, observer, control);
    if (i >= 0) seconds.push_back(summary.seconds);
  }
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  return {{"tokens", summary.tokens},
          {"policy", request.policy},
          {"seconds", seconds},
          {"median_s", median},
          {"tokens_per_s", static_cast<double>(summary.tokens) / median},
          {"peak_memory_bytes", summary.peak_memory_bytes},
          {"memory", summary.memory}};
}

nlohmann::json time_decoding(Session& session, const RunRequest& request, std::int64_t tokens) {
  GenerateRequest wanted;
  wanted.prompt = *request.ids;
  wanted.policy = request.policy;
  wanted.config = request.config;
  wanted.max_new_tokens = tokens;
  RunControl control;
  const GenerateResult result = session.generate(
      wanted, [](std::int32_t) { return true; }, control);
  return {{"decoded", result.ids.size()},
          {"decode_tokens_per_s", static_cast<double>(result.ids.size()) / result.decode_seconds}};
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> options = {
      {"--policy", "segmented"}, {"--dtype", "fp32"}, {"--device", "cpu"}, {"--threads", "2"},
      {"--tokens", "512,2048"},  {"--repeat", "5"},   {"--loss", "0"},     {"--decode", "0"}};
  if (argc < 3) {
    std::cerr << "usage: run_bench MODEL IDS.json [--policy P] [--dtype D] [--tokens N,N] [--repeat N] ...\n";
    return 2;
  }
  for (int i = 3; i + 1 < argc; i += 2) options.at(argv[i]) = argv[i + 1];
  ModelRequest model;
  model.path = argv[1];
  model.dtype = parse_dtype(options["--dtype"]);
  model.device = parse_device(options["--device"]);
  model.threads = std::stoi(options["--threads"]);
  const auto session = load_session(model, {});
  const auto ids = read_ids(argv[2], session->model().config.vocabulary);

  nlohmann::json runs = nlohmann::json::array();
  for (const std::int64_t tokens : parse_list(options["--tokens"])) {
    if (tokens > static_cast<std::int64_t>(ids.size()))
      throw EngineError(Fault::BadInput, argv[2], "holds fewer than " + std::to_string(tokens) + " ids",
                        "Give a longer text.");
    RunRequest request;
    request.ids = std::make_shared<const std::vector<std::int32_t>>(ids.begin(), ids.begin() + tokens);
    request.policy = options["--policy"];
    request.config = SegmentConfig::defaults_for(session->model().config);
    request.loss = options["--loss"] == "1";
    request.capture = {false, false, false};
    runs.push_back(time_runs(*session, request, std::stoi(options["--repeat"])));
    if (const std::int64_t decode = std::stoll(options["--decode"]); decode > 0)
      runs.back().update(time_decoding(*session, request, decode));
  }
  const ModelInfo& info = session->model();
  std::cout << nlohmann::json{{"model", info.path},
                              {"dtype", dtype_name(info.dtype)},
                              {"device", device_name(info.device)},
                              {"threads", info.threads},
                              {"versions", info.library_versions},
                              {"runs", runs}}
                   .dump(1)
            << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  prepare_engine_environment(argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "run_bench: " << error.what() << '\n';
    return 1;
  }
}
