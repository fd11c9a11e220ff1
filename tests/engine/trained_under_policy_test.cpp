// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that were trained under one policy run under every other one.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/checkpoints/trained_under.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/cca/cca_settings.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/policies/nsa/nsa_settings.h"
#include "tests/support/demo_session.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Returns settings in which no policy sees everything of a text of 300 tokens that it may leave out.
SegmentConfig narrow_config() {
  SegmentConfig config = demo::request().config;
  config.sink_length = 4;
  config.of<WindowSettings>().attention_window = 80;  // a segment is within it
  config.of<InfLlmSettings>().memory_blocks = 2;
  config.of<InfLlmSettings>().memory_block_length = 8;
  config.of<InfLlmSettings>().memory_representatives = 2;
  config.of<CcaSettings>().core_group_length = 8;
  config.of<NsaSettings>().selected_block_length = 8;
  config.of<NsaSettings>().selected_blocks = 3;
  const ModelConfig model = ModelSource::open(demo::kDemo)->config();
  config.of<MinferenceSettings>().head_patterns.layers.resize(static_cast<std::size_t>(model.layers));
  for (auto& layer : config.of<MinferenceSettings>().head_patterns.layers)
    for (int head = 0; head < model.heads; ++head) layer[head] = {PatternKind::AShape, 2, 40};
  return config;
}

TrainRequest training_under(const PolicyRow& policy, const std::string& output, std::int64_t rank) {
  TrainRequest request = demo::training(output, 2, rank);
  auto plan = std::make_shared<TrainingPlan>(*request.plan);
  plan->policy = policy.name;
  plan->config = narrow_config();
  request.plan = plan;
  return request;
}

std::vector<float> losses_under(Session& session, const PolicyRow& policy) {
  RunRequest request = demo::request();
  request.policy = policy.name;
  request.config = narrow_config();
  std::vector<float> losses;
  for (const auto& segment : demo::run(session, request))
    losses.insert(losses.end(), segment->target_nll.begin(), segment->target_nll.end());
  return losses;
}

}  // namespace

class TrainedUnderPolicyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_runs_under_every_policy_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("rank");
    for (const PolicyRow& policy : policies())
      for (const int rank : {0, 3})
        if (policy.trained) QTest::addRow("%s, rank %d", policy.name, rank) << QString(policy.name) << rank;
  }

  /// The session that trained and one that opens what it wrote compute the same, and not what the weights before did.
  void it_runs_under_every_policy() {
    QFETCH(QString, name);
    QFETCH(int, rank);
    const PolicyRow& trained = policy_row(name.toStdString());
    const TempDir temp;
    const auto base = demo::open(DType::Float32), session = demo::open(DType::Float32);
    const std::string folder = demo::train(*session, training_under(trained, temp.file("run"), rank)).final_folder;
    const auto said = read_trained_under(folder);
    QVERIFY(said && said->policy == trained.name && said->config == narrow_config());
    const auto again = rank > 0 ? demo::open(DType::Float32, demo::kDemo, folder) : demo::open(DType::Float32, folder);
    for (const PolicyRow& policy : policies()) {
      const std::vector<float> losses = losses_under(*again, policy);
      QCOMPARE(losses.size(), 299U);
      QVERIFY2(std::ranges::all_of(losses, [](float loss) { return std::isfinite(loss); }), policy.name);
      QVERIFY2(losses == losses_under(*session, policy), policy.name);
      QVERIFY2(losses != losses_under(*base, policy), policy.name);
    }
  }

  /// So that a pair above says something: hardly two of them compute the same.
  void policies_differ() {
    const auto base = demo::open(DType::Float32);
    std::set<std::vector<float>> different;
    for (const PolicyRow& policy : policies()) different.insert(losses_under(*base, policy));
    QVERIFY(different.size() >= policies().size() - 2);  // snapkv keeps all of a text without a prompt
  }
};

static const carryover::test::TestFile these_tests{__FILE__,
                                                   carryover::test::without_application<TrainedUnderPolicyTest>};
#include "trained_under_policy_test.moc"
