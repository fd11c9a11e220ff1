// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/config/segment_config.h"
#include "engine/runs/records/run_settings.h"

namespace carryover {

struct SegmentField;

inline constexpr const char* kFlagsName = "command line";  ///< for errors of flags

/// Returns the settings of --config, which names a file or is the object itself. Throws EngineError{Io, BadInput}.
nlohmann::json read_settings(const std::string& source);
std::string settings_name(const std::string& source);  ///< for errors

/// The flags of a configuration, which come after defaults and --config. Each flag sets the field's name in a JSON
/// object, so that the same code reads and refuses flags and the lines of --config's file.
class ConfigOptions {
 public:
  explicit ConfigOptions(CLI::App& app);

  /// Adds --preset, which comes between the defaults and --config.
  void add_preset(CLI::App& app);

  /// Throws EngineError{BadInput, Usage} naming the field, and the file where it came from one.
  RunSettings resolve(const ModelConfig& model, const SegmentConfig& defaults) const;
  /// Does the same over existing settings.
  RunSettings resolve(const ModelConfig& model, RunSettings settings) const;

  /// For verbs that take more fields than a run has: config_file() is --config's file, or empty; fields() are those of
  /// the other flags, with presets of grouping and position scaling written out for `model`. Throws as resolve().
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
