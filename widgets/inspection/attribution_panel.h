// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

class QComboBox;
class QLabel;

namespace carryover {

/// The sources of the selected token's logit, or of its difference from the foil's: by head, and by whether the head
/// read them in its carry, its retrieved prefix or the segment. GUI thread.
class AttributionPanel : public Panel {
  Q_OBJECT
 public:
  explicit AttributionPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {heads_, layers_}; }

 protected:
  void refresh() override;
  void unseen() override;

 private:
  enum Source { All, Sinks, Retrieved, Carry, Segment };
  void draw(const LogitAttribution& logit);
  void draw_layers(const LogitAttribution& logit);
  void clear(const QString& why);
  QString sum_text(const LogitAttribution& logit) const;
  QString logit_text(const Prediction& prediction) const;  ///< of the prediction that is taken apart
  QString csv() const;
  QString text_at(double x, double y) const;

  LabContext& lab_;
  InspectionView view_;
  std::shared_ptr<const Inspection> answer_;
  std::int64_t target_ = -1;  ///< absolute position of the token whose logit it is
  QComboBox* source_;
  class FoilField* foil_;
  QLabel* sum_;
  PlotView *heads_, *layers_;
  std::vector<int> curves_;  ///< sinks, retrieved, carry, segment, feed-forward
};

}  // namespace carryover
