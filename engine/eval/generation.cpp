// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/generation.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

#include "engine/core/base/error.h"
#include "engine/core/run/partition.h"
#include "engine/eval/text_run.h"
#include "engine/method/sampling.h"

namespace carryover {

namespace {

/// Whole segments first, then what remains as an open one. Returns the hidden state of the prompt's last token, [1, D].
at::Tensor run_prompt(const Decoder& decoder, SegmentRunner& runner, const GenerateRequest& request) {
  at::Tensor hidden;
  std::int64_t done = 0;
  const auto tokens = static_cast<std::int64_t>(request.prompt.size());
  for (std::int64_t length : prompt_partition(tokens, request.config)) {
    hidden = runner.run_segment(ids_tensor(decoder, part_of(request.prompt, done, length)));
    done += length;
  }
  if (done < tokens) hidden = runner.extend(ids_tensor(decoder, part_of(request.prompt, done, tokens - done)));
  return hidden.narrow(0, hidden.size(0) - 1, 1);
}

}  // namespace

GenerateResult generate_text(const Decoder& decoder, const GenerateRequest& request,
                             const std::function<bool(std::int32_t)>& on_token, RunControl& control) {
  const at::NoGradGuard no_gradients;
  const at::AutoDispatchBelowADInplaceOrView plain_ops;  // a token's operations are small: their dispatch counts
  RunRequest prompt;
  prompt.ids = std::make_shared<const std::vector<std::int32_t>>(request.prompt);
  prompt.policy = request.policy;
  prompt.config = request.config;
  prompt.loss = false;
  check_request(decoder, prompt, request.max_new_tokens);

  const auto expected = static_cast<std::int64_t>(request.prompt.size()) + request.max_new_tokens;
  PreparedRun prepared(decoder, {request.policy, request.config, expected, {}, [&](int) { control.checkpoint(); }});
  SegmentRunner& runner = prepared.runner();
  Sampler sampler(request.sampling);
  GenerateResult result;
  auto clock = std::chrono::steady_clock::now();
  const auto lap = [&clock] {
    const auto before = std::exchange(clock, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(clock - before).count();
  };
  try {
    at::Tensor last = run_prompt(decoder, runner, request);
    result.prompt_seconds = lap();
    while (static_cast<std::int64_t>(result.ids.size()) < request.max_new_tokens) {
      const std::int32_t id = sampler.choose(decoder.logits(last)[0]);
      if (std::find(request.stop_ids.begin(), request.stop_ids.end(), id) != request.stop_ids.end()) break;
      result.ids.push_back(id);
      if (!on_token(id)) break;
      last = runner.extend(ids_tensor(decoder, {&id, 1}));
      if (runner.open_length() == request.config.segment_length) runner.close();
    }
  } catch (const EngineError& error) {
    if (error.fault() != Fault::Cancelled) throw;
    result.cancelled = true;
  }
  result.decode_seconds = lap();
  return result;
}

}  // namespace carryover
