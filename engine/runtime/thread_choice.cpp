// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/thread_choice.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace carryover {

namespace {

constexpr std::size_t kSteps = 4;               ///< steps that a decision looks at
constexpr int kFirstWait = 4, kMostWait = 512;  ///< steps between trials; doubled by each trial that changes nothing
constexpr double kFaster = 0.95;                ///< a trial wins if its steps take at most this share of the time
constexpr double kSlower = 1.3;                 ///< steps that take this much longer than before start a trial at once
constexpr double kHopeless = 1.1;               ///< a trial's step that takes this much longer ends the trial

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + std::ssize(seconds) / 2;
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

void keep_last(std::vector<double>& seconds, double next) {
  if (seconds.size() == kSteps) seconds.erase(seconds.begin());
  seconds.push_back(next);
}

}  // namespace

ThreadChoice::ThreadChoice(int most) : wait_(kFirstWait), until_trial_(kFirstWait) {
  for (int threads = std::max(1, most); threads > 0; threads /= 2) ladder_.push_back(threads);
}

int ThreadChoice::now() const {
  return ladder_[tried_.value_or(chosen_)];
}

bool ThreadChoice::slower_than_before() const {
  return expected_ > 0 && kept_.size() == kSteps && median(kept_) > kSlower * expected_;
}

void ThreadChoice::took(double seconds) {
  if (ladder_.size() == 1) return;
  if (tried_) {
    trial_.push_back(seconds);
    const bool hopeless = seconds > kHopeless * median(kept_);
    if (hopeless || trial_.size() == kSteps) trial_ended(!hopeless && median(trial_) < kFaster * median(kept_));
    return;
  }
  keep_last(kept_, seconds);
  if (slower_than_before()) wait_ = kFirstWait, until_trial_ = 0;
  if (--until_trial_ > 0) return;
  const bool last = chosen_ + 1 == ladder_.size();
  if (chosen_ == 0 || last) fewer_ = chosen_ == 0;
  tried_ = fewer_ ? chosen_ + 1 : chosen_ - 1;
  trial_.clear();
}

void ThreadChoice::trial_ended(bool faster) {
  if (faster) {
    chosen_ = *tried_;
    kept_ = trial_;
    wait_ = kFirstWait;
  } else {
    fewer_ = !fewer_;
    wait_ = std::min(2 * wait_, kMostWait);
  }
  expected_ = median(kept_);
  until_trial_ = wait_;
  tried_.reset();
}

ChosenThreads::Scope::Scope(ChosenThreads& owner) : owner_(owner) {
  if (owner_.choice_ != nullptr) at::set_num_threads(owner_.choice_->now());
}

ChosenThreads::Scope::~Scope() {
  if (owner_.choice_ == nullptr) return;
  owner_.seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  at::set_num_threads(owner_.choice_->most());
}

void ChosenThreads::end() {
  if (choice_ != nullptr) choice_->took(seconds_);
  seconds_ = 0;
}

}  // namespace carryover
