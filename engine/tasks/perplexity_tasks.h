// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// The loss of the texts that SampleRequest::data names (as CorpusRequest::data does), by three conventions, whose
/// figures can't be compared with each other. None puts a BOS in front of what is run.
///
/// "ppl/disjoint": each document once through, cut to `length` tokens where one is given.
/// "ppl/truncated": the first `length` tokens of each document; shorter documents are left out.
/// "ppl/longlora": windows of `length` tokens, one every 256 tokens of all documents in a row.
///
/// A score is {"nll", "tokens"} of a sample. Aggregated: "perplexity", "nll", its logarithm, and "tokens"; of truncated
/// also "mean_perplexity", of the documents' own.
std::vector<std::string> perplexity_task_names();
std::unique_ptr<Task> make_perplexity_task(const std::string& name);

}  // namespace carryover
