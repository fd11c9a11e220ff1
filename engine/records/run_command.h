// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/records/run_folder.h"

namespace carryover {

/// A word as a POSIX shell takes it: quoted where it must be.
std::string shell_word(const std::string& word);
std::string shell_command(const std::vector<std::string>& words);

/// `carryover run …` that makes this run again by itself: every setting that was used is in it. A text that is no file
/// (pasted) is read from the ids of the run's folder.
std::vector<std::string> run_command(const RunDescription& description);

/// What the folder of a run that is kept nowhere yet is called in commands.
std::string run_folder_name(const RunDescription& description);

/// What figures and data of a run carry, a line each: id, model, hash of its weights, settings, and the command.
std::string run_provenance(const RunDescription& description);

}  // namespace carryover
