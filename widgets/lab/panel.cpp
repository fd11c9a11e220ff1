// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/panel.h"

#include <QShowEvent>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "engine/runs/records/run_command.h"
#include "widgets/lab/foil_field.h"
#include "widgets/look/icons.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {

// Starts out pending: the first show draws what is there.
Panel::Panel(LabContext& context, const QString& title, QWidget* parent)
    : QWidget(parent), context_(context, [this] { request_refresh(); }), title_(title), pending_(true) {
  setAccessibleName(title);
  connect(&context.run(), &RunModel::reset, this, [this] { context_.forget_run(); });
}

void Panel::set_linked(bool linked) {
  context_.set_linked(linked);
  show_linked();
}

QWidget* Panel::sync_toggle() {
  if (sync_) return sync_;
  sync_ = new QToolButton(this);
  sync_->setObjectName(QStringLiteral("sync_toggle"));
  sync_->setCheckable(true);
  sync_->setAutoRaise(true);
  sync_->setAccessibleName(tr("Linked selection"));
  connect(sync_, &QToolButton::toggled, this, &Panel::set_linked);
  show_linked();
  return sync_;
}

void Panel::show_linked() {
  if (!sync_) return;
  const QSignalBlocker blocker(sync_);
  sync_->setChecked(linked());
  sync_->setIcon(themed_icon(linked() ? QStringLiteral("link") : QStringLiteral("unlink")));
  sync_->setToolTip(linked()
                        ? tr("Linked: follows the selection in other views. Click to unlink and keep this selection.")
                        : tr("Unlinked: keeps its own selection. Click to follow the other views again."));
}

void Panel::request_refresh() {
  if (pending_) return;
  pending_ = true;
  if (is_seen()) queue_refresh();
}

void Panel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (pending_) queue_refresh();
}

void Panel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  unseen();
}

void Panel::set_covered(bool covered) {
  if (covered_ == covered) return;
  covered_ = covered;
  if (covered) unseen();
  if (pending_ && is_seen()) queue_refresh();
}

void Panel::queue_refresh() {
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (is_seen()) catch_up();
      },
      Qt::QueuedConnection);
}

void Panel::catch_up() {
  if (!std::exchange(pending_, false)) return;
  if (first_controls_.empty()) first_controls_ = panel_controls(*this);
  refresh();
  for (PlotView* plot : plots()) plot->set_remake([this, plot] { return remake_command(plot->id()); });
}

QString Panel::source_folder() {
  const RunModel& run = context_.run();
  if (run.is_empty() || run.origin().command_line.empty()) return {};
  if (!run.origin().folder.empty()) return QString::fromStdString(run.origin().folder);
  return QString::fromStdString(run_folder_name(describe(run)));
}

QStringList Panel::remake_command(const QString& plot) {
  const QString folder = source_folder();
  if (folder.isEmpty()) return {};
  QStringList words{QStringLiteral("carryover"), QStringLiteral("export"), folder, QStringLiteral("--figure"), plot};
  const Selection selected = folder == Panel::source_folder() ? context_.selected() : Selection{};
  for (const auto& [flag, value] : {std::pair<const char*, std::int64_t>("--segment", selected.segment),
                                    {"--layer", selected.layer},
                                    {"--head", selected.head},
                                    {"--token", selected.token}})
    if (value >= 0) words += {QLatin1String(flag), QString::number(value)};
  const auto* foil = findChild<FoilField*>();
  if (foil && !foil->text().isEmpty()) words += {QStringLiteral("--foil"), foil->text()};
  for (const PanelControl& control : panel_controls(*this))
    if (!(foil && control.name == foil->accessibleName()) &&
        std::find(first_controls_.begin(), first_controls_.end(), control) == first_controls_.end())
      words += {QStringLiteral("--choose"), control.name + QLatin1Char('=') + control.value};
  return words;
}

}  // namespace carryover
