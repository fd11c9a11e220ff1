// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/kernel/campaign.h"

#include "engine/base/current_error.h"

namespace carryover {

namespace {

/// Returns true if the cell is this process's to run. It holds the folder's lock, so that every cell that is not done
/// is.
bool claim(const Campaign& campaign, std::size_t cell) {
  return !campaign.is_done(cell);
}

void run_claimed(Campaign& campaign, std::size_t cell) {
  if (campaign.is_stopped()) throw_stopped("the campaign");
  campaign.start_cell(cell);
  try {
    campaign.run_cell(cell);
  } catch (...) {
    const EngineError error = current_error();
    if (error.fault() == Fault::Cancelled || !campaign.record_failure(cell, error)) throw;
  }
  campaign.end_cell(cell);
}

}  // namespace

void throw_stopped(const std::string& where) {
  throw EngineError(Fault::Cancelled, where, "was stopped", "Run the same command again to continue.");
}

void run_cells(Campaign& campaign) {
  bool worked = false;
  for (std::size_t cell = 0; cell < campaign.cells(); ++cell) {
    if (claim(campaign, cell)) {
      run_claimed(campaign, cell);
      worked = true;
    }
    const std::size_t group = campaign.group_of(cell);
    if (cell + 1 < campaign.cells() && campaign.group_of(cell + 1) == group) continue;
    campaign.finish_group(group, worked);
    worked = false;
  }
}

bool run_campaign(Campaign& campaign) {
  try {
    run_cells(campaign);
  } catch (const EngineError& error) {
    if (error.fault() == Fault::Cancelled) return false;
    throw;
  }
  return true;
}

}  // namespace carryover
