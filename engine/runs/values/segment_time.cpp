// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/segment_time.h"

#include <nlohmann/json.hpp>

namespace carryover {

double SegmentTime::sum() const {
  double total = 0;
  for (const TimePart& part : kTimeParts) total += this->*part.seconds;
  return total;
}

SegmentTime& SegmentTime::operator+=(const SegmentTime& other) {
  for (const TimePart& part : kTimeParts) this->*part.seconds += other.*part.seconds;
  return *this;
}

void to_json(nlohmann::json& json, const SegmentTime& time) {
  json = nlohmann::json::object();
  for (const TimePart& part : kTimeParts) json[part.name] = time.*part.seconds;
}

void from_json(const nlohmann::json& json, SegmentTime& time) {
  for (const TimePart& part : kTimeParts) json.at(part.name).get_to(time.*part.seconds);
}

}  // namespace carryover
