// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runs/values/inspection.h"

namespace carryover {

/// One segment of the run, and what to look at in it.
struct InspectionQuery {
  int segment = -1;
  InspectionParts parts;
};
/// Returns true if an answer to `have` holds all that `want` asks for.
bool covers(const InspectionQuery& have, const InspectionQuery& want);
/// Returns both questions as one; nothing if one inspection cannot answer both.
std::optional<InspectionQuery> merged(const InspectionQuery& a, const InspectionQuery& b);

/// The values of the run that views ask for beyond its snapshots, and the engine's answers. A view asks under its own
/// name, as often as it likes: a newer wish takes an older one's place. Whoever has an engine serves the wishes
/// (app/controllers/inspect_controller.h). The newest answers are kept, so that going back costs nothing. GUI thread.
class Inspections : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t answers_kept = 24;

  using QObject::QObject;

  void want(const QString& view, const InspectionQuery& query);
  void forget(const QString& view);  ///< the view is hidden, or has nothing to ask
  /// Returns the answer to the view's last wish; null while it waits.
  std::shared_ptr<const Inspection> answer(const QString& view) const;
  QString problem(const QString& view) const;           ///< why there is no answer; empty: it waits, or is there
  QString waiting_for() const { return waiting_for_; }  ///< what keeps the engine from answering, or empty

  // For whoever serves.
  /// The newest wish without an answer, together with the others that one inspection can answer. Those that take longer
  /// than the segment itself (masses, recall, pairs, ablations) come after all others.
  std::optional<InspectionQuery> next() const;
  bool is_wanted(const InspectionQuery& query) const;  ///< some view still waits for it
  void deliver(const InspectionQuery& query, std::shared_ptr<const Inspection> inspection);
  void fail(const InspectionQuery& query, const QString& problem);
  void forget_problems();  ///< what could not be answered may be now: another model is open
  void set_waiting_for(const QString& what);
  void reset();  ///< another run: no answer fits it

 Q_SIGNALS:
  void wanted();   ///< next() may have something new
  void changed();  ///< an answer, a problem, or what is waited for

 private:
  struct Wish {
    InspectionQuery query;
    std::uint64_t age = 0;
    std::shared_ptr<const Inspection> answer;
    QString problem;
    bool waits() const { return !answer && problem.isEmpty(); }
  };
  struct Answer {
    InspectionQuery query;
    std::shared_ptr<const Inspection> inspection;
  };
  std::map<QString, Wish> wishes_;
  std::deque<Answer> kept_;  ///< oldest first
  std::uint64_t clock_ = 0;
  QString waiting_for_;
};

}  // namespace carryover
