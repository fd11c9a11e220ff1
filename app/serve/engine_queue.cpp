// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/engine_queue.h"

#include <algorithm>

namespace carryover {

EngineQueue::EngineQueue(const Open& open, std::size_t most_waiting) : most_waiting_(most_waiting) {
  std::promise<void> opened;
  std::future<void> is_open = opened.get_future();
  thread_ = std::thread([this, &open, &opened] { work_through(open, opened); });
  try {
    is_open.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

void EngineQueue::finish() {
  stop();
  if (thread_.joinable()) thread_.join();
}

EngineQueue::Ticket EngineQueue::post(Work work) {
  const std::lock_guard lock(mutex_);
  const std::size_t places = most_waiting_ + (running_ == nullptr ? 1 : 0);
  if (stopping_ || jobs_.size() >= places) return nullptr;
  jobs_.push_back({std::make_shared<RunControl>(), std::move(work)});
  changed_.notify_one();
  return jobs_.back().ticket;
}

void EngineQueue::cancel(const Ticket& ticket) {
  Job dropped;  // destroyed outside the lock: what it holds may be anything
  const std::lock_guard lock(mutex_);
  ticket->request_stop();
  const auto found = std::ranges::find(jobs_, ticket, &Job::ticket);
  if (found == jobs_.end()) return;
  dropped = std::move(*found);
  jobs_.erase(found);
}

void EngineQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  if (running_) running_->request_stop();
  for (const Job& job : jobs_) job.ticket->request_stop();
  changed_.notify_one();
}

std::size_t EngineQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

bool EngineQueue::idle() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && running_ == nullptr;
}

void EngineQueue::work_through(const Open& open, std::promise<void>& opened) {
  std::unique_ptr<ServingEngine> engine;
  try {
    engine = open();
    opened.set_value();
  } catch (...) {
    opened.set_exception(std::current_exception());
    return;
  }
  while (true) {
    Job job;
    if (!next(job)) return;
    job.work(*engine, *job.ticket);
  }
}

/// The last one is done; the next one runs. False: there is none, and won't be.
bool EngineQueue::next(Job& job) {
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
