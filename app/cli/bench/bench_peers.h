// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/cli/bench/bench_schedule.h"

namespace carryover {

/// transformers, in the Python `python` (an interpreter that has it), on the same model or shape, ids, dtype and
/// threads: as it comes, and where there is `decoding`, with a static cache and torch.compile too. Starts it and waits
/// until the model is loaded. Throws EngineError{Io} with what Python said, EngineError{Cancelled} after a stop
/// request.
std::vector<std::unique_ptr<BenchSubject>> transformers_subjects(const std::string& python, const BenchInput& input,
                                                                 bool decoding, RunControl& control);

/// llama.cpp's llama-bench, without and with -fa, where PATH has one and the model is a GGUF file; else none, and why.
std::vector<std::unique_ptr<BenchSubject>> llama_bench_subjects(const BenchInput& input, std::string& why_not);

}  // namespace carryover
