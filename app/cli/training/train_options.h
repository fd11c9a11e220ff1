// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/config_options.h"
#include "engine/training/records/training_plan.h"

namespace carryover {

struct TrainingField;
struct TrainingFlag;

/// The flags of a training run. As with ConfigOptions, a flag lands under its field's name, so that --config's file and
/// the command line are read and refused by the same code. Order: preset < stored run < --config < flags.
class TrainOptions {
 public:
  explicit TrainOptions(CLI::App& app);

  bool resumes() const { return given_->resume != nullptr && given_->resume->count() > 0; }

  /// The plan, checked against its model but for data and output folder. A model that is given by name may be fetched,
  /// with progress on standard error unless `quiet`. Throws EngineError{BadInput, Usage, Io}.
  TrainingPlan resolve(bool quiet = false) const;

 private:
  void add_data(CLI::App& app);
  void add_field(CLI::App& app, const TrainingField& field);
  void add_value(CLI::App& app, const char* key, const TrainingFlag& flag,
                 nlohmann::json (*read)(const std::string& text));

  struct Given {
    nlohmann::json fields = nlohmann::json::object();
    std::string preset, resume_folder;
    CLI::Option* resume = nullptr;
  };
  std::shared_ptr<Given> given_ = std::make_shared<Given>();
  ConfigOptions config_;
};

}  // namespace carryover
