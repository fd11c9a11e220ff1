// SPDX-License-Identifier: GPL-3.0-or-later
// Measures recall: whether the model names the person who was introduced that many segments before.
//   score MODEL CASES.jsonl
// Prints a table by distance, with the model's own retrieval, without any, and with prefixes drawn at random. Runs in
// fp32 on the CPU, segmented as the model was trained.
#include <cstdio>
#include <iostream>

#include "engine/api/engine_library.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/data/text_source.h"
#include "examples/recall/recall.h"

using namespace carryover;

namespace {

void print(const std::map<std::int64_t, RecallScore>& scores) {
  std::printf("distance  asked  retrieval        off     random  in the prefix  an anchor\n");
  for (const auto& [distance, score] : scores) {
    const auto share = [&asked = score.asked](std::int64_t count) {
      return 100.0 * static_cast<double>(count) / static_cast<double>(asked);
    };
    std::printf("%8lld %6lld", static_cast<long long>(distance), static_cast<long long>(score.asked));
    for (const std::int64_t right : score.right) std::printf("  %8.1f%%", share(right));
    std::printf("  %12.1f%%  %8.1f%%\n", share(score.retrieved), share(score.anchored));
  }
}

void score(const std::string& model, const std::string& cases) {
  ModelRequest request;
  request.path = model;
  request.dtype = DType::Float32;
  request.device = Device::Cpu;
  request.threads = 1;
  const auto session = load_session(request, {});
  const SegmentConfig config = initial_config(session->model().config, model, "");
  print(score_recall(*session, *Tokenizer::load(model), config, read_text(cases)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: score MODEL CASES.jsonl\n";
    return 2;
  }
  prepare_engine_environment(argv);
  try {
    score(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "score: " << error.what() << '\n';
    return 1;
  }
}
