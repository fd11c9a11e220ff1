// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointF>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace carryover {

class EvaluationModel;
class ExperimentModel;
class RunModel;
class RunOutline;
class TrainingModel;
struct PromptReport;
struct Question;
struct WhatIfResult;

enum class ListedKind { Run, Training, WhatIf, Experiment, Evaluation, PromptSet, Question };
/// The completeness of an entry; Missing: its files are gone.
enum class Standing { Whole, Partial, UnderWay, Missing };

/// Mean loss in nats over the tokens read, a point where each segment ends.
using LossCurve = std::vector<QPointF>;

/// The entry of one run in the list of runs: enough to find it again. A plain value.
struct ListedRun {
  ListedKind kind = ListedKind::Run;
  /// Absolute path of the journal or folder, which tells entries apart. The place of a what-if or a question is no
  /// path.
  QString place;
  QString name;          ///< its own, or the one that the user gave it
  bool renamed = false;  ///< by the user
  QStringList tags;
  QString text, policy;  ///< text: its name; of a question the answer
  QString model;         ///< name and adapter · dtype · hash
  QString details;       ///< whatever makes it again: the tooltip
  QString saved_in;      ///< run folder that it was also saved in; empty: none
  Standing standing = Standing::Whole;
  std::int64_t tokens = 0, expected_tokens = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< mean, nats; of a what-if the change, after − before
  std::int64_t bytes = 0;                                  ///< on disk
  std::int64_t made_ms = 0;                                ///< since 1970, UTC
  int tick = 0;                             ///< place among the compared runs, from 1 on; 0: not compared
  bool resumable = false;                   ///< by what is on disk, where it is Partial
  std::shared_ptr<const LossCurve> losses;  ///< null: not read yet

  bool ticked() const { return tick > 0; }
};
QString kind_name(ListedKind kind);
/// Returns true if the entry has files, which can be measured and can disappear. What-ifs and questions are kept in the
/// session.
bool has_files(ListedKind kind);
/// Returns true if only the list keeps the run: it is a journal of the session, in no folder of the user's.
bool is_journal(const ListedRun& run);

ListedRun listed(const RunModel& run, const QString& place);
ListedRun listed(const TrainingModel& run);
ListedRun listed(const WhatIfResult& result, int id);
ListedRun listed(const Question& question);
ListedRun listed(const ExperimentModel& experiment);
ListedRun listed(const EvaluationModel& evaluation);
/// Returns the entry of a prompt set in `folder`. `report` may be null if nothing of the set was read yet.
ListedRun listed_prompts(const QString& folder, const PromptReport* report, bool is_running);
std::shared_ptr<const LossCurve> loss_curve(const RunOutline& outline);

}  // namespace carryover
