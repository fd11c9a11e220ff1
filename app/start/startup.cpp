// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/startup.h"

#include <utility>

#include "engine/base/system_file.h"
#include "engine/cost/policy_table.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/shared_folder.h"

namespace carryover {
namespace {

constexpr std::int64_t first_segments = 16;  ///< of a text that nobody asked to be run whole

bool has_room(const Lab& lab, const RunOptions& run) {
  const ModelInfo& model = lab.loader.model()->info;
  const auto& elsewhere = lab.engine.elsewhere();
  const std::int64_t memory = elsewhere ? elsewhere->place.memory_bytes : machine_memory();
  if (model.device != Device::Cpu || memory == 0) return true;  // not known
  const CostModel cost = cost_model(model.config, lab.context.config(), model.dtype);
  return policy_row(run.policy).memory(cost, run.token_limit, {}).device_peak <= memory;
}

}  // namespace

Startup::Startup(Lab& lab, const WindowOptions& options, QObject* parent)
    : QObject(parent), lab_(lab), options_(options) {
  connect(&lab.loader, &ModelLoader::model_opened, this, &Startup::limit_tokens);
  connect(&lab.runs, &RunController::run_ended, this, [this] {
    if (!expects_more_) Q_EMIT finished();
  });
  connect(&lab.runs, &RunController::run_opened, this, &Startup::finished);
  connect(&lab.runs, &RunController::failed, this, [this] {
    if (!expects_more_) Q_EMIT finished();
  });
  connect(&fetcher_, &AssetFetcher::progress, this,
          [this](double fraction, const QString& what) { Q_EMIT fetching(fraction, tr("Fetching %1").arg(what)); });
  connect(&fetcher_, &AssetFetcher::ready, this, [this](const QString& model, const QString& text) {
    const StoryModel files{model, text, default_adapter()};
    Q_EMIT default_model_ready(files);
    if (std::exchange(expects_more_, false)) open(files);
  });
  connect(&fetcher_, &AssetFetcher::failed, this, [this](const QString& why) {
    expects_more_ = false;
    lab_.context.add_note(
        tr("The default model and book can't be fetched: %1. The demo stays open; open any model and text.").arg(why),
        true);
    if (lab_.runs.state() == RunController::State::Idle && lab_.context.run().finished()) Q_EMIT finished();
  });
}

/// A number that somebody has chosen stays, unless no run of so many tokens has room on the engine's machine.
void Startup::limit_tokens() {
  RunOptions run = lab_.context.run_options();
  const bool too_many = run.tokens_chosen && !has_room(lab_, run);
  if (run.tokens_chosen && !too_many) return;
  const std::int64_t chosen = run.token_limit;
  run.tokens_chosen = !too_many && options_.tokens.has_value();
  run.token_limit = run.tokens_chosen ? *options_.tokens : first_segments * lab_.context.config().segment_length;
  lab_.context.set_run_options(run);
  if (too_many)
    lab_.context.add_note(
        filled(tr("%L1 tokens need more memory under this model than its machine has: %L2 are set to run"), chosen,
               run.token_limit),
        true);
}

QString Startup::demo_directory() {
  return shared_folder(QStringLiteral("demo"));
}

QString Startup::default_adapter() {
  return shared_folder(QStringLiteral("adapters/smollm2-135m"));
}

StoryModel Startup::demo() {
  const QString folder = demo_directory();
  return folder.isEmpty() ? StoryModel{} : StoryModel{folder, folder + QStringLiteral("/text.txt")};
}

StoryModel Startup::default_model() {
  const FetchedAssets assets = fetched_assets();
  return {assets.model, assets.text, assets.model.isEmpty() ? QString() : default_adapter()};
}

void Startup::start() {
  if (!options_.engine.isEmpty()) lab_.engine.use(options_.engine);
  if (is_run_folder(options_.model.toStdString())) return lab_.runs.open_run(options_.model);
  const StoryModel demo = Startup::demo();
  if (!options_.model.isEmpty())
    return open(options_.model, options_.adapter, options_.text.isEmpty() ? demo.text : options_.text);
  if (!options_.engine.isEmpty()) {
    lab_.context.add_note(tr("Open a model by its path on the engine's machine: Model, Open model."));
    return lab_.loader.open_text(demo.text);
  }
  expects_more_ = options_.fetch && !AssetFetcher::script().isEmpty() && !options_.interactive();
  if (demo.model.isEmpty()) {
    lab_.context.add_note(tr("The demo is not installed; open a model and a text."), true);
  } else {
    open(demo);
  }
  fetch_default_model();
}

void Startup::fetch_default_model() {
  if (options_.fetch && !AssetFetcher::script().isEmpty()) fetcher_.start();
}

void Startup::open(const StoryModel& files) {
  open(files.model, files.adapter, files.text);
}

void Startup::open(const QString& model, const QString& adapter, const QString& text) {
  lab_.loader.open_model(model, adapter);
  lab_.loader.open_text(text);
  lab_.runs.run_when_ready();
}

}  // namespace carryover
