// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <algorithm>
#include <memory>
#include <vector>

#include "engine/runs/values/replay_request.h"
#include "engine/what_if/what_if.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_decoder.h"

namespace carryover::test {

/// A model, and two texts of five segments with another order of the same tokens.
struct PatchCase {
  static constexpr std::int64_t segment = 3;

  std::mt19937 random;
  ModelConfig model;
  RunRequest request, other;
  TinyDecoder tiny;
  StateArchive archive{std::int64_t{1} << 30}, patch_archive{std::int64_t{1} << 30};
  RunControl control;

  explicit PatchCase(unsigned seed)
      : random(seed), model(random_family_config(random)), tiny(model, seed, at::kDouble) {
    request.config = random_small_config(random, model);
    request.config.segment_length = draw(random, 12, 26);
    request.config.carry_length = draw(random, 1, request.config.segment_length - 4);
    request.config.sink_length = draw(random, 0, 4);
    request.config.retrieval_length = draw(random, 4, 20);
    request.config.grouping = Grouping({1}, {{0, 2}});
    const std::int64_t tokens = std::min(5 * request.config.segment_length - 2, model.vocabulary);
    auto ids = distinct_ids(random, tokens, model.vocabulary);
    request.ids = std::make_shared<std::vector<std::int32_t>>(ids);
    std::ranges::reverse(ids);
    other = request;
    other.ids = std::make_shared<std::vector<std::int32_t>>(ids);
  }

  std::int64_t length() const { return request.config.segment_length; }

  /// The other text reads the same tokens in the segment, and the same one after it.
  void share_the_segment() {
    auto ids = *other.ids;
    const std::int64_t first = segment * length(), last = std::min(first + length() + 1, std::ssize(ids));
    std::copy(request.ids->begin() + first, request.ids->begin() + last, ids.begin() + first);
    other.ids = std::make_shared<std::vector<std::int32_t>>(ids);
  }

  std::vector<HeadRef> all_heads() const {
    std::vector<HeadRef> heads;
    for (int layer = 0; layer < model.layers; ++layer)
      for (int head = 0; head < model.heads; ++head) heads.push_back({layer, head});
    return heads;
  }
  std::vector<HeadRef> some_heads() {
    std::vector<HeadRef> heads;
    for (const HeadRef& head : all_heads())
      if (draw(random, 0, 3) == 0) heads.push_back(head);
    if (heads.empty()) heads.push_back({0, 0});
    return heads;
  }

  struct Result {
    WhatIfBase base;
    WhatIfOutcome edited;
  };
  Result run(const WhatIfRequest& asked) {
    Result result;
    result.base = run_what_if(
        tiny.decoder, asked, [&](std::size_t, const WhatIfOutcome& outcome) { result.edited = outcome; }, control,
        archive, patch_archive);
    return result;
  }
  WhatIfRequest patched(const SegmentEdit& edit, const RunRequest& source, std::int64_t token = 0,
                        std::int32_t foil = 0) const {
    WhatIfRequest asked{request, segment, {edit}};
    asked.prediction = PredictionQuestion{token, foil};
    asked.patch_source = PatchSource{source};
    return asked;
  }
  /// The segment of a run, as it was.
  WhatIfOutcome as_it_was(const RunRequest& of) {
    const auto session_of = [&] {
      WhatIfRequest asked{of, segment, {}};
      asked.prediction = PredictionQuestion{0, 0};
      return asked;
    };
    return run(session_of()).base.as_it_was;
  }

  /// Returns the problem for which patching with an edit is refused; empty if it is not.
  QString refusal(const SegmentEdit& edit, const RunRequest& source, std::int64_t of_segment = segment) {
    WhatIfRequest asked = patched(edit, source);
    asked.segment = of_segment;
    asked.prediction.reset();
    const auto error = error_of([&] { run(asked); });
    return error ? QString::fromStdString(error->problem()) : QString();
  }
};

}  // namespace carryover::test
