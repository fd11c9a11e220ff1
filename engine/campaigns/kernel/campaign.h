// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>

#include "engine/base/error.h"

namespace carryover {

/// The cells of a campaign by index, in the order in which they run. A cell's result is on disk when run_cell()
/// returns, so that a start after a stop or a crash continues. Consecutive cells may form groups, behind which tables
/// are written. Owner: one thread.
class Campaign {
 public:
  virtual ~Campaign() = default;
  virtual std::size_t cells() const = 0;
  virtual bool is_done(std::size_t cell) const = 0;  ///< true if this start or an earlier one has its result
  /// Throws EngineError{Cancelled} if it was stopped meanwhile, and the cell's own errors.
  virtual void run_cell(std::size_t cell) = 0;
  /// Records the error of a cell, and the others go on. Returns false if the error ends the campaign.
  virtual bool record_failure(std::size_t cell, const EngineError& error) = 0;

  virtual bool is_stopped() const { return false; }  ///< asked before each cell
  virtual void start_cell(std::size_t /*cell*/) {}   ///< an error here or in the next two ends the campaign
  virtual void end_cell(std::size_t /*cell*/) {}     ///< also of one that failed
  /// Takes in what a group has made. `worked` is true if one of its cells was run now.
  virtual void finish_group(std::size_t /*group*/, bool /*worked*/) {}
  virtual std::size_t group_of(std::size_t /*cell*/) const { return 0; }
};

/// Runs the cells that are not done. Throws EngineError{Cancelled} where it was stopped, and an error that the campaign
/// does not record.
void run_cells(Campaign& campaign);
/// Does the same, but returns false where it was stopped.
bool run_campaign(Campaign& campaign);

/// Throws the error with which work ends that was stopped.
[[noreturn]] void throw_stopped(const std::string& where);

}  // namespace carryover
