// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

#include "widgets/lab/lab_context.h"

namespace carryover {

/// Edits LabContext::foil(). Every view that shows logits has one; all show the same text. GUI thread.
class FoilField : public QLineEdit {
  Q_OBJECT
 public:
  explicit FoilField(LabContext& context, QWidget* parent = nullptr);

 private:
  void show_foil();

  FoilToken& foil_;
};

}  // namespace carryover
