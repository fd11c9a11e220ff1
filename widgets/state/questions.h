// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <vector>

#include "engine/core/run/hits.h"

namespace carryover {

/// A question about the text that was run, and what the model said. A plain value.
struct Question {
  QString text;
  QString answer;              ///< with what was retrieved
  QString without_retrieval;   ///< the same answer with retrieval switched off
  std::vector<HeadHits> hits;  ///< what the question read
  QString provenance;          ///< the run it was asked of
};

/// The questions asked of the runs on show: the last one under way, earlier ones kept. Views ask; whoever has an engine
/// answers (app/controllers/ask_controller.h). GUI thread.
class Questions : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const std::vector<Question>& all() const { return all_; }  ///< oldest first
  bool running() const { return running_; }
  QString unavailable() const { return unavailable_; }  ///< why nothing can be asked now, or empty

  void ask(const QString& text) { Q_EMIT wanted(text); }
  void ask_cancel() { Q_EMIT cancel_wanted(); }

  // For whoever serves. Both answers are of the last question.
  void begin(const Question& question);
  void add_text(bool without_retrieval, const QString& piece);
  void set_hits(std::vector<HeadHits> hits);
  void end();
  void set_unavailable(const QString& why);

 Q_SIGNALS:
  void changed();
  void hits_changed();  ///< of the last question
  void wanted(const QString& text);
  void cancel_wanted();

 private:
  std::vector<Question> all_;
  bool running_ = false;
  QString unavailable_;
};

/// What is put behind the text: a sentence to go on with as it is, a question with its frame.
QString question_prompt(const QString& typed);

}  // namespace carryover
