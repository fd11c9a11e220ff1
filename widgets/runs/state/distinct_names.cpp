// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/distinct_names.h"

#include <functional>

#include "widgets/runs/state/model_label.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/runs/state/run_digests.h"

namespace carryover {
namespace {

const QString dot = QStringLiteral(" · ");

QString name_of_model(const NamedRun& run) {
  return run.model.section(dot, 0, -3);
}

QString weights_of_model(const NamedRun& run) {
  return run.model.section(dot, -2);
}

QString short_id(const NamedRun& run) {
  constexpr qsizetype digits_shown = 8;
  const QString key = QStringLiteral("run: ");
  return run.details.startsWith(key) ? QStringLiteral("run-") + run.details.mid(key.size(), digits_shown) : QString();
}

/// Adds it to the names of those that share theirs with a run of which it is another one.
void tell_apart(std::vector<QString>& names, const std::vector<NamedRun>& runs,
                const std::function<QString(const NamedRun&)>& of) {
  const std::vector<QString> before = names;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t other = 0; other < runs.size(); ++other) {
      if (before[other] != before[i] || of(runs[other]) == of(runs[i]) || of(runs[i]).isEmpty()) continue;
      names[i] += dot + of(runs[i]);
      break;
    }
}

}  // namespace

NamedRun named_run(const RunModel& run) {
  return {run_name(run), model_label(run.model()), run_provenance(run)};
}

std::vector<QString> distinct_names(const std::vector<NamedRun>& runs) {
  std::vector<QString> names;
  for (const NamedRun& run : runs) names.push_back(run.name);
  tell_apart(names, runs, name_of_model);
  tell_apart(names, runs, weights_of_model);
  tell_apart(names, runs, short_id);
  return names;
}

}  // namespace carryover
