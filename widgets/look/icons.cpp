// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QStyle>
#include <QStyleOption>
#include <QSvgRenderer>

#include "engine/base/error.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/theme.h"

// Outside any namespace, as Qt asks: a static library's resources must be named to be linked in.
static void link_resources() {
  Q_INIT_RESOURCE(resources);
}

namespace carryover {
namespace {

constexpr QSize icon_size(20, 20);  ///< at most, in device-independent pixels

/// Draws an SVG in a colour, or in that of the theme's text, which may change while the icon is worn.
class SvgIcon : public QIconEngine {
 public:
  SvgIcon(const QString& name, const QColor& colour) : name_(name), colour_(colour) {
    load_resources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    CARRYOVER_CHECK(file.open(QIODevice::ReadOnly));
    svg_ = file.readAll();
  }
  QIconEngine* clone() const override { return new SvgIcon(*this); }
  QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size.boundedTo(icon_size); }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1);
  }
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State /*state*/, qreal scale) override {
    const QColor normal = colour_.isValid() ? colour_ : current_theme().text;
    const QPixmap drawn = draw(mode == QIcon::Disabled ? current_theme().padding : normal,
                               size.boundedTo((QSizeF(icon_size) * scale).toSize()));
    if (mode != QIcon::Selected) return drawn;
    QStyleOption option(0);
    option.palette = QGuiApplication::palette();
    return QApplication::style()->generatedIconPixmap(mode, drawn, &option);
  }
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const qreal scale = painter->device()->devicePixelRatioF();
    painter->drawPixmap(rect, scaledPixmap((QSizeF(rect.size()) * scale).toSize(), mode, state, scale));
  }

 private:
  QPixmap draw(const QColor& colour, const QSize& size) const {
    const QString key = filled(QStringLiteral("icon %1 %2 %3 %4"), name_, colour.name(), size.width(), size.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(QByteArray(svg_).replace("currentColor", colour.name().toLatin1())).render(&painter);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }

  QString name_;
  QColor colour_;
  QByteArray svg_;
};

}  // namespace

void load_resources() {
  link_resources();
}

QIcon themed_icon(const QString& name) {
  return coloured_icon(name, {});
}

QIcon coloured_icon(const QString& name, const QColor& colour) {
  return QIcon(new SvgIcon(name, colour));
}

}  // namespace carryover
