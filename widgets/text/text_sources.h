// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <QWidget>
#include <cstdint>
#include <optional>

#include "widgets/lab/inspection_view.h"
#include "widgets/lab/linked_context.h"
#include "widgets/text/state/token_source_values.h"

class QLabel;

namespace carryover {

class FoilField;

/// The sources of a token as a colour of the text: of the selected one, or of the one that the pointer rests on. Asks
/// for them, has their strengths, and says above the text what they are. Lives shorter than its context. GUI thread.
class TextSources : public QWidget {
  Q_OBJECT
 public:
  TextSources(LinkedContext& context, QWidget* parent);

  /// Chooses how a source is weighed, and in words whose attention it gets; no value: another colour is chosen.
  void choose(std::optional<SourceValue> value, const QString& heads);
  void refresh();                    ///< for what is selected and chosen now
  void preview(std::int64_t token);  ///< the one that the pointer is on; -1: none
  void forget();                     ///< another run or model: what is said is not of it
  void stop_asking();                ///< until refresh()

  std::optional<QColor> colour(std::int64_t token) const;  ///< nothing: the token is no source
  QString tooltip(std::int64_t token) const;  ///< what it is as a source; empty where there is nothing to say

 Q_SIGNALS:
  void answered();  ///< there may be something new for refresh()
  void recoloured();

 private:
  /// Fills values_ and says what they are. Where they are not known, it leaves them and says why.
  bool find_sources(std::int64_t token, QString& says);

  LinkedContext& context_;
  InspectionView view_;
  QLabel* legend_;
  FoilField* foil_;  ///< beside the legend, where logits are the colour
  std::optional<SourceValue> value_;
  QString heads_;
  QTimer rest_timer_{this};  ///< until the pointer rests
  std::int64_t previewed_ = -1;
  TokenSourceValues values_;  ///< that the text is coloured by; empty where they are not the colour
};

}  // namespace carryover
