// SPDX-License-Identifier: GPL-3.0-or-later
// Filters of texts, numbers and any value.
#include "engine/templates/jinja_filters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/templates/jinja_json.h"
#include "engine/templates/jinja_methods.h"
#include "engine/templates/jinja_operators.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

/// Returns the value in the form that text filters take: str() of anything.
std::string text_of(const Application& call) {
  return to_text(call.run, call.value);
}

template <std::string (*kConvert)(std::string_view)>
Value converted(const Application& call) {
  return make_text(call.run, kConvert(text_of(call)), call.value.safe());
}

Value trim_filter(const Application& call) {
  const std::string text = text_of(call);
  const Value* cut = call.given.find(0, "chars");
  const bool blanks = !cut || cut->none();
  return make_text(call.run,
                   std::string(blanks ? strip(text, true, true)
                                      : strip(text, characters_argument(call.run, *cut, call.name), true, true)),
                   call.value.safe());
}

Value string_filter(const Application& call) {
  return call.value.text() ? call.value : make_text(call.run, text_of(call));
}

Value safe_filter(const Application& call) {
  return make_text(call.run, text_of(call), true);
}

Value escape_filter(const Application& call) {
  return call.value.safe() ? call.value : make_text(call.run, html_escaped(text_of(call)), true);
}

Value replace_filter(const Application& call) {
  const Value *old = call.given.find(0, "old"), *by = call.given.find(1, "new"), *count = call.given.find(2, "count");
  if (!old || !by) call.run.refuse("replace lacks an argument");
  const std::int64_t most = integer_argument(call.run, count && count->none() ? nullptr : count, -1, call.name);
  return make_text(call.run, replaced(call.run, text_of(call), to_text(call.run, *old), to_text(call.run, *by), most));
}

Value indent_filter(const Application& call) {
  const Value *width = call.given.find(0, "width"), *first = call.given.find(1, "first");
  const bool indents_blank = flag_argument(call.given.find(2, "blank"));
  const std::string& text = text_argument(call.run, call.value, call.name);
  std::string margin;
  if (width && width->text()) {
    margin = *width->text();
  } else {
    const std::int64_t columns = integer_argument(call.run, width, 4, call.name);
    if (columns > 1000) call.run.refuse("indent takes at most 1000 columns");
    margin.assign(static_cast<std::size_t>(std::max<std::int64_t>(columns, 0)), ' ');
  }
  const std::string ended = text + "\n";
  const std::vector<std::string_view> lines = split_lines(ended);
  call.run.make(text.size() + lines.size() * margin.size());
  std::string made = flag_argument(first) ? margin : std::string();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) made += "\n";
    if (i > 0 && (indents_blank || !lines[i].empty())) made += margin;
    made += lines[i];
  }
  return make_text(call.run, std::move(made));
}

Value default_filter(const Application& call) {
  const Value* other = call.given.find(0, "default_value");
  const bool replaces =
      call.value.undefined() || (flag_argument(call.given.find(1, "boolean")) && !is_true(call.value));
  if (!replaces) return call.value;
  return other ? *other : make_text(call.run, {});
}

/// Returns the characters of a string that int() and float() read: without blanks around it and single underscores
/// between digits.
std::string number_digits(const std::string& text) {
  std::string_view spelled = strip(text, true, true);
  if (spelled.starts_with('+') && !spelled.starts_with("+-")) spelled.remove_prefix(1);
  const auto is_digit_at = [&](std::size_t i) { return i < spelled.size() && spelled[i] >= '0' && spelled[i] <= '9'; };
  std::string digits;
  for (std::size_t i = 0; i < spelled.size(); ++i)
    if (spelled[i] != '_' || i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1)) digits += spelled[i];
  return digits;
}

template <typename Number>
bool parse_all(const std::string& digits, Number& number) {
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size();
}

/// Computes float() of a value; returns false if it has none.
bool to_float(const Value& value, double& number) {
  if (const bool* flag = value.boolean()) return number = *flag ? 1 : 0, true;
  if (const auto* whole = value.integer()) return number = static_cast<double>(*whole), true;
  if (const double* real = value.real()) return number = *real, true;
  return value.text() && value.text()->size() < 400 && parse_all(number_digits(*value.text()), number);
}

Value int_filter(const Application& call) {
  const Value* other = call.given.find(0, "default");
  if (call.given.find(1, "base")) call.run.lack("int with a base");
  if (call.value.integer()) return call.value;
  std::int64_t whole = 0;
  if (const auto* text = call.value.text()) {
    call.run.decode(text->size());
    if (parse_all(number_digits(*text), whole)) return {whole};
  }
  double real = 0;
  if (!to_float(call.value, real) || !std::isfinite(real)) return other ? *other : Value{std::int64_t{0}};
  if (std::abs(real) >= 9.2e18) call.run.lack("an integer beyond 64 bits");
  return {static_cast<std::int64_t>(real)};
}

Value float_filter(const Application& call) {
  const Value* other = call.given.find(0, "default");
  double real = 0;
  if (to_float(call.value, real)) return {real};
  return other ? *other : Value{0.0};
}

Value abs_filter(const Application& call) {
  const Value zero{std::int64_t{0}};
  return compare(call.run, call.value, zero) < 0 ? negated(call.run, call.value) : call.value;
}

void set_indent(const Application& call, const Value* indent, JsonStyle& style) {
  if (!indent || indent->none()) return;
  style.lines = true;
  style.item = ",";
  if (indent->text()) {
    style.indent = *indent->text();
  } else {
    const std::int64_t columns = integer_argument(call.run, indent, 0, call.name);
    if (columns > 100) call.run.refuse("tojson takes an indent of at most 100");
    style.indent.assign(static_cast<std::size_t>(std::max<std::int64_t>(columns, 0)), ' ');
  }
}

Value tojson_filter(const Application& call) {
  JsonStyle style;
  style.ascii = flag_argument(call.given.find(0, "ensure_ascii"));
  style.sorted = flag_argument(call.given.find(3, "sort_keys"));
  set_indent(call, call.given.find(1, "indent"), style);
  if (const Value* separators = call.given.find(2, "separators"); separators && !separators->none()) {
    const Items pair = iterate(call.run, *separators);
    if (pair.size() != 2) call.run.refuse("tojson takes two separators");
    style.item = text_argument(call.run, pair[0], call.name);
    style.key = text_argument(call.run, pair[1], call.name);
  }
  return make_text(call.run, to_json(call.run, call.value, style));
}

}  // namespace

const Filter* find_text_filter(const std::string& name) {
  static const std::map<std::string, Filter> filters{
      {"abs", {abs_filter}},
      {"capitalize", {converted<capitalize>}},
      {"d", {default_filter, {"default_value", "boolean"}}},
      {"default", {default_filter, {"default_value", "boolean"}}},
      {"e", {escape_filter}},
      {"escape", {escape_filter}},
      {"float", {float_filter, {"default"}}},
      {"indent", {indent_filter, {"width", "first", "blank"}}},
      {"int", {int_filter, {"default", "base"}}},
      {"lower", {converted<lower>}},
      {"replace", {replace_filter, {"old", "new", "count"}}},
      {"safe", {safe_filter}},
      {"string", {string_filter}},
      {"title", {converted<filter_title>}},
      {"tojson", {tojson_filter, {"ensure_ascii", "indent", "separators", "sort_keys"}}},
      {"trim", {trim_filter, {"chars"}}},
      {"upper", {converted<upper>}},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : &found->second;
}

Value apply_filter(Run& run, const std::string& name, const Value& value, const Arguments& given) {
  run.step();
  const Filter* filter = find_text_filter(name);
  if (!filter) filter = find_sequence_filter(name);
  if (!filter) run.lack("the filter '" + name.substr(0, 40) + "'");
  if (!filter->open) given.check(run, name, filter->arguments.size(), filter->arguments);
  return filter->run({run, name, value, given});
}

}  // namespace carryover::jinja
