// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>

#include "app/serve/request_fields.h"

namespace carryover {

/// The endpoints that read a body, as bits.
enum Endpoint : unsigned { kCompletions = 1, kChat = 2, kGenerate = 4, kTokenize = 8, kDetokenize = 16, kStates = 32 };

enum class FieldUse {
  Applied,   ///< it does what its name says
  Accepted,  ///< no answer depends on it
  Refused    ///< the server can't follow it, and takes only values that change nothing
};

/// A field of a request's body. A plain value.
struct ApiField {
  const char* name;
  unsigned endpoints;  ///< bits of those that know it
  FieldUse use;
  const char* neutral = "[]";  ///< a JSON list of the values of a refused field that change nothing, beside null
};

/// The table of all fields, in the order of the documents. No endpoint has a name twice.
std::span<const ApiField> api_fields();

/// Parses a body, and refuses each field that this endpoint doesn't know or can't follow. Throws ApiError{400} naming
/// the field.
RequestFields endpoint_fields(std::string_view body, Endpoint endpoint);

}  // namespace carryover
