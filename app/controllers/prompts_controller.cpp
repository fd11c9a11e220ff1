// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompts_controller.h"

#include <QDir>
#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "app/controllers/engine_connection.h"
#include "app/controllers/model_loader.h"
#include "app/engine_thread/post.h"
#include "engine/formats/json_file.h"
#include "widgets/lab/lab_context.h"

namespace carryover {

void PromptsFollower::look() {
  const QDateTime written = QFileInfo(folder() + QStringLiteral("/prompts.json")).lastModified();
  if (!written.isValid() || written == seen_) return;  // it may come yet
  seen_ = written;
  Q_EMIT read(folder(), std::make_shared<const PromptReport>(read_prompt_report(folder().toStdString())));
}

PromptsController::PromptsController(LabContext& context, EngineConnection& engine, ModelLoader& loader,
                                     QObject* parent)
    : QObject(parent), context_(context), engine_(engine), loader_(loader), process_(tr("prompt set")) {
  connect(follower_.get(), &PromptsFollower::read, this,
          [this](const QString& folder, const std::shared_ptr<const PromptReport>& report) {
            if (folder != folder_) return;
            report_ = report;
            Q_EMIT reported(folder, report);
          });
  connect(follower_.get(), &PromptsFollower::failed, this, [this](const QString& folder, const ErrorReport& report) {
    if (folder == folder_)
      Q_EMIT unreadable(QStringLiteral("%1: %2. %3").arg(report.where, report.problem, report.advice));
  });
  connect(&process_, &CommandProcess::progressed, this, [this](const QString& what) {
    if (!what.trimmed().isEmpty()) Q_EMIT progressed(what.trimmed());
  });
  connect(&process_, &CommandProcess::failed, this, &PromptsController::failed);
  connect(&process_, &CommandProcess::ended, this, [this] {
    context_.add_note(tr("The prompt set's process has ended"));
    Q_EMIT progressed({});
  });
}

QString PromptsController::unavailable() const {
  if (!loader_.model()) return tr("Open a model first");
  if (!engine_.command().isEmpty())
    return tr("The engine runs on another machine: run the prompt set there, with carryover-cli run --prompts");
  return context_.settings_problem();
}

void PromptsController::start(const PromptOrder& order) {
  Q_EMIT context_.settings_wanted();
  const QString why = process_.running() ? tr("another one is running in this window") : unavailable();
  if (!why.isEmpty()) return Q_EMIT failed({Fault::Usage, tr("prompt set"), why, tr("Then run it.")});
  const ModelInfo& model = loader_.model()->info;
  PromptOrder absolute = order;
  for (QString* path : {&absolute.prompts, &absolute.out}) *path = QFileInfo(*path).absoluteFilePath();
  context_.add_note(tr("Running the prompt set %1 into %2").arg(absolute.prompts, absolute.out));
  open(absolute.out);
  process_.start(
      prompts_command(absolute, context_, QString::fromStdString(model.path), QString::fromStdString(model.adapter)));
  if (process_.running()) Q_EMIT progressed(tr("starting"));
}

void PromptsController::open(const QString& folder) {
  folder_ = QDir(folder).absolutePath();
  report_.reset();
  Q_EMIT opened(folder_);
  post(follower_.get(), [folder = folder_](PromptsFollower& follower) { follower.follow(folder); });
}

QStringList prompts_command(const PromptOrder& order, const LabContext& context, const QString& model,
                            const QString& adapter) {
  nlohmann::json settings = context.config();
  const RunOptions& options = context.run_options();
  settings.update(
      {{"policy", options.policy}, {"dtype", dtype_name(options.dtype)}, {"device", device_name(options.device)}});
  QStringList words{QStringLiteral("run"),   model,    QStringLiteral("--prompts"), order.prompts,
                    QStringLiteral("--out"), order.out};
  if (!order.against.isEmpty()) words += {QStringLiteral("--against"), order.against};
  if (!adapter.isEmpty()) words += {QStringLiteral("--adapter"), adapter};
  return words + QStringList{QStringLiteral("--config"), QString::fromStdString(json_text(settings))};
}

}  // namespace carryover
