// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/formats/block_hash.h"

namespace carryover {

/// Returns the SHA-1 (FIPS 180-4) of no bytes yet. It names files as git does, and protects nothing from somebody who
/// wants another file to have the same.
BlockHash<5> sha1_hash();

}  // namespace carryover
