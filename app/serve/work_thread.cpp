// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/work_thread.h"

#include <algorithm>
#include <utility>

namespace carryover {

WorkThread::WorkThread(std::size_t most_waiting, const std::function<void()>& begin, std::function<void()> end)
    : most_waiting_(most_waiting), end_(std::move(end)) {
  std::promise<void> begun;
  std::future<void> has_begun = begun.get_future();
  thread_ = std::thread([this, &begin, &begun] { work_through(begin, begun); });
  try {
    has_begun.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

void WorkThread::finish() {
  stop();
  if (thread_.joinable()) thread_.join();
}

WorkThread::Ticket WorkThread::post(Work work) {
  const std::lock_guard lock(mutex_);
  const std::size_t places = most_waiting_ + (running_ == nullptr ? 1 : 0);
  if (stopping_ || jobs_.size() >= places) return nullptr;
  jobs_.push_back({std::make_shared<RunControl>(), std::move(work)});
  changed_.notify_one();
  return jobs_.back().ticket;
}

void WorkThread::cancel(const Ticket& ticket) {
  Job dropped;  // destroyed outside the lock: what it holds may be anything
  const std::lock_guard lock(mutex_);
  ticket->request_stop();
  const auto found = std::ranges::find(jobs_, ticket, &Job::ticket);
  if (found == jobs_.end()) return;
  dropped = std::move(*found);
  jobs_.erase(found);
}

void WorkThread::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  if (running_) running_->request_stop();
  for (const Job& job : jobs_) job.ticket->request_stop();
  changed_.notify_one();
}

std::size_t WorkThread::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

bool WorkThread::idle() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && running_ == nullptr;
}

void WorkThread::work_through(const std::function<void()>& begin, std::promise<void>& begun) {
  try {
    if (begin) begin();
    begun.set_value();
  } catch (...) {
    begun.set_exception(std::current_exception());
    return;
  }
  while (true) {
    Job job;
    if (!next(job)) break;
    job.work(*job.ticket);
  }
  if (end_) end_();
}

/// The last one is done; the next one runs. False: there is none, and won't be.
bool WorkThread::next(Job& job) {
  std::unique_lock lock(mutex_);
  running_.reset();
  changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
  if (jobs_.empty()) return false;
  job = std::move(jobs_.front());
  jobs_.pop_front();
  running_ = job.ticket;
  return true;
}

}  // namespace carryover
