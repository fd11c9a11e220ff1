// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_functions.h"

#include <algorithm>
#include <clocale>
#include <ctime>

#include "engine/templates/jinja_json.h"
#include "engine/templates/jinja_methods.h"

namespace carryover::jinja {

namespace {

constexpr const char* kClock = "strftime_now";

Value call_range(Run& run, const Arguments& given) {
  given.check(run, "range()", 3);
  if (given.positional.empty()) run.refuse("range() lacks an argument");
  const auto at = [&](std::size_t i, std::int64_t absent) {
    return integer_argument(run, i < given.positional.size() ? &given.positional[i] : nullptr, absent, "range()");
  };
  const bool one = given.positional.size() == 1;
  const std::int64_t first = one ? 0 : at(0, 0), last = one ? at(0, 0) : at(1, 0), step = at(2, 1);
  if (step == 0) run.refuse("range() takes no step 0");
  Items items;
  std::int64_t value = first;
  while (step > 0 ? value < last : value > last) {
    if (std::ssize(items) == kMaxRange) run.refuse("range() gives at most " + std::to_string(kMaxRange) + " numbers");
    items.push_back({value});
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  return make_sequence(run, std::move(items), Sequence::Kind::Range);
}

Value call_dict_function(Run& run, const Arguments& given) {
  if (given.positional.size() > 1) run.refuse("dict() takes at most one argument without a name");
  Dict made;
  if (!given.positional.empty()) {
    const Dict* start = given.positional[0].dict();
    if (!start) run.lack("dict() of a value of type '" + type_name(given.positional[0]) + "'");
    for (const auto& [key, value] : start->entries()) made.set(run, key, value);
  }
  for (const auto& [name, value] : given.named) made.set(run, make_text(run, name), value);
  return make_dict(std::move(made));
}

/// Replaces the directives that Python's strftime() replaces before it asks the C library: %f is the fraction of a
/// second, and %z and %Z are empty for a time without a zone.
std::string python_format(const std::string& format) {
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char directive = format[i] == '%' && i + 1 < format.size() ? format[i + 1] : '\0';
    if (directive == '\0') {
      text += format[i];
      continue;
    }
    ++i;
    if (directive == 'z' || directive == 'Z') continue;
    text += directive == 'f' ? std::string("000000") : std::string{'%', directive};
  }
  return text;
}

/// Returns the formatted time in English, whatever language the program runs in.
Value call_clock(Run& run, std::int64_t seconds, const Arguments& given) {
  static const ::locale_t english = ::newlocale(LC_TIME_MASK, "C", static_cast<::locale_t>(nullptr));
  given.check(run, kClock, 1);
  const std::string format =
      given.positional.empty() ? std::string() : python_format(text_argument(run, given.positional[0], kClock));
  if (format.empty()) return make_text(run, {});
  const std::time_t time{seconds};
  std::tm fields{};
  char text[1024];
  const bool valid = english != static_cast<::locale_t>(nullptr) && ::gmtime_r(&time, &fields) != nullptr;
  const std::size_t size = valid ? ::strftime_l(text, sizeof text, format.c_str(), &fields, english) : 0;
  if (size == 0) run.refuse("strftime_now() has no such time or format");
  return make_text(run, std::string(text, size));
}

}  // namespace

bool is_function(const std::string& name) {
  return name == "dict" || name == "namespace" || name == "raise_exception" || name == "range";
}

Value make_clock(std::int64_t seconds) {
  return {std::make_shared<const Callable>(Callable{kClock, {seconds}, nullptr, nullptr})};
}

Value call_function(Run& run, const Callable& function, const Arguments& given) {
  if (function.name == "range") return call_range(run, given);
  if (function.name == "dict") return call_dict_function(run, given);
  if (function.name == kClock) return call_clock(run, *function.self.integer(), given);
  given.check(run, function.name, 1, {"message"});
  const Value* message = given.find(0, "message");
  run.refuse("the template refuses these messages: " +
             (message ? to_text(run, *message) : std::string()).substr(0, 500));
}

}  // namespace carryover::jinja
