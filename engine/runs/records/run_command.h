// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/runs/records/run_folder.h"

namespace carryover {

/// Returns a word as a POSIX shell takes it: quoted where it must be.
std::string shell_word(const std::string& word);
std::string shell_command(const std::vector<std::string>& words);

/// Returns the `carryover run …` command that repeats this run by itself: it names every setting that was used. A
/// pasted text, which has no file, is read from the ids of the run's folder.
std::vector<std::string> run_command(const RunDescription& description);

/// Returns the folder's name, in commands, of a run that is not saved yet.
std::string run_folder_name(const RunDescription& description);

/// Returns the provenance that figures and data of a run carry, a line each: id, model, hash of its weights, settings,
/// and the command.
std::string run_provenance(const RunDescription& description);

}  // namespace carryover
