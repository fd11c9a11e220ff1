// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/theme.h"

#include <QApplication>
#include <QFont>

#include "widgets/look/lab_style.h"

namespace carryover {
namespace {

Theme light_theme() {
  Theme theme;
  theme.kind = ThemeKind::Light;
  theme.background = 0xf3f4f6;
  theme.surface = 0xffffff;
  theme.text = 0x1c2430;
  theme.muted = 0x667080;
  theme.grid = 0xdde1e7;
  theme.accent = 0x1f5fbf;
  theme.anchor = 0xc2410c;
  theme.expanded = 0xe0a100;
  theme.padding = 0x9aa3b0;
  theme.local = 0x8b96a5;
  theme.long_range = 0x3a86c8;
  theme.retrieving = 0xc2410c;
  theme.carry = 0x0f8a6a;
  theme.series = {0x1f5fbf, 0xd55e00, 0x0f8a6a, 0xa0459b, 0xc99700, 0x2f9fc4, 0x5b6470};
  return theme;
}

Theme dark_theme() {
  Theme theme;
  theme.kind = ThemeKind::Dark;
  theme.background = 0x1b1f26;
  theme.surface = 0x12151a;
  theme.text = 0xe3e7ed;
  theme.muted = 0x929dad;
  theme.grid = 0x323945;
  theme.accent = 0x6aa9ff;
  theme.anchor = 0xff8a4c;
  theme.expanded = 0xf2c14e;
  theme.padding = 0x6b7686;
  theme.local = 0x7b8797;
  theme.long_range = 0x5db0f0;
  theme.retrieving = 0xff8a4c;
  theme.carry = 0x3ecf9f;
  theme.series = {0x6aa9ff, 0xff8a4c, 0x3ecf9f, 0xd58ad1, 0xf2c14e, 0x6fd0e8, 0xa3adba};
  return theme;
}

Theme& active_theme() {
  static Theme theme = light_theme();
  return theme;
}

}  // namespace

QPalette Theme::palette() const {
  const bool dark = kind == ThemeKind::Dark;
  const QColor button = dark ? background.lighter(125) : QColor(0xfafbfc);
  QPalette colours(button, background);
  colours.setColor(QPalette::Window, background);
  colours.setColor(QPalette::WindowText, text);
  colours.setColor(QPalette::Base, surface);
  colours.setColor(QPalette::AlternateBase, dark ? QColor(0x181c22) : QColor(0xf7f8fa));
  colours.setColor(QPalette::Text, text);
  colours.setColor(QPalette::Button, button);
  colours.setColor(QPalette::ButtonText, text);
  colours.setColor(QPalette::BrightText, dark ? QColor(Qt::white) : QColor(Qt::black));
  colours.setColor(QPalette::ToolTipBase, dark ? QColor(0x2a313b) : QColor(0xffffff));
  colours.setColor(QPalette::ToolTipText, text);
  colours.setColor(QPalette::PlaceholderText, muted);
  colours.setColor(QPalette::Link, accent);
  colours.setColor(QPalette::LinkVisited, accent);
  colours.setColor(QPalette::Highlight, accent);
  colours.setColor(QPalette::HighlightedText, dark ? QColor(0x0c1016) : QColor(0xffffff));
  colours.setColor(QPalette::Light, dark ? background.lighter(140) : QColor(0xffffff));
  colours.setColor(QPalette::Midlight, dark ? background.lighter(120) : QColor(0xeceff3));
  colours.setColor(QPalette::Mid, dark ? QColor(0x2a303a) : QColor(0xc4cad3));
  colours.setColor(QPalette::Dark, dark ? QColor(0x0d1014) : QColor(0xa6aeba));
  colours.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : QColor(0x7d8694));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    colours.setColor(QPalette::Disabled, role, dark ? QColor(0x5d6674) : QColor(0xa3abb7));
  colours.setColor(QPalette::Disabled, QPalette::Highlight, grid);
  return colours;
}

const Theme& current_theme() {
  return active_theme();
}
Theme theme_of(ThemeKind kind) {
  return kind == ThemeKind::Dark ? dark_theme() : light_theme();
}

void apply_theme(QApplication& application, ThemeKind kind) {
  active_theme() = theme_of(kind);
  application.setStyle(new LabStyle);
  // Pinned, so that installing another font never changes the look; the later ones fill in scripts and emoji.
  QFont font;
  font.setFamilies({QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"), QStringLiteral("WenQuanYi Micro Hei"),
                    QStringLiteral("Noto Color Emoji")});
  font.setPointSizeF(9.5);
  application.setFont(font);
  application.setPalette(active_theme().palette());
}

}  // namespace carryover
