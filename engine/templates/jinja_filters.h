// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// A filter or test that is applied: to what, with which arguments.
struct Application {
  Run& run;
  const std::string& name;
  const Value& value;
  const Arguments& given;
};
/// A filter and the names of its arguments, in order; it gets no others unless it is `open`.
struct Filter {
  Value (*run)(const Application&) = nullptr;
  std::vector<std::string> arguments = {};
  bool open = false;
};

/// Both lack names that they don't know (Run::lack).
Value apply_filter(Run& run, const std::string& name, const Value& value, const Arguments& given);
bool apply_test(Run& run, const std::string& name, const Value& value, const Arguments& given);

/// Null where a name is none of these. The others are filters of texts and numbers.
const Filter* find_sequence_filter(const std::string& name);
const Filter* find_text_filter(const std::string& name);

}  // namespace carryover::jinja
