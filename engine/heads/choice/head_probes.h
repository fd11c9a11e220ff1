// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runs/values/inspection.h"

namespace carryover {

enum class ProbeKind { Copy, Needle, Passage };
std::string_view probe_kind_name(ProbeKind kind);
ProbeKind parse_probe_kind(const std::string& name);  ///< Throws EngineError{Usage}.

/// A text that asks for retrieval, and the pairs of query and key on which a head that retrieves puts attention: from
/// the token before each one that has to be copied, to the place that this one is copied from.
struct HeadProbe {
  ProbeKind kind = ProbeKind::Copy;
  std::vector<std::int32_t> ids;
  std::vector<AttentionPair> pairs;
};

/// Returns random tokens, twice: only copying predicts the second half. Deterministic in the seed.
HeadProbe copy_probe(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed);

/// Returns a needle of `needle` random tokens (a quarter is its key, the rest its value) in a haystack, which repeats
/// one short random sentence, at `depth` (0: its start, 1: its end). After the haystack the key asks and the value
/// answers; only the answer is scored. The text has `tokens` tokens in all and is deterministic in the seed. Throws
/// EngineError{BadInput} if `tokens` is less than two needles.
HeadProbe needle_probe(std::int64_t vocabulary, std::int64_t tokens, std::int64_t needle, double depth,
                       std::uint64_t seed);

/// Returns a text followed by a copy of one of its passages, which has `length` tokens and begins at `depth`; `tokens`
/// in all. Throws EngineError{BadInput} if the text is too short.
HeadProbe passage_probe(const std::vector<std::int32_t>& text, std::int64_t tokens, std::int64_t length, double depth);

/// The probes on which heads are scored.
struct HeadProfileRequest {
  std::vector<ProbeKind> kinds = {ProbeKind::Copy, ProbeKind::Needle};
  std::shared_ptr<const std::vector<std::int32_t>> text;  ///< for passages, else null
  std::int64_t tokens = 512;                              ///< length of each probe
  std::int64_t probes = 3;   ///< probes of each kind, with different random tokens and evenly spread depths
  std::int64_t needle = 32;  ///< tokens of a needle, and of a passage
  std::int64_t seed = 1;
  /// Called on the engine thread with the share that is done and with what comes next. Must return quickly. May be
  /// empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// Checks the number and the lengths of the probes before they are made. Throws EngineError{BadInput}.
void check_probes(const HeadProfileRequest& request);

/// Makes the probes, kind by kind. Throws EngineError{BadInput}.
std::vector<HeadProbe> make_probes(const HeadProfileRequest& request, std::int64_t vocabulary);

}  // namespace carryover
