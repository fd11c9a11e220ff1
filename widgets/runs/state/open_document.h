// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>

#include "engine/runs/values/state_info.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// The document that the engine keeps the state of because a file was opened: questions are about it then, in place of
/// the run on show. Written by the DocumentController (app/). GUI thread.
class OpenDocument : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  bool is_open() const { return !file_.isEmpty(); }
  const QString& file() const { return file_; }  ///< of the state, on the engine's machine; empty: none is open
  /// Returns the text that was read, the settings and the model as a run without segments.
  const RunModel& text() const { return text_; }
  QString label() const;    ///< the file's name; empty: none is open
  QString details() const;  ///< path, tokens, policy and size, a line each

  void open(const QString& file, const ModelInfo& model, const StateInfo& state,
            const std::shared_ptr<const Tokenizer>& tokenizer);
  void close();

 Q_SIGNALS:
  void changed();

 private:
  QString file_;
  RunModel text_;
  std::int64_t bytes_ = 0;
};

}  // namespace carryover
