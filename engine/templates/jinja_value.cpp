// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_value.h"

#include <algorithm>
#include <cmath>

#include "engine/base/text_parts.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

constexpr std::size_t kObjectBytes = 64;      // size of a text or a list without its contents
constexpr std::size_t kDictEntryBytes = 160;  // approximate size of an entry without its key and value

/// Returns the depth of a value. A method contains its list, and a loop its items.
int depth_of(const Value& value) {
  if (const Sequence* sequence = value.sequence()) return sequence->depth;
  if (const Dict* dict = value.dict()) return dict->depth();
  if (const Callable* callable = value.callable()) return 1 + depth_of(callable->self);
  const auto* loop = std::get_if<std::shared_ptr<const Loop>>(&value.data);
  return loop ? 1 + (*loop)->items->depth : 0;
}

int depth_above(Run& run, const Value& value) {
  const int depth = 1 + depth_of(value);
  if (depth > kMaxValueDepth) run.refuse("lists are nested deeper than " + std::to_string(kMaxValueDepth) + " levels");
  return depth;
}

/// Returns a text that is equal for equal keys.
std::string key_text(Run& run, const Value& key) {
  if (const auto* text = key.text()) return "t" + *text;
  if (key.none()) return "n";
  std::string spelled = "i";
  if (const bool* flag = key.boolean()) return spelled + (*flag ? "1" : "0");
  if (const auto* integer = key.integer()) return append_digits(spelled, *integer), spelled;
  if (const double* real = key.real()) {
    if (std::abs(*real) < 9e15 && *real == std::floor(*real)) {
      return append_digits(spelled, static_cast<std::int64_t>(*real)), spelled;
    }
    spelled = "r";
    return append_digits(spelled, *real), spelled;
  }
  run.refuse("a value of type '" + type_name(key) + "' can't be the key of a dict");
}

bool is_number(const Value& value) {
  return value.boolean() || value.integer() || value.real();
}

std::int64_t whole(const Value& value) {
  return value.boolean() ? (*value.boolean() ? 1 : 0) : *value.integer();
}
double number(const Value& value) {
  return value.real() ? *value.real() : static_cast<double>(whole(value));
}

int order(const auto& left, const auto& right) {
  return left < right ? -1 : (right < left ? 1 : 0);
}

int compare_numbers(const Value& left, const Value& right) {
  if (left.real() || right.real()) return order(number(left), number(right));
  return order(whole(left), whole(right));
}

bool equal_sequences(Run& run, const Sequence& left, const Sequence& right) {
  return left.kind == right.kind && left.items.size() == right.items.size() &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(),
                    [&](const Value& a, const Value& b) { return equal(run, a, b); });
}

bool equal_dicts(Run& run, const Dict& left, const Dict& right) {
  if (left.entries().size() != right.entries().size()) return false;
  return std::all_of(left.entries().begin(), left.entries().end(), [&](const auto& entry) {
    const Value* other = right.find(run, entry.first);
    return other && equal(run, entry.second, *other);
  });
}

}  // namespace

const std::string* Value::text() const {
  const auto* held = std::get_if<std::shared_ptr<const Text>>(&data);
  return held ? &(*held)->bytes : nullptr;
}

bool Value::safe() const {
  const auto* held = std::get_if<std::shared_ptr<const Text>>(&data);
  return held && (*held)->safe;
}

const Sequence* Value::sequence() const {
  const auto* held = std::get_if<std::shared_ptr<const Sequence>>(&data);
  return held ? held->get() : nullptr;
}

const Sequence* Value::sequence(Sequence::Kind kind) const {
  const Sequence* held = sequence();
  return held && held->kind == kind ? held : nullptr;
}

const Dict* Value::dict() const {
  const auto* held = std::get_if<std::shared_ptr<const Dict>>(&data);
  return held ? held->get() : nullptr;
}

const Callable* Value::callable() const {
  const auto* held = std::get_if<std::shared_ptr<const Callable>>(&data);
  return held ? held->get() : nullptr;
}

void Dict::set(Run& run, const Value& key, Value value) {
  std::string spelled = key_text(run, key);
  run.make(spelled.size() + kDictEntryBytes);
  depth_ = std::max(depth_, depth_above(run, value));
  const auto [at, added] = index_.emplace(std::move(spelled), entries_.size());
  if (added) {
    entries_.emplace_back(key, std::move(value));
  } else {
    entries_[at->second].second = std::move(value);
  }
}

const Value* Dict::find(Run& run, const Value& key) const {
  const std::string spelled = key_text(run, key);
  run.scan(spelled.size());
  const auto at = index_.find(spelled);
  return at == index_.end() ? nullptr : &entries_[at->second].second;
}

const Value* Dict::find(const std::string& key) const {
  const auto at = index_.find("t" + key);
  return at == index_.end() ? nullptr : &entries_[at->second].second;
}

const Value* Arguments::find(std::size_t place, const std::string& name) const {
  if (place < positional.size()) return &positional[place];
  const auto at = std::find_if(named.begin(), named.end(), [&](const auto& given) { return given.first == name; });
  return at == named.end() ? nullptr : &at->second;
}

void Arguments::check(Run& run, const std::string& callee, std::size_t most,
                      const std::vector<std::string>& names) const {
  if (positional.size() > most) run.refuse(callee + " takes at most " + std::to_string(most) + " arguments");
  for (const auto& [name, value] : named) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      run.refuse(callee + " has no argument '" + name + "'");
    }
  }
}

Value make_text(Run& run, std::string bytes, bool safe) {
  run.make(bytes.size() + kObjectBytes);
  if (bytes.size() > kMaxTextBytes) run.refuse("a text is longer than " + std::to_string(kMaxTextBytes) + " bytes");
  return {std::make_shared<const Text>(Text{std::move(bytes), safe})};
}

Value make_sequence(Run& run, Items items, Sequence::Kind kind) {
  run.make(items.size() * sizeof(Value) + kObjectBytes);
  const int depth = list_depth(run, items);
  return {std::make_shared<const Sequence>(Sequence{kind, std::move(items), depth, 0})};
}

int list_depth(Run& run, const Items& items) {
  int depth = 1;
  for (const Value& item : items) depth = std::max(depth, depth_above(run, item));
  return depth;
}

Value make_dict(Dict dict) {
  return {std::make_shared<const Dict>(std::move(dict))};
}

Value make_undefined(std::string reason) {
  return {Undefined{std::make_shared<const std::string>(std::move(reason))}};
}

std::string type_name(const Value& value) {
  static constexpr const char* kNames[] = {"Undefined", "NoneType", "bool", "int",         "float",   "str",
                                           "list",      "dict",     "",     "LoopContext", "function"};
  if (std::holds_alternative<Namespace*>(value.data)) return "Namespace";
  if (value.sequence(Sequence::Kind::Tuple)) return "tuple";
  if (value.sequence(Sequence::Kind::Generator)) return "generator";
  return kNames[value.data.index()];
}

bool is_true(const Value& value) {
  if (value.undefined() || value.none()) return false;
  if (is_number(value)) return number(value) != 0;
  if (const auto* text = value.text()) return !text->empty();
  if (const Sequence* items = value.sequence())
    return items->kind == Sequence::Kind::Generator || !items->items.empty();
  if (const Dict* dict = value.dict()) return !dict->entries().empty();
  return true;
}

bool equal(Run& run, const Value& left, const Value& right) {
  run.step();
  if (is_number(left) && is_number(right)) return compare_numbers(left, right) == 0 && number(left) == number(right);
  if (left.data.index() != right.data.index()) return false;
  if (left.undefined() || left.none()) return true;
  if (const auto* text = left.text()) {
    if (text->size() != right.text()->size()) return false;
    run.scan(text->size());
    return *text == *right.text();
  }
  if (const Sequence* items = left.sequence()) return equal_sequences(run, *items, *right.sequence());
  if (const Dict* dict = left.dict()) return equal_dicts(run, *dict, *right.dict());
  return left.data == right.data;
}

int compare(Run& run, const Value& left, const Value& right) {
  run.step();
  if (is_number(left) && is_number(right)) return compare_numbers(left, right);
  if (left.text() && right.text()) {
    run.scan(std::min(left.text()->size(), right.text()->size()));
    return left.text()->compare(*right.text());  // UTF-8 bytes have the order of code points
  }
  const Sequence *first = left.sequence(), *second = right.sequence();
  if (!first || !second || first->kind != second->kind || first->kind > Sequence::Kind::Tuple) {
    run.refuse("values of type '" + type_name(left) + "' and '" + type_name(right) + "' have no order");
  }
  for (std::size_t i = 0; i < std::min(first->items.size(), second->items.size()); ++i) {
    if (!equal(run, first->items[i], second->items[i])) return compare(run, first->items[i], second->items[i]);
  }
  return order(first->items.size(), second->items.size());
}

Items iterate(Run& run, const Value& value) {
  Items items;
  if (const auto* text = value.text()) {
    run.make(text->size() * sizeof(Text));
    for (const std::string_view character : Characters(*text)) items.push_back(make_text(run, std::string(character)));
  } else if (const Sequence* sequence = value.sequence()) {
    run.make(sequence->items.size() * sizeof(Value));
    items.assign(sequence->items.begin() + static_cast<std::ptrdiff_t>(sequence->taken), sequence->items.end());
    if (sequence->kind == Sequence::Kind::Generator) sequence->taken = sequence->items.size();
  } else if (const Dict* dict = value.dict()) {
    run.make(dict->entries().size() * sizeof(Value));
    for (const auto& [key, held] : dict->entries()) items.push_back(key);
  } else if (!value.undefined()) {
    run.refuse("a value of type '" + type_name(value) + "' can't be iterated");
  }
  return items;
}

std::int64_t length(Run& run, const Value& value) {
  if (const auto* text = value.text()) {
    run.scan(text->size());
    return character_count(*text);
  }
  const Sequence* sequence = value.sequence();
  if (sequence && sequence->kind != Sequence::Kind::Generator) return std::ssize(sequence->items);
  if (const Dict* dict = value.dict()) return std::ssize(dict->entries());
  if (value.undefined()) return 0;
  run.refuse("a value of type '" + type_name(value) + "' has no length");
}

}  // namespace carryover::jinja
