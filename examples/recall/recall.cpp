// SPDX-License-Identifier: GPL-3.0-or-later
#include "examples/recall/recall.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/json_parser.h"
#include "engine/runs/values/prefix_control.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {
namespace {

using nlohmann::json;

constexpr std::uint64_t kSeed = 1;

struct Asked {
  std::int64_t distance, position, introduced;
  std::int32_t answer;
};

struct HitCollector : RunObserver {
  std::vector<HeadHits> hits;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    hits.insert(hits.end(), snapshot->hits.begin(), snapshot->hits.end());
  }
};

/// Returns the questions in the order of their positions.
std::vector<Asked> read_asked(const json& line, const std::vector<std::int32_t>& ids) {
  std::vector<Asked> asked;
  for (const json& one : line.at("asked")) {
    const auto position = one.at("position").get<std::int64_t>(), introduced = one.at("introduced").get<std::int64_t>();
    const std::int32_t answer = ids.at(static_cast<std::size_t>(position));
    if (ids.at(static_cast<std::size_t>(introduced)) != answer) {
      throw EngineError(Fault::BadInput, "cases", "are not cut into tokens as they were counted",
                        "Use the tokenizer that make_model.py writes.");
    }
    asked.push_back({one.at("distance").get<std::int64_t>(), position, introduced, answer});
  }
  std::sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) { return a.position < b.position; });
  return asked;
}

std::vector<bool> right_answers(Session& session, const RunRequest& request, const std::vector<Asked>& asked) {
  std::vector<std::int64_t> positions;
  for (const Asked& one : asked) positions.push_back(one.position - 1);
  if (positions.empty()) return {};
  RunControl control;
  const std::vector<float> logits = session.logits(request, positions, control);
  const std::size_t vocabulary = logits.size() / positions.size();
  std::vector<bool> right;
  for (std::size_t row = 0; row < asked.size(); ++row) {
    const float* begin = logits.data() + row * vocabulary;
    right.push_back(std::max_element(begin, begin + vocabulary) - begin == asked[row].answer);
  }
  return right;
}

void count_hits(const std::vector<HeadHits>& hits, const Asked& asked, std::int64_t segment_length,
                RecallScore& score) {
  bool retrieved = false, anchored = false;
  for (const HeadHits& head : hits) {
    if (head.segment != asked.position / segment_length) continue;
    for (const Hit& hit : head.hits) {
      if (hit.position != asked.introduced) continue;
      retrieved = true;
      anchored = anchored || hit.kind == HitKind::Anchor;
    }
  }
  score.retrieved += retrieved;
  score.anchored += anchored;
}

}  // namespace

std::map<std::int64_t, RecallScore> score_recall(Session& session, const Tokenizer& tokenizer,
                                                 const SegmentConfig& config, const std::string& cases) {
  std::map<std::int64_t, RecallScore> scores;
  std::istringstream lines(cases);
  for (std::string line; std::getline(lines, line);) {
    const json told = parse_json(line, "cases", JsonKind::Text);
    RunRequest request;
    request.config = config;
    request.capture.sinks = false;
    request.ids =
        std::make_shared<const std::vector<std::int32_t>>(tokenizer.encode(told.at("text").get<std::string>()));
    const std::vector<Asked> asked = read_asked(told, *request.ids);
    HitCollector found;
    RunControl control;
    session.run(request, found, control);
    RunRequest off = request, random = request;
    off.config.retrieval_length = 0;
    random.forced_hits =
        control_hits(PrefixSource::Random, config, session.model().config, std::ssize(*request.ids), kSeed);
    const std::vector<bool> right[kRecallModes] = {right_answers(session, request, asked),
                                                   right_answers(session, off, asked),
                                                   right_answers(session, random, asked)};
    for (std::size_t i = 0; i < asked.size(); ++i) {
      RecallScore& score = scores[asked[i].distance];
      ++score.asked;
      for (int mode = 0; mode < kRecallModes; ++mode) score.right[mode] += right[mode][i];
      count_hits(found.hits, asked[i], config.segment_length, score);
    }
  }
  return scores;
}

}  // namespace carryover
