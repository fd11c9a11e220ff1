// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>
#include <vector>

namespace carryover {

/// Chooses how many threads run the next one of many steps that do the same work, such as the forward of one decoded
/// token, by the time that earlier steps took. A step's loops are so short that threads wait for each other a hundred
/// times a step: if another process takes a processor, one thread is faster than two, and where the weights come from
/// memory at its full rate anyway, it is as fast. Results do not depend on the number of threads. Owner: Session.
/// Thread: engine.
class ThreadChoice {
 public:
  explicit ThreadChoice(int most);  ///< starts with `most` threads

  int most() const { return ladder_.front(); }
  int now() const;  ///< threads for the next step

  /// Tells how long a step with now() threads took.
  void took(double seconds);

 private:
  void trial_ended(bool faster);
  bool slower_than_before() const;

  std::vector<int> ladder_;           ///< most, most / 2, …, 1
  std::size_t chosen_ = 0;            ///< the place on the ladder that is kept
  std::optional<std::size_t> tried_;  ///< the place that the current steps try
  std::vector<double> kept_, trial_;  ///< seconds of the last steps with the chosen and with the tried number
  double expected_ = 0;               ///< seconds of a step with the chosen number when it was chosen or confirmed
  int wait_, until_trial_;            ///< steps between trials, and until the next
  bool fewer_ = true;                 ///< the next trial is with fewer threads
};

/// Runs the parts of a step with the number of threads that `choice` says, and tells it at the end of the step how long
/// they took. Between the parts, all threads are used.
class ChosenThreads {
 public:
  explicit ChosenThreads(ThreadChoice* choice) : choice_(choice) {}  ///< null: with all threads

  template <typename F>
  auto run(const F& part) {
    const Scope scope(*this);
    return part();
  }
  void end();

 private:
  /// Sets the number of threads for its life, and adds up the time.
  class Scope {
   public:
    explicit Scope(ChosenThreads& owner);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ChosenThreads& owner_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  ThreadChoice* choice_;
  double seconds_ = 0;
};

}  // namespace carryover
