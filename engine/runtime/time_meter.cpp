// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/time_meter.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <vector>

#include "engine/runtime/cuda_runtime.h"

namespace carryover {

namespace {

using Clock = std::chrono::steady_clock;

const char* name_of(double SegmentTime::*part) {
  for (const TimePart& each : kTimeParts)
    if (each.seconds == part) return each.name;
  return "";
}

}  // namespace

/// The times at which parts began: by the clock, or by an event that the device passes.
struct TimeMeter::Marks {
  explicit Marks(c10::Device on) : device(on) {}

  void add(double SegmentTime::*part) {
    parts.push_back(part);
    if (device.is_cpu()) {
      times.push_back(Clock::now());
      return;
    }
    ops::cuda_kernels().next_range(name_of(part));
    const c10::impl::VirtualGuardImpl guard(device.type());
    events.emplace_back(device.type(), c10::EventFlag::BACKEND_DEFAULT);
    events.back().record(guard.getStream(device));
  }

  double seconds(std::size_t i) {
    if (device.is_cpu()) return std::chrono::duration<double>(times[i + 1] - times[i]).count();
    return events[i].elapsedTime(events[i + 1]) / 1e3;
  }

  c10::Device device;
  std::vector<double SegmentTime::*> parts;
  std::vector<Clock::time_point> times;
  std::vector<c10::Event> events;
};

TimeMeter::TimeMeter(c10::Device device) : marks_(std::make_unique<Marks>(device)) {
  spend(&SegmentTime::host);
}

TimeMeter::~TimeMeter() {
  if (!marks_->device.is_cpu()) ops::cuda_kernels().next_range(nullptr);
}

void TimeMeter::spend(double SegmentTime::*part) {
  if (marks_->parts.empty() || marks_->parts.back() != part) marks_->add(part);
}

void TimeMeter::restart() {
  const auto last = marks_->parts.back();
  marks_ = std::make_unique<Marks>(marks_->device);
  marks_->add(last);
}

SegmentTime TimeMeter::take() {
  const auto last = marks_->parts.back();
  marks_->add(last);
  if (!marks_->events.empty()) marks_->events.back().synchronize();
  SegmentTime time;
  for (std::size_t i = 0; i + 1 < marks_->parts.size(); ++i) time.*marks_->parts[i] += marks_->seconds(i);
  auto next = std::make_unique<Marks>(marks_->device);
  next->parts.push_back(last);
  if (!marks_->times.empty()) next->times.push_back(marks_->times.back());
  if (!marks_->events.empty()) next->events.push_back(std::move(marks_->events.back()));
  marks_ = std::move(next);
  return time;
}

}  // namespace carryover
