// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/stopped_text.h"

#include <algorithm>

namespace carryover {

StoppedText::StoppedText(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stops)
    : decoder_(std::move(tokenizer)), stops_(std::move(stops)) {
  std::erase(stops_, std::string());
}

bool StoppedText::append(const std::string& piece) {
  if (stopped_) return false;
  std::size_t end = std::string::npos;
  const std::size_t before = text_.size();
  text_ += piece;
  for (const std::string& stop : stops_)  // one may begin in what stood before
    end = std::min(end, text_.find(stop, before - std::min(before, stop.size() - 1)));
  stopped_ = end != std::string::npos;
  if (stopped_) text_.resize(end);
  return !stopped_;
}

bool StoppedText::add(std::int32_t id) {
  return append(decoder_.push(id));
}

std::string StoppedText::finish() {
  append(decoder_.finish());
  return text_;
}

}  // namespace carryover
