// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_run.h"

#include "engine/base/error.h"

namespace carryover::jinja {

void Run::step(std::int64_t steps) {
  steps_ += steps;
  if (steps_ > kMaxSteps) refuse("the template takes more than " + std::to_string(kMaxSteps) + " steps");
}

void Run::make(std::size_t bytes) {
  scan(bytes);
  made_ += bytes;
  if (made_ > kMaxMadeBytes) refuse("the template makes more than " + std::to_string(kMaxMadeBytes) + " bytes of text");
}

void Run::refuse(const std::string& problem) const {
  throw EngineError(Fault::BadInput, name_ + ":" + std::to_string(line_), problem,
                    "Check the messages, or use another chat template.");
}

void Run::lack(const std::string& construct) const {
  throw EngineError(Fault::Unsupported, name_ + ":" + std::to_string(line_),
                    "the chat template uses " + construct + ", which is not supported", "Use another chat template.");
}

}  // namespace carryover::jinja
