// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/head_probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr std::array kKinds = {ProbeKind::Copy, ProbeKind::Needle, ProbeKind::Passage};
constexpr std::int64_t kMostProbes = 10'000, kMostProbeTokens = std::int64_t{1} << 24;
constexpr std::int64_t kSentence = 16;  // tokens of the haystack's sentence

std::vector<std::int32_t> random_tokens(std::mt19937_64& random, std::int64_t vocabulary, std::int64_t count) {
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(vocabulary)));
  return ids;
}

/// Returns a pair for each of the last `copied` tokens: from the token before it to the same token `back` tokens
/// earlier.
std::vector<AttentionPair> copies(std::int64_t tokens, std::int64_t copied, std::int64_t back) {
  std::vector<AttentionPair> pairs;
  for (std::int64_t place = tokens - copied; place < tokens; ++place) pairs.push_back({place - 1, place - back});
  return pairs;
}

void append(std::vector<std::int32_t>& to, const std::vector<std::int32_t>& ids) {
  to.insert(to.end(), ids.begin(), ids.end());
}

}  // namespace

std::string_view probe_kind_name(ProbeKind kind) {
  constexpr std::array<std::string_view, kKinds.size()> names = {"copy", "needle", "passage"};
  return names[static_cast<std::size_t>(kind)];
}

ProbeKind parse_probe_kind(const std::string& name) {
  for (const ProbeKind kind : kKinds)
    if (probe_kind_name(kind) == name) return kind;
  throw EngineError(Fault::Usage, name, "is not a kind of probe", "Use copy, needle or passage.");
}

HeadProbe copy_probe(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::int64_t half = std::max<std::int64_t>(2, tokens / 2);
  HeadProbe probe{ProbeKind::Copy, random_tokens(random, vocabulary, half), {}};
  append(probe.ids, std::vector<std::int32_t>(probe.ids));
  probe.pairs = copies(2 * half, half - 1, half);
  return probe;
}

HeadProbe needle_probe(std::int64_t vocabulary, std::int64_t tokens, std::int64_t needle, double depth,
                       std::uint64_t seed) {
  const std::int64_t filler = tokens - 2 * needle;
  if (needle < 2 || filler < 0)
    throw EngineError(Fault::BadInput, "needle",
                      "has " + std::to_string(needle) + " tokens in a probe of " + std::to_string(tokens),
                      "Give a longer probe, or a needle of 2 tokens to half of the probe.");
  std::mt19937_64 random(seed);
  const auto hidden = random_tokens(random, vocabulary, needle);
  const auto sentence = random_tokens(random, vocabulary, kSentence);
  const auto before = static_cast<std::int64_t>(std::lround(depth * static_cast<double>(filler)));
  HeadProbe probe{ProbeKind::Needle, {}, {}};
  for (std::int64_t i = 0; i < filler; ++i) {
    if (i == before) append(probe.ids, hidden);
    probe.ids.push_back(sentence[static_cast<std::size_t>(i % kSentence)]);
  }
  if (before == filler) append(probe.ids, hidden);
  append(probe.ids, hidden);
  const std::int64_t key = std::max<std::int64_t>(1, needle / 4);
  probe.pairs = copies(tokens, needle - key, tokens - needle - before);
  return probe;
}

HeadProbe passage_probe(const std::vector<std::int32_t>& text, std::int64_t tokens, std::int64_t length, double depth) {
  const std::int64_t hay = tokens - length;
  if (length < 2 || hay < length || std::ssize(text) < hay)
    throw EngineError(Fault::BadInput, "text",
                      "has " + std::to_string(text.size()) + " tokens; a passage of " + std::to_string(length) +
                          " in " + std::to_string(tokens) + " needs " + std::to_string(std::max(hay, length)),
                      "Give a longer text, or a smaller length.");
  const auto first = static_cast<std::int64_t>(std::lround(depth * static_cast<double>(hay - length)));
  HeadProbe probe{ProbeKind::Passage, {text.begin(), text.begin() + hay}, {}};
  append(probe.ids, {text.begin() + first, text.begin() + first + length});
  probe.pairs = copies(tokens, length - 1, hay - first);
  return probe;
}

void check_probes(const HeadProfileRequest& request) {
  const auto refuse = [](const char* where, const char* what, const char* advice) {
    throw EngineError(Fault::BadInput, where, what, advice);
  };
  if (request.kinds.empty() || request.probes < 1)
    refuse("probes", "are missing", "Choose copy, needle or passage, and one probe or more of each.");
  if (request.kinds.size() > kKinds.size() || request.probes > kMostProbes)
    refuse("probes", "are too many", "Ask for at most 10000 of each kind.");
  if (request.tokens < 2 || request.tokens > kMostProbeTokens || request.needle < 1 ||
      request.needle > kMostProbeTokens)
    refuse("probes", "have a length that is out of range", "Give them 2 tokens to 2^24.");
}

std::vector<HeadProbe> make_probes(const HeadProfileRequest& request, std::int64_t vocabulary) {
  check_probes(request);
  std::vector<HeadProbe> probes;
  for (const ProbeKind kind : request.kinds)
    for (std::int64_t i = 0; i < request.probes; ++i) {
      const auto seed = static_cast<std::uint64_t>(request.seed + i);
      const double depth = (static_cast<double>(i) + 0.5) / static_cast<double>(request.probes);
      if (kind == ProbeKind::Copy) {
        probes.push_back(copy_probe(vocabulary, request.tokens, seed));
      } else if (kind == ProbeKind::Needle) {
        probes.push_back(needle_probe(vocabulary, request.tokens, request.needle, depth, seed));
      } else {
        if (!request.text)
          throw EngineError(Fault::BadInput, "passages", "need a text", "Give one, or leave passages out.");
        probes.push_back(passage_probe(*request.text, request.tokens, request.needle, depth));
      }
    }
  return probes;
}

}  // namespace carryover
