// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace carryover {

// Names that llama.cpp has for numbers in GGUF files, also for what nothing here reads. Pure; any thread.

/// Returns the name of a tensor's type, "Q4_K"; of a number without a name "type 99".
std::string ggml_type_name(std::uint32_t number);

/// Returns the name of `general.file_type`, "Q4_K_M": the mixture of types that a quantiser wrote; empty if the number
/// has none. A guessed type (bit 10) has the name of the type.
std::string gguf_file_type_name(std::int64_t number);

}  // namespace carryover
