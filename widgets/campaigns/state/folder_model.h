// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>

namespace carryover {

/// A folder that a command fills: its problem, and the work that the window itself does with it. A FolderController
/// fills the model; views read it. GUI thread.
class FolderModel : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// The work that the window itself does with the folder, in a process of its own.
  enum class Work { None, Running, Stopping };

  const QString& folder() const { return folder_; }  ///< empty: none is open
  virtual bool has_news() const = 0;                 ///< something of the folder was read
  /// Returns what is wrong with the folder; empty if nothing is. What was read of it before stays.
  const QString& problem() const { return problem_; }
  Work work() const { return work_; }
  const QString& said() const { return said_; }  ///< the last message of that process

  void open(const QString& folder);  ///< opens another folder, of which nothing is known yet
  void set_problem(const QString& problem);
  void set_work(Work work, const QString& said);

 Q_SIGNALS:
  void cells_changed();  ///< any of them, their number too
  void changed();        ///< anything

 protected:
  virtual void forget() = 0;  ///< forgets what was read of the folder before
  void tell_news(const QString& problem);

 private:
  QString folder_, problem_, said_;
  Work work_ = Work::None;
};

/// A FolderModel whose folder is read into a News. Its field `problem` says what could not be read.
template <typename News>
class NewsModel : public FolderModel {
 public:
  using FolderModel::FolderModel;

  bool has_news() const override { return news_ != nullptr; }
  const News& news() const {
    static const News nothing;
    return news_ == nullptr ? nothing : *news_;
  }
  void take(const std::shared_ptr<const News>& news) {
    news_ = news;
    tell_news(QString::fromStdString(news->problem));
  }

 protected:
  void forget() override { news_.reset(); }

 private:
  std::shared_ptr<const News> news_;
};

}  // namespace carryover
