// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTest>
#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/config/window_settings.h"
#include "engine/training/audit.h"
#include "tests/support/policy_facts.h"
#include "tests/support/tiny_decoder.h"

namespace carryover::test {

/// Records what docs/policies.md states of a policy's gradient.
inline void record_gradient(const AuditReport& report, const std::string& policy) {
  for (const AuditCheck& check : report.checks)
    if (check.name.find("finite differences") != std::string::npos)
      record_fact(policy, kGradientFact, check.difference);
}

/// Columns and rows of check_gradient().
inline void gradient_cases() {
  QTest::addColumn<int>("kv_heads");
  QTest::addColumn<int>("lora_rank");
  for (const int kv_heads : {1, 2, 4})
    for (const int rank : {0, 3}) QTest::addRow("%d KV heads, rank %d", kv_heads, rank) << kv_heads << rank;
}

/// The trainer's gradient of a policy that trains on one segment, beside finite differences, for a row of
/// gradient_cases(). `set`: the policy's own settings.
inline void check_gradient(const std::string& policy, const std::function<void(SegmentConfig& config)>& set) {
  QFETCH(int, kv_heads);
  QFETCH(int, lora_rank);
  const auto seed = static_cast<unsigned>(160 + 10 * kv_heads + lora_rank);
  std::mt19937 random(seed);
  const ModelConfig model = tiny_config(2, 4, kv_heads, 8, 97);
  TinyDecoder tiny(model, seed, at::kDouble);
  AuditRequest request;
  request.policy = policy;
  request.lora_rank = lora_rank;
  request.config.segment_length = 10;
  request.config.carry_length = request.config.retrieval_length = 4;
  request.config.of<WindowSettings>().attention_window = 6;
  set(request.config);
  request.ids = std::make_shared<const std::vector<std::int32_t>>(distinct_ids(random, 33, 97));
  RunControl control;
  const AuditReport report = audit_model(tiny.decoder, request, control);
  for (const AuditCheck& check : report.checks)
    QVERIFY2(check.passed(), qPrintable(QStringLiteral("%1: %2 beside %3")
                                            .arg(QString::fromStdString(check.name))
                                            .arg(check.difference)
                                            .arg(check.bound)));
  QVERIFY(report.passed() && std::ranges::any_of(report.checks, [](const AuditCheck& check) {
            return check.name.find("finite differences") != std::string::npos;
          }));
  QCOMPARE(report.segments, std::int64_t{1});
  QVERIFY(!tiny.decoder.weights.has_gates());  // a policy's gates are there for the audit's time
  record_gradient(report, policy);
}

}  // namespace carryover::test
