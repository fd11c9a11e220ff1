// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/statistics/bootstrap.h"

namespace carryover {

/// The contents of a prompt set's prompts.json (prompt_results.h), checked, because the file may come from anybody. A
/// plain value.
struct PromptReport {
  struct Example {
    std::string name;
    std::vector<std::string> tags;
    std::string folder, against_folder;         ///< run folders in the prompt set's, relative; empty: not run
    std::string error;                          ///< the error of a failed run; then there are no values
    std::vector<std::optional<double>> values;  ///< by prompt_columns()
  };
  struct Slice {
    std::optional<std::string> tag;                   ///< none: all examples
    std::int64_t examples = 0;                        ///< number of examples that have run
    std::vector<std::optional<MeanInterval>> values;  ///< by prompt_columns(); without bounds for few examples
    std::vector<std::int64_t> counts;                 ///< number of examples that have a value, by prompt_columns()
  };
  std::string prompts;              ///< the file
  std::string model;                ///< name, as its files have it
  std::string model_path, adapter;  ///< folders; `model_path` empty: written by an earlier version
  std::string policy, against;      ///< `against` empty: no control
  bool complete = false;            ///< every example has been run
  std::vector<Example> examples;
  std::vector<Slice> slices;  ///< the one of all examples first
};

/// Reads the report in a prompt set's folder. Throws EngineError{Io, BadInput} naming the file and the field.
PromptReport read_prompt_report(const std::string& folder);

}  // namespace carryover
