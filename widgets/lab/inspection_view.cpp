// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/inspection_view.h"

#include <QCoreApplication>

namespace carryover {

InspectionView::InspectionView(LabContext& lab, const QString& name, QObject* owner,
                               const std::function<void()>& changed)
    : inspections_(&lab.inspections()), name_(name) {
  QObject::connect(inspections_, &Inspections::changed, owner, changed);
}

std::shared_ptr<const Inspection> InspectionView::ask(int segment, const InspectionParts& parts) {
  if (segment < 0) {
    forget();
    return nullptr;
  }
  inspections_->want(name_, {segment, parts});
  return inspections_->answer(name_);
}

void InspectionView::forget() {
  if (inspections_) inspections_->forget(name_);
}

QString InspectionView::why_not() const {
  const QString problem = inspections_->problem(name_);
  if (!problem.isEmpty()) return problem;
  const QString waiting = inspections_->waiting_for();
  if (!waiting.isEmpty()) return QCoreApplication::translate("InspectionView", "Waiting: %1").arg(waiting);
  return QCoreApplication::translate("InspectionView", "Running the segment again to inspect it…");
}

}  // namespace carryover
