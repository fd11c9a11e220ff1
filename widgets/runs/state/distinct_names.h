// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

namespace carryover {

class RunModel;

/// A run as a view names it where several stand side by side. A plain value.
struct NamedRun {
  QString name;
  QString model;    ///< model_label()
  QString details;  ///< run_provenance()
};

NamedRun named_run(const RunModel& run);

/// Returns the runs' names, in the same order. If several have one name, what tells them apart is added: the model's
/// name; else its dtype and hash; else the run's id.
std::vector<QString> distinct_names(const std::vector<NamedRun>& runs);

}  // namespace carryover
