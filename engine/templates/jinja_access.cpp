// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes, items and slices (jinja_operators.h).
#include <algorithm>
#include <cstdlib>

#include "engine/base/text_parts.h"
#include "engine/templates/jinja_methods.h"
#include "engine/templates/jinja_operators.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

Value method_of(const Value& value, const std::string& name) {
  return {std::make_shared<const Callable>(Callable{name, value, nullptr, nullptr})};
}

Value missing(const Value& value, const std::string& name) {
  return make_undefined("a value of type '" + type_name(value) + "' has no attribute '" + name.substr(0, 80) + "'");
}

Value loop_attribute(Run& run, const Loop& loop, const std::string& name) {
  const auto count = std::ssize(loop.items->items), index = static_cast<std::ptrdiff_t>(loop.index);
  if (name == "index") return {std::int64_t{index + 1}};
  if (name == "index0") return {std::int64_t{index}};
  if (name == "revindex") return {std::int64_t{count - index}};
  if (name == "revindex0") return {std::int64_t{count - index - 1}};
  if (name == "first") return {index == 0};
  if (name == "last") return {index + 1 == count};
  if (name == "length") return {std::int64_t{count}};
  if (name == "depth") return {std::int64_t{loop.depth}};
  if (name == "depth0") return {std::int64_t{loop.depth - 1}};
  if (name == "previtem")
    return index > 0 ? loop.items->items[loop.index - 1] : make_undefined("there is no previous item");
  if (name == "nextitem")
    return index + 1 < count ? loop.items->items[loop.index + 1] : make_undefined("there is no next item");
  run.lack("loop." + name.substr(0, 40));
}

Value character_at(Run& run, const std::string& text, std::int64_t index) {
  run.scan(text.size());
  if (index < 0) index += character_count(text);
  if (index < 0) return make_undefined("a string has no such character");
  for (std::size_t at = 0; at < text.size(); --index) {
    const std::size_t size = character_length(std::string_view(text).substr(at));
    if (index == 0) return make_text(run, text.substr(at, size));
    at += size;
  }
  return make_undefined("a string has no such character");
}

Value item_at(Run& run, const Value& value, std::int64_t index) {
  if (const auto* text = value.text()) return character_at(run, *text, index);
  const Sequence* sequence = value.sequence();
  if (!sequence || sequence->kind > Sequence::Kind::Range) return missing(value, std::to_string(index));
  if (index < 0) index += std::ssize(sequence->items);
  if (index < 0 || index >= std::ssize(sequence->items)) {
    return make_undefined("a list of " + std::to_string(sequence->items.size()) + " items has no item " +
                          std::to_string(index));
  }
  return sequence->items[static_cast<std::size_t>(index)];
}

/// The indices that a slice takes, by Python's rules.
class Slice {
 public:
  Slice(Run& run, std::int64_t count, const Value& first, const Value& last, const Value& step) : run_(run) {
    step_ = std::clamp(whole(step, 1), -count - 1, count + 1);
    if (step_ == 0) run.refuse("a slice has no step 0");
    at_ = clamped(first, step_ > 0 ? 0 : count - 1, count);
    end_ = clamped(last, step_ > 0 ? count : -1, count);
  }

  Items of(const Items& items) {
    Items taken;
    for (; step_ > 0 ? at_ < end_ : at_ > end_; at_ += step_) taken.push_back(items[static_cast<std::size_t>(at_)]);
    return taken;
  }
  /// Returns the characters of the slice, without a list of all characters.
  std::string of(std::string_view text) {
    const bool forward = step_ > 0;
    const std::int64_t first = forward ? at_ : end_ + 1, end = forward ? end_ : at_ + 1, step = std::abs(step_);
    const std::int64_t rest = forward ? 0 : (end - 1 - first) % step;  // backward, the last one is always taken
    std::string taken;
    std::int64_t i = 0;
    for (const std::string_view character : Characters(text)) {
      const bool is_taken = i >= first && i < end && (i - first) % step == rest;
      ++i;
      if (!is_taken) continue;
      taken += character;
      if (!forward) std::reverse(taken.end() - std::ssize(character), taken.end());
    }
    if (!forward) std::reverse(taken.begin(), taken.end());
    return taken;
  }

 private:
  std::int64_t whole(const Value& value, std::int64_t absent) const {
    if (value.none()) return absent;
    if (!value.integer()) run_.refuse("a slice takes integers, not a value of type '" + type_name(value) + "'");
    return *value.integer();
  }
  std::int64_t clamped(const Value& value, std::int64_t absent, std::int64_t count) const {
    std::int64_t at = whole(value, absent);
    if (value.none()) return at;
    if (at < 0) at = std::max(at, -count - 1) + count;
    return step_ > 0 ? std::clamp<std::int64_t>(at, 0, count) : std::clamp<std::int64_t>(at, -1, count - 1);
  }

  Run& run_;
  std::int64_t step_ = 1, at_ = 0, end_ = 0;
};

}  // namespace

Value attribute_of(Run& run, const Value& value, const std::string& name) {
  run.scan(name.size());
  require_defined(run, value);
  if (const auto* space = std::get_if<Namespace*>(&value.data)) {
    const auto at = (*space)->values.find(name);
    return at == (*space)->values.end() ? missing(value, name) : at->second;
  }
  if (const auto* loop = std::get_if<std::shared_ptr<const Loop>>(&value.data))
    return loop_attribute(run, **loop, name);
  if (has_method(value, name)) return method_of(value, name);
  if (const Dict* dict = value.dict()) {
    if (const Value* held = dict->find(name)) return *held;
  }
  return missing(value, name);
}

Value item_of(Run& run, const Value& value, const Value& index) {
  run.step();
  require_defined(run, value);
  if (const Dict* dict = value.dict()) {
    const bool hashable = !index.sequence() && !index.dict();
    if (const Value* held = hashable ? dict->find(run, index) : nullptr) return *held;
  } else if (index.integer() || index.boolean()) {
    return item_at(run, value, index.integer() ? *index.integer() : (*index.boolean() ? 1 : 0));
  }
  if (index.text()) return attribute_of(run, value, *index.text());
  return make_undefined("a value of type '" + type_name(value) + "' has no such item");
}

Value slice_of(Run& run, const Value& value, const Value& first, const Value& last, const Value& step) {
  run.step();
  require_defined(run, value);
  if (const auto* text = value.text()) {
    run.scan(text->size());
    return make_text(run, Slice(run, character_count(*text), first, last, step).of(*text));
  }
  const Sequence* sequence = value.sequence();
  if (!sequence || sequence->kind > Sequence::Kind::Range) {
    run.refuse("a value of type '" + type_name(value) + "' has no slices");
  }
  run.make(sequence->items.size() * sizeof(Value));
  return make_sequence(run, Slice(run, std::ssize(sequence->items), first, last, step).of(sequence->items),
                       sequence->kind);
}

Value value_at(Run& run, Value value, const Value& path) {
  if (path.integer()) return item_of(run, value, path);
  if (!path.text()) run.refuse("an attribute is a name or a number");
  for (const std::string& part : text_parts(*path.text(), '.')) {
    const bool digits = !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    value = item_of(run, value, digits ? Value{std::int64_t{std::stoi(part)}} : make_text(run, part));
  }
  return value;
}

}  // namespace carryover::jinja
