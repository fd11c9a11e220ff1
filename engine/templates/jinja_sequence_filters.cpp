// SPDX-License-Identifier: GPL-3.0-or-later
// Filters of lists and dicts (jinja_filters.h).
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/templates/jinja_filters.h"
#include "engine/templates/jinja_json.h"
#include "engine/templates/jinja_methods.h"
#include "engine/templates/jinja_operators.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

Value generated(Run& run, Items items) {
  return make_sequence(run, std::move(items), Sequence::Kind::Generator);
}

Value length_filter(const Application& call) {
  return {length(call.run, call.value)};
}

Value first_filter(const Application& call) {
  const Sequence* generator = call.value.sequence(Sequence::Kind::Generator);
  if (generator && generator->taken < generator->items.size()) return generator->items[generator->taken++];
  const Items items = iterate(call.run, call.value);
  return items.empty() ? make_undefined("there is no first item") : items.front();
}

Value last_filter(const Application& call) {
  if (call.value.sequence(Sequence::Kind::Generator)) call.run.refuse("a generator has no last item");
  const Items items = iterate(call.run, call.value);
  return items.empty() ? make_undefined("there is no last item") : items.back();
}

Value list_filter(const Application& call) {
  return make_sequence(call.run, iterate(call.run, call.value));
}

Value items_filter(const Application& call) {
  Items items;
  if (!call.value.undefined() && !call.value.dict()) call.run.refuse("items takes a dict");
  if (const Dict* dict = call.value.dict()) {
    for (const auto& [key, held] : dict->entries()) {
      items.push_back(make_sequence(call.run, {key, held}, Sequence::Kind::Tuple));
    }
  }
  return generated(call.run, std::move(items));
}

Value join_filter(const Application& call) {
  const Value *between = call.given.find(0, "d"), *attribute = call.given.find(1, "attribute");
  const std::string separator = between ? to_text(call.run, *between) : std::string();
  std::string made;
  bool first = true;
  for (const Value& item : iterate(call.run, call.value)) {
    if (!first) {
      call.run.make(separator.size());
      made += separator;
    }
    first = false;
    made += to_text(call.run, attribute ? value_at(call.run, item, *attribute) : item);
  }
  return make_text(call.run, std::move(made));
}

Value reverse_filter(const Application& call) {
  Items items = iterate(call.run, call.value);
  std::reverse(items.begin(), items.end());
  if (!call.value.text()) return generated(call.run, std::move(items));
  std::string made;
  for (const Value& character : items) made += *character.text();
  return make_text(call.run, std::move(made));
}

/// Returns the value that sort, unique, min and max compare: the value at an attribute, in lower case unless case
/// matters.
Value sort_key(Run& run, Value value, const Value* attribute, bool case_sensitive) {
  if (attribute && !attribute->none()) value = value_at(run, std::move(value), *attribute);
  return value.text() && !case_sensitive ? make_text(run, lower(*value.text())) : value;
}

/// Computes sorted(reverse=…) of `values` by their `keys`, which is stable either way. Indices are sorted, and keys and
/// values are separate lists: for anything larger, g++ 12 describes an empty part of std::rotate, of a vector's growth
/// or of a destructor, which hides how to unwind another function (tests/repo/unwind_tables_test.py).
Items sorted_values(Run& run, const Items& keys, const Items& values, bool backward) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (backward ? compare(run, keys[b], keys[a]) : compare(run, keys[a], keys[b])) < 0;
  });
  Items items;
  for (const std::size_t place : order) items.push_back(values[place]);
  return items;
}

Value sort_filter(const Application& call) {
  const bool backward = flag_argument(call.given.find(0, "reverse"));
  const bool case_sensitive = flag_argument(call.given.find(1, "case_sensitive"));
  Items keys, values;
  for (Value& item : iterate(call.run, call.value)) {
    keys.push_back(sort_key(call.run, item, call.given.find(2, "attribute"), case_sensitive));
    values.push_back(std::move(item));
  }
  return make_sequence(call.run, sorted_values(call.run, keys, values, backward));
}

Value dictsort_filter(const Application& call) {
  const bool case_sensitive = flag_argument(call.given.find(0, "case_sensitive"));
  const Value* by = call.given.find(1, "by");
  const bool by_value = by && by->text() && *by->text() == "value";
  if (!call.value.dict()) require_defined(call.run, call.value), call.run.refuse("dictsort takes a dict");
  Items keys, values;
  for (const auto& [key, held] : call.value.dict()->entries()) {
    keys.push_back(sort_key(call.run, by_value ? held : key, nullptr, case_sensitive));
    values.push_back(make_sequence(call.run, {key, held}, Sequence::Kind::Tuple));
  }
  const bool backward = flag_argument(call.given.find(2, "reverse"));
  return make_sequence(call.run, sorted_values(call.run, keys, values, backward));
}

Value unique_filter(const Application& call) {
  const bool case_sensitive = flag_argument(call.given.find(0, "case_sensitive"));
  Dict seen;
  Items kept;
  for (Value& item : iterate(call.run, call.value)) {
    const Value key = sort_key(call.run, item, call.given.find(1, "attribute"), case_sensitive);
    if (seen.find(call.run, key)) continue;
    seen.set(call.run, key, {std::monostate{}});
    kept.push_back(std::move(item));
  }
  return generated(call.run, std::move(kept));
}

/// Computes min or max: the first of several that are equal.
template <int kSign>
Value extreme_filter(const Application& call) {
  const bool case_sensitive = flag_argument(call.given.find(0, "case_sensitive"));
  Value best = make_undefined("there is no item"), best_key;
  for (const Value& item : iterate(call.run, call.value)) {
    Value key = sort_key(call.run, item, call.given.find(1, "attribute"), case_sensitive);
    if (!best.undefined() && compare(call.run, key, best_key) * kSign <= 0) continue;
    best = item;
    best_key = std::move(key);
  }
  return best;
}

Value sum_filter(const Application& call) {
  const Value *attribute = call.given.find(0, "attribute"), *start = call.given.find(1, "start");
  Value sum = start ? *start : Value{std::int64_t{0}};
  for (const Value& item : iterate(call.run, call.value)) {
    const bool has_path = attribute && !attribute->none();
    sum = binary_operation(call.run, "+", sum, has_path ? value_at(call.run, item, *attribute) : item);
  }
  return sum;
}

/// Returns the items over which map, select and the like go: none for a value that counts as false.
Items mapped_items(const Application& call) {
  return is_true(call.value) ? iterate(call.run, call.value) : Items();
}

/// Returns the arguments after the first `count`, for the filter or test that a filter applies to each item.
Arguments behind(const Arguments& given, std::size_t count) {
  Arguments rest;
  const auto skipped = static_cast<std::ptrdiff_t>(std::min(count, given.positional.size()));
  rest.positional.assign(given.positional.begin() + skipped, given.positional.end());
  rest.named = given.named;
  return rest;
}

Value map_filter(const Application& call) {
  Items made;
  if (call.given.positional.empty()) {
    call.given.check(call.run, call.name, 0, {"attribute", "default"});
    const Value *attribute = call.given.find(0, "attribute"), *other = call.given.find(1, "default");
    if (!attribute) call.run.refuse("map lacks an argument");
    for (const Value& item : mapped_items(call)) {
      made.push_back(value_at(call.run, item, *attribute));
      if (made.back().undefined() && other) made.back() = *other;
    }
    return generated(call.run, std::move(made));
  }
  const std::string& filter = text_argument(call.run, call.given.positional[0], call.name);
  const Level level(call.run);  // map('map', 'map', …)
  for (const Value& item : mapped_items(call)) {
    made.push_back(apply_filter(call.run, filter, item, behind(call.given, 1)));
  }
  return generated(call.run, std::move(made));
}

/// Computes select, reject, selectattr and rejectattr: keeps the items for which a test holds, or those for whose
/// attribute it holds.
Value selected(const Application& call, bool by_attribute, bool wanted) {
  const std::size_t place = by_attribute ? 1 : 0;
  const auto& given = call.given.positional;
  if (by_attribute && given.empty()) call.run.refuse(call.name + " lacks an argument");
  const std::string test = place < given.size() ? text_argument(call.run, given[place], call.name) : std::string();
  Items kept;
  for (Value& item : mapped_items(call)) {
    const Value tested = by_attribute ? value_at(call.run, item, given[0]) : item;
    const bool holds =
        test.empty() ? is_true(tested) : apply_test(call.run, test, tested, behind(call.given, place + 1));
    if (holds == wanted) kept.push_back(std::move(item));
  }
  return generated(call.run, std::move(kept));
}

template <bool kByAttribute, bool kWanted>
Value select_filter(const Application& call) {
  return selected(call, kByAttribute, kWanted);
}

}  // namespace

const Filter* find_sequence_filter(const std::string& name) {
  static const std::map<std::string, Filter> filters{
      {"count", {length_filter}},
      {"dictsort", {dictsort_filter, {"case_sensitive", "by", "reverse"}}},
      {"first", {first_filter}},
      {"items", {items_filter}},
      {"join", {join_filter, {"d", "attribute"}}},
      {"last", {last_filter}},
      {"length", {length_filter}},
      {"list", {list_filter}},
      {"map", {map_filter, {}, true}},
      {"max", {extreme_filter<1>, {"case_sensitive", "attribute"}}},
      {"min", {extreme_filter<-1>, {"case_sensitive", "attribute"}}},
      {"reject", {select_filter<false, false>, {}, true}},
      {"rejectattr", {select_filter<true, false>, {}, true}},
      {"reverse", {reverse_filter}},
      {"select", {select_filter<false, true>, {}, true}},
      {"selectattr", {select_filter<true, true>, {}, true}},
      {"sort", {sort_filter, {"reverse", "case_sensitive", "attribute"}}},
      {"sum", {sum_filter, {"attribute", "start"}}},
      {"unique", {unique_filter, {"case_sensitive", "attribute"}}},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : &found->second;
}

}  // namespace carryover::jinja
