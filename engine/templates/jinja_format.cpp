// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_format.h"

#include "engine/templates/jinja_json.h"

namespace carryover::jinja {

namespace {

const Value& field_value(Run& run, const std::string& field, std::size_t& next, const Arguments& given) {
  const bool digits = field.size() < 10 && field.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) {
    if (field.find_first_of(".[!:{") != std::string::npos)
      run.lack("a field '" + field.substr(0, 40) + "' of format()");
    for (const auto& [name, value] : given.named) {
      if (name == field) return value;
    }
    run.refuse("format() has no argument '" + field.substr(0, 40) + "'");
  }
  const std::size_t place = field.empty() ? next++ : static_cast<std::size_t>(std::stoi(field));
  if (place >= given.positional.size()) run.refuse("format() lacks an argument");
  return given.positional[place];
}

}  // namespace

std::string formatted(Run& run, const std::string& format, const Arguments& arguments) {
  std::string made;
  std::size_t next = 0;
  for (std::size_t at = 0; at < format.size(); ++at) {
    const char c = format[at];
    const bool doubled = at + 1 < format.size() && format[at + 1] == c;
    if (c != '{' && c != '}') {
      made += c;
    } else if (doubled) {
      made += c;
      ++at;
    } else {
      const std::size_t end = format.find('}', at);
      if (c == '}' || end == std::string::npos) run.refuse("format() has a bracket without its pair");
      made += to_text(run, field_value(run, format.substr(at + 1, end - at - 1), next, arguments));
      at = end;
    }
  }
  return made;
}

}  // namespace carryover::jinja
