// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/ask_controller.h"

namespace carryover {

/// States behind documents as files: saves the one behind what questions are about, and opens one, which they are about
/// then. Fills LabContext::document(). GUI thread; never waits.
class DocumentController : public EngineJob {
  Q_OBJECT
 public:
  DocumentController(LabContext& context, RunController& runs, const AskController& questions);

  QString why_not_save() const;  ///< empty: save() can
  QString why_not_open() const;  ///< empty: open() can
  void save(const QString& file);
  /// Opens a state in place of the open one, which is closed even if the new one can't be opened. Refuses a state that
  /// was read under another policy than the chosen one.
  void open(const QString& file);
  /// One of a session, in which the policy may have been changed since: under any.
  void open_again(const QString& file);
  void close();

 Q_SIGNALS:
  void opened(const QString& file);
  void saved(const QString& file);

 private:
  void open_under(const std::string& policy, const QString& file);
  void accept(const QString& file, const StateInfo& state);

  const AskController& questions_;
};

}  // namespace carryover
