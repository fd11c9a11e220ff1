// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QThread>

namespace carryover {

/// A QObject on a thread of its own, called by queued calls (post.h). Its owner has it as the last member, so that the
/// thread ends, after what it is doing, before anything else of the owner goes.
template <typename Worker>
class WorkerThread {
 public:
  explicit WorkerThread(const QString& name) : worker_(new Worker) {
    thread_.setObjectName(name);
    worker_->moveToThread(&thread_);
    QObject::connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.start();
  }
  ~WorkerThread() {
    thread_.quit();
    thread_.wait();
  }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  Worker* get() const { return worker_; }  ///< for queued calls and connections only

 private:
  QThread thread_;
  Worker* worker_;  ///< deleted by the end of its thread
};

}  // namespace carryover
