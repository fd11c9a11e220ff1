// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/run_report.h"

#include <QDir>
#include <QTimer>

#include "app/window/bench_dialog.h"
#include "app/window/script_selection.h"
#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "widgets/heads/head_discovery_panel.h"
#include "widgets/heads/head_probe_form.h"
#include "widgets/heads/recall_heads_form.h"
#include "widgets/heads/recall_heads_panel.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_export.h"
#include "widgets/training/finetune_dialog.h"

namespace carryover {
namespace {

constexpr int settle_pause_ms = 250;  ///< a refresh and a replot are queued; a picture waits for both
constexpr int most_waits = 480;       ///< for the engine, of settle_pause_ms each

}  // namespace

RunReport::RunReport(MainWindow& window, const QString& directory, bool thorough, QObject* parent)
    : QObject(parent), window_(window), directory_(directory), thorough_(thorough), pictures_(window.docks().ids()) {
  pictures_.push_back(QStringLiteral("finetune"));
  pictures_.push_back(QStringLiteral("bench"));
  pictures_.push_back(QStringLiteral("window"));
}

void RunReport::start() {
  if (!QDir().mkpath(directory_)) {
    Q_EMIT failed(directory_);
    return;
  }
  select_something(window_.lab().context);
  raise_next();
}

// The best hit of the selected head is left out, so that there is something to see.
void RunReport::ask_what_if() {
  LabContext& lab = window_.lab().context;
  const Selection& selected = lab.selected();
  const HeadHits* hits = lab.run().hits(selected.segment, selected.layer, selected.head);
  if (!hits || !lab.what_ifs().results().empty() || !lab.what_ifs().unavailable().isEmpty()) return;
  lab.what_ifs().drop({selected.layer, selected.head, selected.token});
  lab.what_ifs().ask_run({selected.segment, {lab.what_ifs().draft()}}, tr("Without its best hit"));
}

void RunReport::ask_head_scores() {
  auto& heads = window_.docks().find<HeadDiscoveryPanel>();
  if (heads.sets().empty()) heads.form().profile();
}

/// Scores recall heads on a few short documents, if the open text has enough tokens for them.
void RunReport::ask_recall_heads() {
  Lab& lab = window_.lab();
  const auto& text = lab.loader.text();
  if (!text || text->contents || !lab.context.model() || !lab.runs.why_engine_is_busy().isEmpty()) return;
  RecallOrder order;
  order.texts = {text->name.toStdString()};
  order.documents = 3;
  order.held_out = order.needles = 1;
  order.segments = 4;
  const std::int64_t length = recall_preset(*lab.context.model(), {}).segment_length;
  auto& panel = window_.docks().find<RecallHeadsPanel>();
  if (!panel.heads().searchers.empty() || std::ssize(*text->ids) < order.segments * length) return;
  panel.form().set_order(order);
  panel.form().start();
}

bool RunReport::engine_works() const {
  if (window_.lab().head_profiles.active() || window_.lab().recall_heads.active()) return true;
  return window_.lab().context.inspections().next().has_value() || window_.lab().context.what_ifs().running();
}

QWidget* RunReport::raise(const QString& picture) {
  if (picture == QStringLiteral("what_if")) ask_what_if();
  if (picture == QStringLiteral("head_discovery")) ask_head_scores();
  if (picture == QStringLiteral("recall_heads") && thorough_) ask_recall_heads();
  if (picture == QStringLiteral("finetune")) return window_.dialogs().open_finetune();
  if (picture == QStringLiteral("bench")) return window_.dialogs().open_bench();
  if (picture != QStringLiteral("window")) {
    window_.docks().raise(picture);
    window_.docks().enlarge(picture);
    return window_.docks().panel(picture);
  }
  window_.dialogs().open_finetune()->close();
  window_.dialogs().open_bench()->close();
  window_.docks().arrange(default_arrangement());
  return &window_;  // with the front panels that it opens with
}

void RunReport::raise_next() {
  if (next_ == pictures_.size()) return Q_EMIT done(files_);
  save_settled(raise(pictures_[next_]), most_waits);
}

// Saves a widget once the engine is idle, because a view may need the engine for its contents.
void RunReport::save_settled(QWidget* widget, int waits) {
  QTimer::singleShot(settle_pause_ms, this, [this, widget, waits, worked = engine_works()] {
    if (waits > 0 && (worked || engine_works())) return save_settled(widget, waits - 1);
    if (!save(*widget, pictures_[next_])) return;
    ++next_;
    raise_next();
  });
}

bool RunReport::save(QWidget& widget, const QString& name) {
  const QString path = QDir(directory_).filePath(name + QStringLiteral(".png"));
  try {
    write_picture(widget, path);
  } catch (const EngineError&) {
    Q_EMIT failed(path);
    return false;
  }
  ++files_;
  return true;
}

}  // namespace carryover
