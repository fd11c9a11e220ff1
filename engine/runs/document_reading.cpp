// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/document_reading.h"

#include <ATen/core/grad_mode.h>

#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"

namespace carryover {

void go_behind(const Decoder& decoder, SegmentRunner& runner, const ReadDocument& wanted, DocumentState* document) {
  const RunRequest& text = wanted.text;
  if (document != nullptr) {
    if (auto state = document->behind(text, wanted.ntk_length)) return runner.resume(std::move(state));
    document->clear();
  }
  for (const std::int64_t length : document_partition(std::ssize(*text.ids), text.config))
    runner.run_segment(ids_tensor(decoder, part_of(*text.ids, runner.state().next.first_token, length)));
  if (document != nullptr) document->keep(text, runner.state(), wanted.ntk_length);
}

StateInfo read_document(const Decoder& decoder, RunRequest text, const LoadProgress& progress, RunControl& control,
                        DocumentState& document) {
  const at::NoGradGuard no_gradients;
  text.loss = false;
  if (text.ids && document.behind(text, document_ntk_length(decoder, text, std::ssize(*text.ids))))
    return document.info();
  check_request(decoder, text, std::nullopt, document.pool_bytes());
  const std::int64_t tokens = std::ssize(*text.ids), length = text.config.segment_length,
                     ntk_length = document_ntk_length(decoder, text, tokens);
  const SegmentRunner* running = nullptr;
  const auto after_layer = [&](int layer) {
    control.checkpoint();
    if (!progress || running == nullptr) return;
    const std::int64_t done = running->state().next.first_token;
    const double of_segment =
        static_cast<double>(std::min(length, tokens - done)) * (layer + 1) / static_cast<double>(decoder.config.layers);
    progress((static_cast<double>(done) + of_segment) / static_cast<double>(tokens), "reading the document");
  };
  PreparedRun prepared(decoder, {text.policy, text.config, tokens, text.forced_hits, after_layer});
  running = &prepared.runner();
  go_behind(decoder, prepared.runner(), {text, ntk_length}, &document);
  return document.info();
}

}  // namespace carryover
