// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of single policies within a configuration: values, however they are stored.
#include "engine/config/policy_settings.h"

#include <QTest>
#include <utility>

#include "engine/config/segment_config.h"
#include "engine/config/segment_fields.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/snapkv/snapkv_settings.h"
#include "tests/support/test_program.h"

using namespace carryover;

class PolicySettingsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_was_never_changed_has_its_defaults() {
    const PolicySettings settings;
    QVERIFY(settings.of<InfLlmSettings>() == InfLlmSettings());
    QVERIFY(settings.of<SnapKvSettings>() == SnapKvSettings());
  }

  void it_is_a_value() {
    PolicySettings a;
    a.of<InfLlmSettings>().memory_blocks = 3;
    PolicySettings b = a;
    QVERIFY(b == a);
    b.of<InfLlmSettings>().memory_blocks = 4;
    QVERIFY(!(b == a));
    QCOMPARE(a.of<InfLlmSettings>().memory_blocks, std::int64_t{3});
    a = b;
    QVERIFY(b == a);
    const PolicySettings moved = std::move(b);
    QVERIFY(moved == a);
  }

  void defaults_that_were_asked_for_change_nothing() {
    PolicySettings a, b;
    b.of<SnapKvSettings>();
    QVERIFY(a == b && b == a);
    a.of<InfLlmSettings>().memory_blocks = 3;
    QVERIFY(!(a == b) && !(b == a));
    a.of<InfLlmSettings>() = {};
    QVERIFY(a == b && b == a);
  }

  void a_configuration_compares_them() {
    SegmentConfig a, b;
    b.of<SnapKvSettings>().kv_budget = 77;
    QVERIFY(!(a == b));
    a.of<SnapKvSettings>().kv_budget = 77;
    QVERIFY(a == b);
  }

  /// A policy reads a field of its own, and `kMethodPolicy` reads none of another's.
  void each_field_of_a_policy_is_read_by_some_policy() {
    int fields = 0;
    for (const SegmentField& field : segment_fields()) {
      if (!field.of_policy()) continue;
      ++fields;
      bool read = false;
      for (const PolicyRow& row : policies()) read |= policy_reads(row.name, field.key);
      QVERIFY2(read, field.key);
      QVERIFY2(!policy_reads(kMethodPolicy, field.key), field.key);
    }
    QCOMPARE(fields, 10);
    QVERIFY(policy_reads(kMethodPolicy, "carry_length"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PolicySettingsTest>};
#include "policy_settings_test.moc"
