// SPDX-License-Identifier: GPL-3.0-or-later
// Names of policies with settings: one name for the same settings however they are written, fields that the policy does
// not read refused, and nothing else changed than what a name says.
#include "engine/campaigns/evaluations/policy_variant.h"

#include <QTest>
#include <algorithm>
#include <random>

#include "engine/config/field_text.h"
#include "engine/cost/policy_table.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// A field that a name can have, with this value.
bool can_be_named(const SegmentField& field, const json& value) {
  const bool by_layer = field.is<Grouping>() && value.is_array() && !value.empty() && value[0].is_array();
  return !field.is<HeadPatterns>() && !field.is<std::optional<RopeConfig>>() && !value.is_null() && !by_layer;
}

}  // namespace

class PolicyVariantTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_are_read_back_and_change_what_they_say() {
    std::mt19937 random(11);
    const ModelConfig model = small_model();
    int with_settings = 0;
    for (int time = 0; time < 300; ++time) {
      SegmentConfig other = random_segment_config(random, model);
      vary_search(random, other, model);
      const json values = other, base = random_segment_config(random, model);
      const auto names = policy_names();
      PolicyVariant variant{names[static_cast<std::size_t>(draw(random, 0, std::ssize(names) - 1))], json::object()};
      for (const SegmentField& field : segment_fields())
        if (draw(random, 0, 5) == 0 && policy_reads(variant.policy, field.key) &&
            can_be_named(field, values.at(field.key)))
          variant.settings[field.key] = values.at(field.key);
      const std::string name = variant.name();
      const PolicyVariant again = policy_variant(name);
      QVERIFY2(again.policy == variant.policy && again.settings == variant.settings, name.c_str());
      QCOMPARE(again.name(), name);
      SegmentConfig config;
      update_from_json(config, base, "base");
      json wanted = base;
      wanted.update(variant.settings);
      QVERIFY2(json(again.config(config)) == wanted, name.c_str());
      with_settings += variant.settings.empty() ? 0 : 1;
    }
    QVERIFY(with_settings > 100);
  }

  void the_same_settings_have_one_name() {
    for (const char* text :
         {"segmented[retrieval_length=0,sink_length=4]", "segmented[sink_length=4,retrieval_length=0]",
          " segmented [ sink_length = 04 , retrieval_length = 0 ]"})
      QCOMPARE(policy_variant(text).name(), std::string("segmented[sink_length=4,retrieval_length=0]"));
    QCOMPARE(policy_variant("full").name(), std::string("full"));
    const PolicyVariant lists = policy_variant("segmented[search_heads=18.6,15.6,long_range_layers=6,8,bos=true]");
    QVERIFY(lists.settings ==
            json::parse(R"({"search_heads": [[15, 6], [18, 6]], "long_range_layers": [6, 8], "bos": true})"));
  }

  void lists_are_cut_between_policies() {
    const std::vector<std::string> wanted{"segmented", "segmented[retrieval_length=0,sink_length=0]", "full"};
    QVERIFY(variant_names("segmented,segmented[retrieval_length=0,sink_length=0],full") == wanted);
    QVERIFY(variant_names(" segmented, segmented[retrieval_length=0,sink_length=0] ,full,") == wanted);
    QVERIFY(variant_names("").empty());
  }

  /// A control whose setting changes nothing would stand in the table as if it did.
  void what_a_policy_does_not_read_is_refused() {
    int refused = 0;
    for (const std::string& policy : policy_names())
      for (const SegmentField& field : segment_fields()) {
        if (policy_reads(policy, field.key)) continue;
        const std::string name = policy + "[" + field.key + "=0]";
        QCOMPARE(unlike(Fault::Usage, policy + " does not read " + field.key, [&] { policy_variant(name); }),
                 std::string());
        ++refused;
      }
    QVERIFY(refused > 100);
  }

  void wrong_names_say_what_is_wrong_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("part");
    QTest::addColumn<int>("fault");
    const int usage = static_cast<int>(Fault::Usage), bad = static_cast<int>(Fault::BadInput);
    QTest::newRow("policy") << "nothing[bos=true]"
                            << "there is no policy" << usage;
    QTest::newRow("open") << "segmented[bos=true"
                          << "is not POLICY[" << usage;
    QTest::newRow("behind") << "segmented[bos=true]x"
                            << "is not POLICY[" << usage;
    QTest::newRow("twice open") << "segmented[[bos=true]]"
                                << "is not POLICY[" << usage;
    QTest::newRow("empty") << "segmented[]"
                           << "names no setting" << usage;
    QTest::newRow("no value") << "segmented[bos]"
                              << "'bos'" << usage;
    QTest::newRow("twice") << "segmented[bos=true,bos=false]"
                           << "names bos twice" << usage;
    QTest::newRow("unknown") << "segmented[retrieval_lenght=0]"
                             << "Did you mean retrieval_length?" << usage;
    QTest::newRow("index") << "segmented[long_range_layers=6,x]"
                           << "'x' is not an index" << usage;
    QTest::newRow("rope") << "segmented[rope=linear:8]"
                          << "rope can't be written as one value" << usage;
    QTest::newRow("word") << "segmented[carry_length=many]"
                          << "carry_length" << bad;
    QTest::newRow("flag") << "segmented[bos=1]"
                          << "bos" << bad;
    QTest::newRow("choice") << "segmented[retrieve=everything]"
                            << "retrieve" << bad;
  }
  void wrong_names_say_what_is_wrong() {
    QFETCH(QString, name);
    QFETCH(QString, part);
    QFETCH(int, fault);
    QCOMPARE(unlike(static_cast<Fault>(fault), part.toStdString(), [&] { policy_variant(name.toStdString()); }),
             std::string());
  }
};

static const TestFile these_tests{__FILE__, without_application<PolicyVariantTest>};
#include "policy_variant_test.moc"
