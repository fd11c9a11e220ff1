// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/icons.h"

#include <QAbstractButton>
#include <QAction>
#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QPointer>
#include <QSvgRenderer>
#include <functional>
#include <vector>

#include "engine/base/error.h"
#include "widgets/look/theme.h"

// Outside any namespace, as Qt asks: a static library's resources must be named to be linked in.
static void link_resources() {
  Q_INIT_RESOURCE(resources);
}

namespace carryover {
namespace {

constexpr int icon_size = 20;

struct Wearer {
  QPointer<QObject> object;
  std::function<void()> dress;
};

std::vector<Wearer>& wearers() {
  static std::vector<Wearer> list;
  return list;
}

QPixmap draw(const QByteArray& svg, const QColor& colour, int scale) {
  QByteArray coloured = svg;
  coloured.replace("currentColor", colour.name().toLatin1());
  QPixmap pixmap(icon_size * scale, icon_size * scale);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  QSvgRenderer(coloured).render(&painter);
  painter.end();
  pixmap.setDevicePixelRatio(scale);
  return pixmap;
}

template <typename Widget>
void wear(Widget* widget, const QString& name) {
  const auto dress = [widget, name] { widget->setIcon(themed_icon(name)); };
  dress();
  auto& list = wearers();
  std::erase_if(list, [widget](const Wearer& wearer) { return wearer.object.isNull() || wearer.object == widget; });
  list.push_back({widget, dress});
}

}  // namespace

void load_resources() {
  link_resources();
}

QIcon themed_icon(const QString& name) {
  return coloured_icon(name, current_theme().text);
}

QIcon coloured_icon(const QString& name, const QColor& colour) {
  load_resources();
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  CARRYOVER_CHECK(file.open(QIODevice::ReadOnly));
  const QByteArray svg = file.readAll();
  QIcon icon;
  for (int scale : {1, 2, 3}) {
    icon.addPixmap(draw(svg, colour, scale), QIcon::Normal);
    icon.addPixmap(draw(svg, current_theme().padding, scale), QIcon::Disabled);
  }
  return icon;
}

void set_themed_icon(QAction* action, const QString& name) {
  wear(action, name);
}
void set_themed_icon(QAbstractButton* button, const QString& name) {
  wear(button, name);
}

void refresh_themed_icons() {
  for (const Wearer& wearer : wearers())
    if (!wearer.object.isNull()) wearer.dress();
}

}  // namespace carryover
