// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "engine/formats/block_hash.h"

namespace carryover {

/// Returns the SHA-256 (FIPS 180-4) of no bytes yet.
BlockHash<8> sha256_hash();

/// Returns the SHA-256 of some bytes as 64 hex digits, as sha256sum prints it. Pure; any thread.
std::string sha256(std::string_view bytes);

}  // namespace carryover
