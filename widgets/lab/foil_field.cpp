// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/foil_field.h"

#include "widgets/look/theme.h"

namespace carryover {

FoilField::FoilField(LabContext& context, QWidget* parent) : QLineEdit(parent), foil_(context.foil()) {
  setPlaceholderText(tr("Foil token"));
  setAccessibleName(tr("Foil token"));
  setClearButtonEnabled(true);
  setMaximumWidth(fontMetrics().averageCharWidth() * 20);
  connect(this, &QLineEdit::textChanged, &foil_, &FoilToken::set_text);
  connect(&foil_, &FoilToken::changed, this, &FoilField::show_foil);
  show_foil();
}

void FoilField::show_foil() {
  if (text() != foil_.text()) setText(foil_.text());
  QPalette palette;
  if (!foil_.problem().isEmpty()) palette.setColor(QPalette::Text, current_theme().anchor);
  setPalette(palette);
  setToolTip(foil_.problem().isEmpty() ? tr("Token to compare with: logits become the target's minus the foil's. A "
                                            "space before a word belongs to the token")
                                       : foil_.problem());
}

}  // namespace carryover
