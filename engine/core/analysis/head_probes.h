// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/run/inspection.h"

namespace carryover {

enum class ProbeKind { Copy, Needle, Passage };
std::string_view probe_kind_name(ProbeKind kind);
ProbeKind parse_probe_kind(const std::string& name);  ///< Throws EngineError{Usage}.

/// A text that asks for retrieval, and where a head that retrieves looks: from the token before each one that has to be
/// copied, to where that one stands.
struct HeadProbe {
  ProbeKind kind = ProbeKind::Copy;
  std::vector<std::int32_t> ids;
  std::vector<AttentionPair> pairs;
};

/// Random tokens, twice: nothing but copying predicts the second half. Deterministic in the seed.
HeadProbe copy_probe(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed);

/// A needle of `needle` random tokens (a quarter is its key, the rest its value) in a haystack, one short random
/// sentence over and over, at `depth` (0: its start, 1: its end). Behind the haystack the key asks, and the value
/// answers: only the answer is looked at. `tokens` in all, deterministic in the seed. Throws EngineError{BadInput}
/// where that is less than two needles.
HeadProbe needle_probe(std::int64_t vocabulary, std::int64_t tokens, std::int64_t needle, double depth,
                       std::uint64_t seed);

/// A text, and a passage of `length` tokens from `depth` once more behind it; `tokens` in all. Throws
/// EngineError{BadInput} where the text is too short.
HeadProbe passage_probe(const std::vector<std::int32_t>& text, std::int64_t tokens, std::int64_t length, double depth);

/// What heads are scored on.
struct HeadProfileRequest {
  std::vector<ProbeKind> kinds = {ProbeKind::Copy, ProbeKind::Needle};
  std::shared_ptr<const std::vector<std::int32_t>> text;  ///< for passages, else null
  std::int64_t tokens = 512;                              ///< of each probe
  std::int64_t probes = 3;   ///< of each kind: other random tokens, and evenly spread depths
  std::int64_t needle = 32;  ///< tokens of a needle, and of a passage
  std::int64_t seed = 1;
  /// Called on the engine thread with the share that is done and what comes next; must return quickly. May be empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// Their number and lengths, before anything is made of them. Throws EngineError{BadInput}.
void check_probes(const HeadProfileRequest& request);

/// Kind by kind. Throws EngineError{BadInput}.
std::vector<HeadProbe> make_probes(const HeadProfileRequest& request, std::int64_t vocabulary);

}  // namespace carryover
