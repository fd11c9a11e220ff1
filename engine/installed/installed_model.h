// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace carryover {

/// A model that a folder holds, before its files are opened. A plain value; any thread.
struct ModelCandidate {
  std::string program;               ///< ModelPlace::program
  std::string name;                  ///< for people: "org/name", "llama3.2:1b"; any bytes that a file name may have
  std::string path;                  ///< the folder or GGUF file to open; of a split GGUF, the first part that is there
  std::vector<std::string> weights;  ///< the files whose sizes add up to the model's; empty if the model has none
  std::vector<std::string> others;   ///< further files on which the facts depend
  bool is_folder = false;            ///< a Hugging Face folder; else a GGUF file
};

/// Facts from the headers of a model's files. What the headers do not say, or can't be read, is empty or 0. All texts
/// are UTF-8. A plain value; any thread.
struct ModelFacts {
  std::string architecture;     ///< as the file names it: "llama", "bert"
  std::string family;           ///< Family::models; empty if no family here has the architecture
  std::string storage;          ///< "Q4_K_M", "BF16": the file's own name for it, or the type of most numbers
  std::int64_t parameters = 0;  ///< those of the model; if it does not open, the numbers that its tensors hold
  std::int64_t context = 0;     ///< tokens
  /// The forecast of a run with the settings that the model opens with, in bytes: what it holds at once for a text of
  /// some segments is `memory` + tokens · `memory_per_token`.
  std::int64_t memory = 0, memory_per_token = 0;
  std::string problem, advice;  ///< why this program does not open the model; empty if it does

  bool opens() const { return problem.empty(); }
  /// Returns the forecast for a text of so many tokens, or 0 if there is none.
  std::int64_t memory_for(std::int64_t tokens) const;
  bool operator==(const ModelFacts&) const = default;
};

/// A model on this computer. A plain value; any thread.
struct InstalledModel {
  std::string name, program, path;  ///< as in ModelCandidate
  std::int64_t bytes = 0;
  ModelFacts facts;
};

void to_json(nlohmann::json& json, const ModelFacts& facts);
/// Throws nlohmann::json::exception where a field is missing or of another type.
void from_json(const nlohmann::json& json, ModelFacts& facts);

/// The length of a text for which lists tell the memory, unless another is asked for.
inline constexpr std::int64_t kListedTokens = 32768;

/// Returns the model as `models --json` prints it, with the memory for a text of `tokens`: facts that are not known are
/// null.
nlohmann::json model_entry(const InstalledModel& model, std::int64_t tokens = kListedTokens);

}  // namespace carryover
