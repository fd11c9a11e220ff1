// SPDX-License-Identifier: GPL-3.0-or-later
// A session file (app/saved_window/session_state.h), which may be anybody's: what is accepted is the same once it is
// saved.
#include "app/saved_window/session_state.h"
#include "fuzz/support/json_mutator.h"

using namespace carryover;
using namespace carryover::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const QString folder = QString::fromStdString(scratch_folder()), path = folder + QStringLiteral("/input.carryover");
  write_file(path.toStdString(), view(data, size));
  SessionState state;
  if (!accepts([&] { state = read_session(path); })) return 0;
  const std::string once = session_text(state, folder);
  write_file(path.toStdString(), once);
  const SessionState again = read_session(path);
  require(state.same_work(again), "a session that was accepted holds the same work once it is saved");
  require(session_text(again, folder) == once, "a session that was saved is saved the same again");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  return deliver(mutate_json_text(view(data, size), random, most), data, most);
}
