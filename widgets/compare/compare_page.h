// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <vector>

#include "widgets/lab/linked_context.h"

namespace carryover {

class PlotView;

/// A page of the Compare panel. It is drawn only while the context has a comparison. GUI thread.
class ComparePage : public QWidget {
  Q_OBJECT
 public:
  ComparePage(LinkedContext& context, QWidget* parent) : QWidget(parent), context_(context) {}
  virtual std::vector<PlotView*> plots() = 0;
  virtual void restart() = 0;  ///< other runs or another range: what was drawn means nothing any more
  virtual void draw() = 0;     ///< what is new, and the selection

 Q_SIGNALS:
  void refresh_wanted();  ///< a choice on the page has changed

 protected:
  LinkedContext& context() { return context_; }
  const RunComparison& comparison() const { return *context_.comparison(); }

 private:
  LinkedContext& context_;
};

/// Model, settings and hashes of both runs: what a figure that compares them carries.
QString comparison_provenance(const RunComparison& comparison);
/// Says why there are no hits to compare.
QString no_hits_text(const RunComparison& comparison);

}  // namespace carryover
