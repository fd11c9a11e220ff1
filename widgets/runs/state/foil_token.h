// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <cstdint>
#include <optional>

namespace carryover {

class RunModel;

/// The token that a prediction's logit is compared with, as the user types it: a text that the run's tokenizer makes
/// one token of. Borrows the run. GUI thread.
class FoilToken : public QObject {
  Q_OBJECT
 public:
  FoilToken(const RunModel& run, QObject* parent);

  void set_text(const QString& text);  ///< empty: no foil
  const QString& text() const { return text_; }
  const std::optional<std::int32_t>& id() const { return id_; }  ///< none where there is no foil, or a problem
  const QString& problem() const { return problem_; }            ///< why the text is no token; empty: it is one

 Q_SIGNALS:
  void changed();

 private:
  void resolve();

  const RunModel& run_;
  QString text_, problem_;
  std::optional<std::int32_t> id_;
};

/// The text of an id in the run's tokenizer, spaces and newlines as they are.
QString id_text(const RunModel& run, std::int32_t id);
/// A token's text in quotes, with a sign for each space and line break in it: “␣for” is another token than “for”.
QString quoted_token(QString text);

}  // namespace carryover
