// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <exception>
#include <vector>

#include "app/script/script_verbs.h"

namespace carryover {

/// Runs a script on a window, statement after statement, as a hand would: each sees what the one before it did, and an
/// error that the window would show ends it. GUI thread.
class ScriptRunner : public QObject {
  Q_OBJECT
 public:
  /// `name` is the file's, for errors; empty: errors stand alone. Throws EngineError{Usage} with file and line where a
  /// statement has no verb, or the wrong number of words: nothing has been done then.
  ScriptRunner(MainWindow& window, std::vector<Statement> statements, const QString& name, QObject* parent = nullptr);
  void start();

 Q_SIGNALS:
  void finished();
  void failed(const carryover::ErrorReport& report);  ///< `where` begins with the file and line

 private:
  void advance();
  void step();
  void fail(const ErrorReport& report);
  ErrorReport at_statement(const ErrorReport& report) const;

  MainWindow& window_;
  std::vector<Statement> statements_;
  QString name_;
  std::size_t next_ = 0;
  Pending pending_;
  QTimer poll_;
};

}  // namespace carryover
