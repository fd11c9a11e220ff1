// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_methods.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "engine/base/python_space.h"
#include "engine/base/utf8.h"
#include "engine/templates/jinja_format.h"
#include "engine/templates/jinja_json.h"
#include "engine/templates/jinja_operators.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

// Names of methods, with blanks around each. The first two lists are of methods that change a dict or a list.
constexpr std::string_view kDictChanges = " clear pop popitem setdefault update ";
constexpr std::string_view kListChanges = " append clear extend insert pop remove reverse sort ";
constexpr std::string_view kDictMethods = " copy fromkeys get items keys values ";
constexpr std::string_view kListMethods = " copy count index ";
constexpr std::string_view kTextMethods =
    " capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii "
    "isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip "
    "maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split "
    "splitlines "
    "startswith strip swapcase title translate upper zfill ";

bool lists(std::string_view names, const std::string& name) {
  return name.find(' ') == std::string::npos && names.find(" " + name + " ") != std::string_view::npos;
}

Value text_list(Run& run, const std::vector<std::string_view>& parts) {
  Items items;
  run.make(parts.size() * sizeof(Text));
  for (const std::string_view part : parts) items.push_back(make_text(run, std::string(part)));
  return make_sequence(run, std::move(items));
}

/// A call of a string method: the string and the arguments.
struct TextCall {
  Run& run;
  const std::string& text;
  const std::string& name;
  const Arguments& given;

  const Value* at(std::size_t place, const char* argument = "") const {
    const Value* value = given.find(place, argument);
    return value && value->none() ? nullptr : value;
  }
  const std::string& text_at(std::size_t place) const {
    if (place >= given.positional.size()) run.refuse(name + "() lacks an argument");
    return text_argument(run, given.positional[place], name);
  }
};

Value strip_call(const TextCall& call, bool front, bool back) {
  const Value* cut = call.at(0);
  return make_text(call.run,
                   std::string(cut ? strip(call.text, characters_argument(call.run, *cut, call.name), front, back)
                                   : strip(call.text, front, back)));
}

Value split_call(const TextCall& call, bool from_back) {
  const Value* separator = call.at(0, "sep");
  const std::int64_t most = integer_argument(call.run, call.at(1, "maxsplit"), -1, call.name);
  if (!separator) {
    if (from_back && most >= 0) call.run.lack("rsplit() at blanks");
    return text_list(call.run, split_blanks(call.text, most));
  }
  const std::string& cut = text_argument(call.run, *separator, call.name);
  if (cut.empty()) call.run.refuse("split() takes no empty separator");
  return text_list(call.run, from_back ? split_back(call.text, cut, most) : split(call.text, cut, most));
}

/// Calls startswith() or endswith(), with a string or a tuple of strings.
Value affix_call(const TextCall& call, bool front) {
  if (call.given.positional.size() > 1) call.run.lack(call.name + "() with positions");
  const Value* affix = call.at(0);
  if (!affix) call.run.refuse(call.name + "() lacks an argument");
  const auto fits = [&](const Value& value) {
    const std::string& part = text_argument(call.run, value, call.name);
    return front ? call.text.starts_with(part) : call.text.ends_with(part);
  };
  const Sequence* several = affix->sequence(Sequence::Kind::Tuple);
  return {several ? std::any_of(several->items.begin(), several->items.end(), fits) : fits(*affix)};
}

Value find_call(const TextCall& call, bool from_back, bool must_exist) {
  if (call.given.positional.size() > 1) call.run.lack(call.name + "() with positions");
  const std::string& part = call.text_at(0);
  const std::size_t at = from_back ? find_last(call.text, part) : find_text(call.text, part);
  if (at != std::string::npos) return {character_count(std::string_view(call.text).substr(0, at))};
  if (must_exist) call.run.refuse(call.name + "() did not find the text");
  return {std::int64_t{-1}};
}

Value count_call(const TextCall& call) {
  if (call.given.positional.size() > 1) call.run.lack("count() with positions");
  const std::string& part = call.text_at(0);
  if (part.empty()) return {character_count(call.text) + 1};
  std::int64_t count = 0;
  for (std::size_t at = find_text(call.text, part); at != std::string::npos; at = find_text(call.text, part, at)) {
    at += part.size();
    ++count;
  }
  return {count};
}

Value replace_call(const TextCall& call) {
  const std::int64_t most = integer_argument(call.run, call.at(2, "count"), -1, call.name);
  return make_text(call.run, replaced(call.run, call.text, call.text_at(0), call.text_at(1), most));
}

Value join_call(const TextCall& call) {
  if (call.given.positional.empty()) call.run.refuse("join() lacks an argument");
  std::string made;
  bool first = true;
  for (const Value& item : iterate(call.run, call.given.positional[0])) {
    if (!first) made += call.text;
    first = false;
    made += text_argument(call.run, item, call.name);
    call.run.make(call.text.size() + item.text()->size());
  }
  return make_text(call.run, std::move(made));
}

Value remove_call(const TextCall& call, bool front) {
  const std::string& part = call.text_at(0);
  std::string_view kept = call.text;
  if (front && kept.starts_with(part)) kept.remove_prefix(part.size());
  if (!front && kept.ends_with(part)) kept.remove_suffix(part.size());
  return make_text(call.run, std::string(kept));
}

/// Calls isdigit() or the like: true if there is a character and all fit. Supports only ASCII, because templates ask
/// for no more.
template <typename Fits>
Value all_call(const TextCall& call, const Fits& fits) {
  for (const std::string_view character : Characters(call.text)) {
    if (character.size() > 1 && !is_python_space(utf8_code(character)))
      call.run.lack(call.name + "() of text beyond ASCII");
    if (!fits(utf8_code(character))) return {false};
  }
  return {!call.text.empty()};
}

using TextMethod = std::function<Value(const TextCall&)>;

bool is_digit_code(std::uint32_t code) {
  return code >= '0' && code <= '9';
}
bool is_letter_code(std::uint32_t code) {
  return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

TextMethod converter(std::string (*convert)(std::string_view)) {
  return [convert](const TextCall& call) { return make_text(call.run, convert(call.text)); };
}

const std::map<std::string_view, TextMethod>& text_methods() {
  static const std::map<std::string_view, TextMethod> methods{
      {"strip", [](const TextCall& call) { return strip_call(call, true, true); }},
      {"lstrip", [](const TextCall& call) { return strip_call(call, true, false); }},
      {"rstrip", [](const TextCall& call) { return strip_call(call, false, true); }},
      {"split", [](const TextCall& call) { return split_call(call, false); }},
      {"rsplit", [](const TextCall& call) { return split_call(call, true); }},
      {"splitlines", [](const TextCall& call) { return text_list(call.run, split_lines(call.text)); }},
      {"startswith", [](const TextCall& call) { return affix_call(call, true); }},
      {"endswith", [](const TextCall& call) { return affix_call(call, false); }},
      {"find", [](const TextCall& call) { return find_call(call, false, false); }},
      {"rfind", [](const TextCall& call) { return find_call(call, true, false); }},
      {"index", [](const TextCall& call) { return find_call(call, false, true); }},
      {"rindex", [](const TextCall& call) { return find_call(call, true, true); }},
      {"count", count_call},
      {"replace", replace_call},
      {"join", join_call},
      {"removeprefix", [](const TextCall& call) { return remove_call(call, true); }},
      {"removesuffix", [](const TextCall& call) { return remove_call(call, false); }},
      {"upper", converter(upper)},
      {"lower", converter(lower)},
      {"title", converter(title)},
      {"capitalize", converter(capitalize)},
      {"isdigit", [](const TextCall& call) { return all_call(call, is_digit_code); }},
      {"isnumeric", [](const TextCall& call) { return all_call(call, is_digit_code); }},
      {"isdecimal", [](const TextCall& call) { return all_call(call, is_digit_code); }},
      {"isspace", [](const TextCall& call) { return all_call(call, is_python_space); }},
      {"isalpha", [](const TextCall& call) { return all_call(call, is_letter_code); }},
      {"isalnum",
       [](const TextCall& call) {
         return all_call(call, [](std::uint32_t code) { return is_digit_code(code) || is_letter_code(code); });
       }},
      {"format", [](const TextCall& call) { return make_text(call.run, formatted(call.run, call.text, call.given)); }},
  };
  return methods;
}

Value call_dict(Run& run, const Dict& dict, const std::string& name, const Arguments& given) {
  Items items;
  if (name == "get") {
    given.check(run, "get()", 2);
    if (given.positional.empty()) run.refuse("get() lacks an argument");
    if (const Value* held = dict.find(run, given.positional[0])) return *held;
    return given.positional.size() > 1 ? given.positional[1] : Value{std::monostate{}};
  }
  if (name != "items" && name != "keys" && name != "values") run.lack("dict." + name + "()");
  given.check(run, name + "()", 0);
  run.make(dict.entries().size() * sizeof(Value));
  for (const auto& [key, held] : dict.entries()) {
    items.push_back(name == "items" ? make_sequence(run, {key, held}, Sequence::Kind::Tuple)
                                    : (name == "keys" ? key : held));
  }
  return make_sequence(run, std::move(items), Sequence::Kind::View);
}

Value call_list(Run& run, const Sequence& list, const std::string& name, const Arguments& given) {
  if (name == "copy") return make_sequence(run, list.items);
  given.check(run, name + "()", 1);
  if (given.positional.empty()) run.refuse(name + "() lacks an argument");
  const auto same = [&](const Value& item) { return equal(run, item, given.positional[0]); };
  if (name == "count") return {std::int64_t{std::count_if(list.items.begin(), list.items.end(), same)}};
  const auto at = std::find_if(list.items.begin(), list.items.end(), same);
  if (at == list.items.end()) run.refuse("index() did not find the value");
  return {std::int64_t{at - list.items.begin()}};
}

}  // namespace

const std::string& text_argument(Run& run, const Value& value, const std::string& callee) {
  if (const auto* text = value.text()) {
    run.scan(text->size());
    return *text;
  }
  require_defined(run, value);
  run.refuse(callee + " takes a string, not a value of type '" + type_name(value) + "'");
}

const std::string& characters_argument(Run& run, const Value& value, const std::string& callee) {
  const std::string& text = text_argument(run, value, callee);
  run.decode(text.size());
  return text;
}

std::int64_t integer_argument(Run& run, const Value* value, std::int64_t absent, const std::string& callee) {
  if (!value) return absent;
  if (value->boolean()) return *value->boolean() ? 1 : 0;
  if (value->integer()) return *value->integer();
  run.refuse(callee + " takes an integer, not a value of type '" + type_name(*value) + "'");
}

bool flag_argument(const Value* value) {
  return value && is_true(*value);
}

std::string replaced(Run& run, const std::string& text, const std::string& old, const std::string& by,
                     std::int64_t most) {
  if (old.empty()) run.lack("replace() of an empty text");
  std::string made;
  std::size_t at = 0;
  for (std::int64_t count = 0; most < 0 || count < most; ++count) {
    const std::size_t found = find_text(text, old, at);
    if (found == std::string::npos) break;
    run.make(by.size());
    made.append(text, at, found - at) += by;
    at = found + old.size();
  }
  run.make(text.size() - at);
  return made.append(text, at);
}

bool has_method(const Value& value, const std::string& name) {
  if (value.text()) return lists(kTextMethods, name);
  if (value.dict()) return lists(kDictMethods, name) || lists(kDictChanges, name);
  if (value.sequence(Sequence::Kind::List)) return lists(kListMethods, name) || lists(kListChanges, name);
  return value.sequence(Sequence::Kind::Tuple) && (name == "count" || name == "index");
}

Value call_method(Run& run, const Value& self, const std::string& name, const Arguments& arguments) {
  run.step();
  if (const Dict* dict = self.dict()) {
    if (lists(kDictChanges, name)) run.refuse("a template may not change a dict ('" + name + "')");
    return call_dict(run, *dict, name, arguments);
  }
  if (const Sequence* list = self.sequence()) {
    if (lists(kListChanges, name)) run.refuse("a template may not change a list ('" + name + "')");
    return call_list(run, *list, name, arguments);
  }
  const auto method = text_methods().find(name);
  if (!self.text() || method == text_methods().end()) run.lack("str." + name + "()");
  if (name != "format") arguments.check(run, "str." + name + "()", 3, {"sep", "maxsplit", "count"});
  run.scan(self.text()->size());
  return method->second({run, *self.text(), name, arguments});
}

}  // namespace carryover::jinja
