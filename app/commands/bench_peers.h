// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/commands/bench_schedule.h"

namespace carryover {

/// transformers, in the Python `python` (an interpreter that has it), on the same model or shape, ids, number type and
/// threads. Starts it and waits until the model is loaded. Throws EngineError{Io} with what Python said,
/// EngineError{Cancelled} after a stop request.
std::unique_ptr<BenchSubject> transformers_subject(const std::string& python, const BenchInput& input,
                                                   RunControl& control);

/// llama.cpp's llama-bench, where PATH has one and the model is a GGUF file; else null, and why it is absent.
std::unique_ptr<BenchSubject> llama_bench_subject(const BenchInput& input, std::string& why_not);

}  // namespace carryover
