// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// Call first in main(). From then on descriptors 0 to 2 are taken: one that the caller had closed is /dev/null, so
/// that no file of ours gets its number and messages with it. And a reader of standard output or error that goes away
/// fails the write and does not end the process: a training run continues without its progress lines.
void prepare_standard_streams();

}  // namespace carryover
