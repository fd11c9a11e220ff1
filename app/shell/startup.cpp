// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/startup.h"

#include <QCoreApplication>
#include <QDir>

namespace carryover {
namespace {

constexpr std::int64_t first_segments = 16;  ///< of a text that nobody asked to be run whole

}  // namespace

Startup::Startup(MainWindow& window, const WindowOptions& options, QObject* parent)
    : QObject(parent), window_(window), options_(options) {
  RunController& controller = window.controller();
  connect(&controller.loader(), &ModelLoader::model_opened, this, [this] {
    RunOptions run = window_.context().run_options();
    run.token_limit = options_.tokens.value_or(first_segments * window_.context().config().segment_length);
    window_.context().set_run_options(run);
  });
  connect(&controller, &RunController::run_ended, this, [this] {
    if (!expects_more_) Q_EMIT finished();
  });
  connect(&controller, &RunController::run_opened, this, &Startup::finished);
  connect(&controller, &RunController::failed, this, [this] {
    if (!expects_more_) Q_EMIT finished();
  });
  connect(&fetcher_, &AssetFetcher::progress, &window, [&window](double fraction, const QString& what) {
    window.show_fetch_progress(fraction, tr("Fetching %1").arg(what));
  });
  connect(&fetcher_, &AssetFetcher::ready, this,
          [this](const QString& model, const QString& text) { open(model, {}, text); });
  connect(&fetcher_, &AssetFetcher::failed, this, [this](const QString& why) {
    expects_more_ = false;
    window_.context().add_note(
        tr("The default model and book can't be had: %1. The demo stays; open any model and text.").arg(why), true);
    if (window_.controller().state() == RunController::State::Idle && window_.context().run().finished())
      Q_EMIT finished();
  });
}

QString Startup::demo_directory() {
  return QDir(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/carryover/demo")).canonicalPath();
}

void Startup::start() {
  if (!options_.engine.isEmpty()) window_.controller().engine().use(options_.engine);
  if (is_run_folder(options_.model.toStdString())) return window_.controller().open_run(options_.model);
  if (!options_.model.isEmpty()) {
    const QString demo_text = demo_directory() + QStringLiteral("/text.txt");
    open(options_.model, options_.adapter, options_.text.isEmpty() ? demo_text : options_.text);
    return;
  }
  if (!options_.engine.isEmpty()) {
    window_.context().add_note(tr("Open a model by its path on the engine's machine: Model, Open model."));
    return window_.controller().loader().open_text(demo_directory() + QStringLiteral("/text.txt"));
  }
  const bool fetch = options_.fetch && !AssetFetcher::script().isEmpty();
  expects_more_ = fetch;
  open_demo();
  if (fetch) fetcher_.start();
}

void Startup::open_demo() {
  const QString demo = demo_directory();
  if (demo.isEmpty()) {
    window_.context().add_note(tr("The demo is not installed; open a model and a text."), true);
    return;
  }
  window_.controller().loader().open_model(demo);
  window_.controller().loader().open_text(demo + QStringLiteral("/text.txt"));
  window_.controller().run_when_ready();
}

void Startup::open(const QString& model, const QString& adapter, const QString& text) {
  expects_more_ = false;
  window_.controller().loader().open_model(model, adapter);
  window_.controller().loader().open_text(text);
  window_.controller().run_when_ready();
}

}  // namespace carryover
