// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace carryover {

/// The length of one wait for a pipe, after which its owner may do other work.
inline constexpr int kPipeTickMs = 10;

/// Makes reads and writes of a descriptor return at once where they would wait. Throws EngineError{Internal}.
void set_non_blocking(int descriptor);

/// Writes everything to a non-blocking descriptor. False where nobody reads it any more, or where `give_up`, asked
/// once a tick while the pipe is full, says so. Raises no SIGPIPE. Any thread.
bool write_all(int descriptor, std::string_view bytes, const std::function<bool()>& give_up);

enum class ReadResult { Nothing, Some, End };
/// Appends what is there to `bytes`, at most 1 MiB. Of a non-blocking descriptor. Any thread.
ReadResult read_some(int descriptor, std::string& bytes);

}  // namespace carryover
