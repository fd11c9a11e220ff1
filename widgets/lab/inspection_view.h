// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>

#include "widgets/lab/lab_context.h"

namespace carryover {

/// A panel's side of LabContext::inspections(): asks under the panel's name, and has words for what is in the way.
/// Owner: the panel. GUI thread.
class InspectionView {
 public:
  /// `changed` is called when there may be an answer.
  InspectionView(LabContext& lab, const QString& name, QObject* owner, const std::function<void()>& changed);

  /// The answer to these parts of a segment of the run; null where it is not there yet. Null parts too.
  std::shared_ptr<const Inspection> ask(int segment, const InspectionParts& parts);
  void forget();
  QString why_not() const;  ///< what to show in place of an answer

 private:
  QPointer<Inspections> inspections_;  ///< gone before the panels when the window closes
  QString name_;
};

}  // namespace carryover
