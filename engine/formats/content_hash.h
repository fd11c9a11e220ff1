// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carryover {

/// Returns a 64-bit hash of all bytes, at the speed of memory: eight independent lanes of 64-bit words, so that a
/// processor works on all at once. The same on every machine. Each lane's step is a bijection of its state and of the
/// word, so contents of one length that differ in one word have different hashes. It does not protect against
/// deliberate collisions. Pure; any thread.
std::uint64_t content_hash(std::span<const std::byte> bytes);

/// Returns the hash of a sequence that `state` stands for, followed by `next`. It is a bijection of either.
std::uint64_t join_hashes(std::uint64_t state, std::uint64_t next);

/// Returns 16 hex digits.
std::string hex_of(std::uint64_t hash);

}  // namespace carryover
