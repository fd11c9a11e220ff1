// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/palette_commands.h"

#include <QAction>
#include <QCoreApplication>
#include <QDockWidget>
#include <QMenu>
#include <QPointer>
#include <QRegularExpression>
#include <algorithm>
#include <set>

#include "engine/cost/policy_table.h"
#include "widgets/lab/notebook.h"
#include "widgets/lab/panel.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

/// Returns the words before an action's name: the panel that it belongs to, and the plot where that panel has several.
QString owner_of(const QAction& action) {
  QString plot;
  for (QObject* object = action.parent(); object != nullptr; object = object->parent()) {
    if (auto* view = qobject_cast<PlotView*>(object)) plot = view->accessibleName();
    auto* panel = qobject_cast<Panel*>(object);
    if (panel == nullptr) continue;
    const bool several = !plot.isEmpty() && panel->plots().size() > 1;
    return panel->title() + (several ? QStringLiteral(", ") + plot : QString()) + QStringLiteral(": ");
  }
  return {};
}

bool is_command(const PanelDocks& docks, const QAction& action) {
  if (action.isSeparator() || action.menu() != nullptr || !action.isEnabled() || !action.isVisible() ||
      action.text().isEmpty())
    return false;
  if (docks.toggle_actions().contains(&action)) return false;
  const QObject* parent = action.parent();
  return !parent->objectName().startsWith(QStringLiteral("qt_")) && parent->objectName() != no_commands_name;
}

void add_actions(MainWindow& window, std::vector<Command>& commands) {
  std::set<QString> names;
  for (QAction* action : window.findChildren<QAction*>()) {
    if (!is_command(window.docks(), *action)) continue;
    const QString name = owner_of(*action) + action->text().remove(u'&');
    if (!names.insert(name).second) continue;
    commands.push_back(
        {name, action->shortcut().toString(QKeySequence::NativeText), [action = QPointer<QAction>(action)] {
           if (action) action->trigger();
         }});
  }
}

double mean_loss(const SegmentRecord& record) {
  return record.targets > 0 ? record.nll_sum / static_cast<double>(record.targets) : -1;
}

template <typename Value>
int largest(const RunModel& run, Value value) {
  int best = 0;
  for (int i = 1; i < run.segment_count(); ++i)
    if (value(run.digest(i)) > value(run.digest(best))) best = i;
  return best;
}

void add_segments(LabContext& lab, std::vector<Command>& commands) {
  if (lab.run().segment_count() == 0) return;
  commands.push_back({tr("Go to the segment with the highest loss"), {}, [&lab] {
                        lab.select_segment(
                            largest(lab.run(), [](const SegmentDigest& segment) { return mean_loss(segment.record); }));
                      }});
  commands.push_back({tr("Go to the segment with the most anchors"), {}, [&lab] {
                        lab.select_segment(
                            largest(lab.run(), [](const SegmentDigest& segment) { return segment.anchors; }));
                      }});
}

void add_settings(LabContext& lab, std::vector<Command>& commands) {
  if (!lab.model()) return;
  for (const GroupingPreset& preset : grouping_presets(*lab.model())) {
    const QString name = QString::fromStdString(preset.name);
    commands.push_back({tr("Grouping: %1").arg(name), {}, [&lab, grouping = preset.grouping, name] {
                          SegmentConfig config = lab.config();
                          config.grouping = grouping;
                          lab.edit_config(config, tr("grouping “%1”").arg(name));
                        }});
  }
  for (const std::string& policy : policy_names())
    commands.push_back({tr("Policy: %1").arg(QString::fromStdString(policy)), {}, [&lab, policy] {
                          RunOptions options = lab.run_options();
                          options.policy = policy;
                          lab.edit_run_options(options, tr("policy %1").arg(QString::fromStdString(policy)));
                        }});
}

}  // namespace

std::vector<Command> window_commands(MainWindow& window) {
  std::vector<Command> commands;
  LabContext& lab = window.lab().context;
  add_actions(window, commands);
  for (const QString& id : window.docks().ids())
    commands.push_back({tr("Show: %1").arg(window.docks().panel(id)->title()), {}, [&window, id] {
                          window.docks().raise(id);
                          window.docks().panel(id)->setFocus();
                        }});
  add_settings(lab, commands);
  add_segments(lab, commands);
  for (const Bookmark& bookmark : lab.notebook().bookmarks())
    commands.push_back({tr("Bookmark: %1").arg(bookmark.name), {}, [&lab, bookmark] { lab.go_to(bookmark); }});
  return commands;
}

std::vector<Command> commands_of_query(LabContext& lab, const QString& query) {
  static const auto pattern = [](const QString& text) {
    return QRegularExpression(QStringLiteral("^\\s*%1\\s*$").arg(text), QRegularExpression::CaseInsensitiveOption);
  };
  static const QRegularExpression segment =
                                      pattern(QStringLiteral("(?:s|seg|segment|%1)?\\s*(\\d+)").arg(tr("segment"))),
                                  token = pattern(QStringLiteral("(?:t|tok|token|%1)\\s*(\\d+)").arg(tr("token"))),
                                  head =
                                      pattern(QStringLiteral("(?:l|layer|%1)\\s*(\\d+)[\\s,]*(?:h|head|%2)\\s*(\\d+)")
                                                  .arg(tr("layer"), tr("head")));
  std::vector<Command> commands;
  if (const auto found = segment.match(query); found.hasMatch()) {
    const int wanted = found.captured(1).toInt();
    if (wanted < lab.run().segment_count())
      commands.push_back({tr("Go to segment %1").arg(wanted), {}, [&lab, wanted] { lab.select_segment(wanted); }});
  }
  if (const auto found = token.match(query); found.hasMatch()) {
    const qint64 wanted = found.captured(1).toLongLong();
    if (wanted < lab.run().token_count())
      commands.push_back({tr("Go to token %1").arg(wanted), {}, [&lab, wanted] { lab.select_token(wanted); }});
  }
  if (const auto found = head.match(query); found.hasMatch() && lab.model()) {
    const int layer = found.captured(1).toInt(), query_head = found.captured(2).toInt();
    if (layer < lab.model()->layers && query_head < lab.model()->heads)
      commands.push_back({filled(tr("Go to layer %1, head %2"), layer, query_head), {}, [&lab, layer, query_head] {
                            lab.select_head(layer, query_head);
                          }});
  }
  return commands;
}

}  // namespace carryover
