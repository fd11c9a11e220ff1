// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/folder_controller.h"

#include <QDir>

#include "app/engine_thread/post.h"

namespace carryover {

FolderController::FolderController(const QString& name, QObject* parent)
    : QObject(parent), name_(name), process_(name) {
  connect_process();
}

void FolderController::connect_folder(FolderModel& model, FolderFollower* follower) {
  model_ = &model;
  follower_ = follower;
  connect(follower, &FolderFollower::failed, this, [this](const QString& folder, const ErrorReport& report) {
    if (folder != model_->folder()) return;
    if (!model_->has_news() && model_->work() != FolderModel::Work::None) return;  // its process has not written it yet
    model_->set_problem(QStringLiteral("%1: %2. %3").arg(report.where, report.problem, report.advice));
  });
}

void FolderController::connect_process() {
  connect(&process_, &CommandProcess::progressed, this, [this](const QString& what) {
    if (model_->work() == FolderModel::Work::Running) model_->set_work(FolderModel::Work::Running, what.trimmed());
  });
  connect(&process_, &CommandProcess::failed, this, &FolderController::failed);
  connect(&process_, &CommandProcess::ended, this, [this] {
    model_->set_work(FolderModel::Work::None, {});
    if (!model_->has_news()) follow();
    Q_EMIT ended();
  });
}

void FolderController::follow() {
  post(follower_, [folder = model_->folder()](FolderFollower& follower) { follower.follow(folder); });
}

void FolderController::open(const QString& folder) {
  const QString absolute = QDir(folder).absolutePath();
  if (process_.running() && absolute != model_->folder())
    return Q_EMIT failed({Fault::Usage, name_, tr("another one is running in this window"),
                          tr("Stop it first: finished work is kept.")});
  model_->open(absolute);
  follow();
  Q_EMIT opened(absolute);
}

void FolderController::run(const std::vector<std::string>& command, const std::string& folder) {
  open(QString::fromStdString(folder));
  process_.start(command);
  model_->set_work(process_.running() ? FolderModel::Work::Running : FolderModel::Work::None, {});
  Q_EMIT started();
}

void FolderController::stop() {
  if (!process_.running()) return;
  process_.stop();
  model_->set_work(FolderModel::Work::Stopping, {});
}

bool FolderController::is_open(const std::string& folder) const {
  return QDir(QString::fromStdString(folder)).absolutePath() == model_->folder();
}

}  // namespace carryover
