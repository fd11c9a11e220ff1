// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace carryover {

/// The whole protocol as JSON, for a program in another language (`carryover engine --describe`):
///   byte_order   "little" or "big"
///   mark         the number that begins every frame: u4 mark, u4 kind, u8 size of the body, body
///   messages     by kind: name, kind, most_bytes of a body, body (types of its values, wire_description.h), and of a
///                request answer: the types of the body of its Done
/// Its fingerprint is the protocol's version. Any thread.
nlohmann::json describe_protocol();

}  // namespace carryover
