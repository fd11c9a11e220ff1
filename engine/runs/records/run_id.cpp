// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_id.h"

#include <nlohmann/json.hpp>

#include "engine/formats/fingerprint.h"

namespace carryover {

std::string run_id(const ModelInfo& model, const RunRequest& request) {
  Fingerprint id;
  id.add(model.weights_hash);
  id.add(dtype_name(model.dtype));
  id.add(device_name(model.device));
  id.add(request.policy);
  id.add(nlohmann::json(request.config).dump());
  if (request.ids) id.add(std::as_bytes(std::span(*request.ids)));
  for (const HeadHits& head : request.forced_hits) {
    const std::int64_t reader[] = {head.segment, head.layer, head.head, head.shared};
    id.add(std::as_bytes(std::span(reader)));
    for (const Hit& hit : head.hits) id.add(std::as_bytes(std::span(&hit.position, 1)));
  }
  return id.hex();
}

}  // namespace carryover
