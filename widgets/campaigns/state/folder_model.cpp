// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/state/folder_model.h"

namespace carryover {

void FolderModel::open(const QString& folder) {
  folder_ = folder;
  forget();
  tell_news({});
}

void FolderModel::tell_news(const QString& problem) {
  problem_ = problem;
  Q_EMIT cells_changed();
  Q_EMIT changed();
}

void FolderModel::set_problem(const QString& problem) {
  if (problem == problem_) return;
  problem_ = problem;
  Q_EMIT changed();
}

void FolderModel::set_work(Work work, const QString& said) {
  if (work == work_ && said == said_) return;
  work_ = work;
  said_ = said;
  Q_EMIT changed();
}

}  // namespace carryover
