// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>

#include "app/serve/request_fields.h"

namespace carryover {

/// What reads a body. Bits.
enum Endpoint : unsigned { kCompletions = 1, kChat = 2, kGenerate = 4, kTokenize = 8, kDetokenize = 16, kStates = 32 };

enum class FieldUse {
  Applied,   ///< does what its name says
  Accepted,  ///< says nothing that an answer depends on
  Refused    ///< would change the answer, and this server can't: only values that change nothing are taken
};

/// A field of a request's body. A plain value.
struct ApiField {
  const char* name;
  unsigned endpoints;  ///< where it is known
  FieldUse use;
  const char* neutral = "[]";  ///< of a refused one: a JSON list of the values that change nothing, beside null
};

/// All that are known, in the order of the documents. No endpoint has a name twice.
std::span<const ApiField> api_fields();

/// The body's fields, each of which is known at this endpoint, with a value that has its effect. Throws ApiError{400}
/// naming the field.
RequestFields endpoint_fields(std::string_view body, Endpoint endpoint);

}  // namespace carryover
