// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces the code that needs libcurl if CARRYOVER_FETCH is off: nothing is fetched, and what is in the cache opens.
#include "engine/hub/web_get.h"

#include "engine/base/error.h"

namespace carryover {

WebReply web_get(const WebRequest& request, const WebBody&, RunControl&) {
  throw EngineError(Fault::Unsupported, request.url, "can't be fetched: this program was built without libcurl",
                    "Fetch the model with another program, or build with -DCARRYOVER_FETCH=ON.");
}

}  // namespace carryover
