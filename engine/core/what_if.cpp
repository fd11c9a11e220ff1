// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/what_if.h"

#include "engine/core/error.h"

namespace carryover {

std::string_view prefix_source_name(PrefixSource source) {
  switch (source) {
    case PrefixSource::Search:
      return "search";
    case PrefixSource::Off:
      return "off";
    case PrefixSource::Random:
      return "random";
    case PrefixSource::Recent:
      return "recent";
    case PrefixSource::Oracle:
      return "oracle";
  }
  CARRYOVER_CHECK(false);
}

}  // namespace carryover
