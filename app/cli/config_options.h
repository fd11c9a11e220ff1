// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/core/config/segment_config.h"
#include "engine/records/run_settings.h"

namespace carryover {

struct SegmentField;

inline constexpr const char* kFlagsName = "command line";  ///< for errors of flags

/// What --config takes: a file's name, or the object itself. Throws EngineError{Io, BadInput}.
nlohmann::json read_settings(const std::string& source);
std::string settings_name(const std::string& source);  ///< for errors

/// The flags of a configuration, after defaults < --config < flags. Each one lands in a JSON object under the field's
/// name, so that a flag and a line of --config's file are read and refused by the same code.
class ConfigOptions {
 public:
  explicit ConfigOptions(CLI::App& app);

  /// --preset, between the defaults and --config.
  void add_preset(CLI::App& app);

  /// Throws EngineError{BadInput, Usage} naming the field, and the file where it came from one.
  RunSettings resolve(const ModelConfig& model, const SegmentConfig& defaults) const;
  /// The same over settings that are there already.
  RunSettings resolve(const ModelConfig& model, RunSettings settings) const;

  /// For verbs that take more fields than a run has: --config's file, or an empty text, and what the other flags say,
  /// presets of grouping and position scaling written out for `model`. Throws as resolve().
  const std::string& config_file() const { return given_->config_file; }
  nlohmann::json fields(const ModelConfig& model) const;

 private:
  void add_fields(CLI::App& app);
  template <typename Value>
  void add_value(CLI::App& app, const SegmentField& field, const char* type, const std::string& help);
  void add_list(CLI::App& app, const SegmentField& field, const std::string& help);
  void add_heads(CLI::App& app, const SegmentField& field, const std::string& help);
  void add_patterns(CLI::App& app, const SegmentField& field, const std::string& help);
  void add_switch(CLI::App& app, const SegmentField& field, const std::string& help);
  void add_execution(CLI::App& app);

  struct Given {
    nlohmann::json fields = nlohmann::json::object();
    std::string config_file, grouping, rope, preset;
  };
  std::shared_ptr<Given> given_ = std::make_shared<Given>();
};

}  // namespace carryover
