// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/sample_asker.h"
#include "engine/cost/machine_limits.h"

namespace carryover {

class CampaignObserver;

/// The work of a sample: operations of reading it, and bytes that decoding reads. A plain value.
struct SampleWork {
  double flops = 0, bytes = 0;
  SampleWork& operator+=(const SampleWork& other);
};

/// Returns the work of a sample of `tokens` tokens, whose answer is as long as the task allows. Pure.
SampleWork sample_work(const ModelConfig& model, const SegmentConfig& config, const std::string& policy, DType dtype,
                       const Task& task, std::int64_t tokens, std::size_t choices);

/// Returns the seconds on a machine with these limits, at the shares of them that the engine reaches.
double expected_seconds(const SampleWork& work, const MachineLimits& limits);
/// Returns limits to assume for a machine that was not measured.
MachineLimits usual_limits();

/// Returns the expected cost of an evaluation: samples, tokens and hours of each task and length, for each policy.
/// Makes the samples, measures the machine for two seconds, writes nothing. `as_json`: returns it as a JSON object.
/// Throws as Task::samples().
std::string evaluation_forecast(const EvaluationPlan& plan, int threads, const ChatText& chat, bool as_json,
                                CampaignObserver& observer);

}  // namespace carryover
