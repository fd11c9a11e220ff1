// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

/// The application of a filter or test: the value and the arguments.
struct Application {
  Run& run;
  const std::string& name;
  const Value& value;
  const Arguments& given;
};
/// A filter and the names of its arguments, in order. It gets no others unless it is `open`.
struct Filter {
  Value (*run)(const Application&) = nullptr;
  std::vector<std::string> arguments = {};
  bool open = false;
};

/// Apply a filter or a test; both call Run::lack for unknown names.
Value apply_filter(Run& run, const std::string& name, const Value& value, const Arguments& given);
bool apply_test(Run& run, const std::string& name, const Value& value, const Arguments& given);

/// Return null if there is no such filter. Text filters include those for numbers.
const Filter* find_sequence_filter(const std::string& name);
const Filter* find_text_filter(const std::string& name);

}  // namespace carryover::jinja
