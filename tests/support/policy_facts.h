// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTest>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace carryover::test {

// The facts that docs/policies.md states of a policy, measured by the tests.
inline constexpr const char* kReferenceFact = "reference";  ///< largest difference from an independent definition, fp64
inline constexpr const char* kChunksFact = "chunks";        ///< the same in chunks of random length and token by token
inline constexpr const char* kReadFact = "memory, read";    ///< peak over plan, less 1
inline constexpr const char* kDecodeFact = "memory, decoded";  ///< the same of decoding
inline constexpr const char* kGradientFact = "gradient";       ///< relative difference from finite differences

/// Appends a measure to the file that CARRYOVER_POLICY_FACTS names, a JSON object a line; does nothing where it is
/// unset. scripts/bench/publish_policies.py makes the page of them.
inline void record_fact(const std::string& policy, const char* fact, double value) {
  const char* path = std::getenv("CARRYOVER_POLICY_FACTS");
  if (path == nullptr || *path == '\0') return;
  std::ofstream(path, std::ios::app) << nlohmann::json{{"policy", policy},
                                                       {"fact", fact},
                                                       {"value", value},
                                                       {"test", QTest::currentTestFunction()}}
                                                .dump() +
                                            "\n";
}

}  // namespace carryover::test
