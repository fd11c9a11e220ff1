// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"

namespace carryover {

/// A passage that a question retrieved, by itself: it can be read without the text that it is of. A plain value.
struct AskedPassage {
  std::int64_t first = 0, end = 0;  ///< positions [first, end)
  int segment = 0;
  float score = 0;
  QString text;  ///< on one line
};

/// A question about the text that was run, and what the model said. A plain value.
struct Question {
  int id = 0;  ///< its own, as long as the window is open
  QString text;
  QString name;                        ///< in the list of runs, where the user gave it one; else empty
  QStringList tags;                    ///< likewise
  QString answer;                      ///< with what was retrieved
  bool retrieves = true;               ///< else the one answer is all there is
  bool complete = false;               ///< both answers came to their ends: neither cancelled nor failed
  QString without_retrieval;           ///< the same answer with retrieval switched off
  std::vector<HeadHits> hits;          ///< what the question read
  std::vector<AskedPassage> passages;  ///< the pieces of the text that it is made of
  std::string policy;                  ///< that it was asked under
  SegmentConfig config;                ///< likewise
  QString provenance;                  ///< the run it was asked of
  QString run;                         ///< the same in a few words
  QString scored;           ///< the beginning of the answer whose probability is told: its first sentence or line
  double probability = -1;  ///< of that, 0 to 1; negative: not known
  double probability_without = -1;  ///< the same with retrieval switched off; negative: not known
  std::int64_t made_ms = 0;         ///< when it was asked, since 1970, UTC; 0: not known

  const QString& label() const { return name.isEmpty() ? text : name; }  ///< in lists

  /// The same answer without some of the passages.
  struct WhatIf {
    std::vector<TokenRange> without;
    double probability = 0;
    bool operator==(const WhatIf&) const = default;
  };
  std::vector<WhatIf> what_ifs;
  const WhatIf* find(const std::vector<TokenRange>& without) const;
};

/// The questions asked of the runs on show: the last one under way, earlier ones kept. Views ask; whoever has an engine
/// answers (app/controllers/ask_controller.h). GUI thread.
class Questions : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const std::vector<Question>& all() const { return all_; }  ///< oldest first
  bool running() const { return running_; }
  double progress() const { return progress_; }         ///< of what is being done for the last one, 0 to 1
  const QString& doing() const { return doing_; }       ///< what that is; empty: not known yet
  QString unavailable() const { return unavailable_; }  ///< why nothing can be asked now, or empty

  void ask(const QString& text) { Q_EMIT wanted(text); }
  void ask_cancel() { Q_EMIT cancel_wanted(); }
  void show(int id) { Q_EMIT shown(id); }  ///< in the view of questions
  /// The last answer again without these positions.
  void ask_without(const std::vector<TokenRange>& positions) { Q_EMIT what_if_wanted(positions); }

  // For whoever serves. Both answers are of the last question.
  void begin(const Question& question);  ///< which gets an id
  void add_text(bool without_retrieval, const QString& piece);
  void set_hits(std::vector<HeadHits> hits, std::vector<AskedPassage> passages = {});
  void begin_what_if();
  void set_probabilities(const QString& scored, double with, double without);
  void add_what_if(const Question::WhatIf& what_if);
  void set_progress(double share, const QString& what);
  void complete();  ///< all that was asked is answered; then end()
  void end();
  void set_unavailable(const QString& why);
  void clear();                                   ///< another session; while none is being answered
  void restore(std::vector<Question> questions);  ///< those of a session, likewise

  int index_of(int id) const;  ///< -1 where there is none
  void describe(int index, const QString& name, const QStringList& tags);
  Question take(int index);                 ///< none that is being answered
  void put_back(const Question& question);  ///< by its age

 Q_SIGNALS:
  void changed();
  void progressed();
  void hits_changed();  ///< of the last question
  void shown(int id);
  void list_changed();  ///< a question came, went, was answered or described
  void wanted(const QString& text);
  void what_if_wanted(const std::vector<carryover::TokenRange>& without);
  void cancel_wanted();

 private:
  std::vector<Question> all_;
  int next_id_ = 0;
  bool running_ = false;
  double progress_ = 0;
  QString doing_;
  QString unavailable_;
};

/// Returns the text that is put behind the document: a question gets its frame, another sentence is continued as it is.
QString question_prompt(const QString& typed);

}  // namespace carryover
