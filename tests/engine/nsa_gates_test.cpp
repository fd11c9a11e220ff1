// SPDX-License-Identifier: GPL-3.0-or-later
// Gates of policy nsa as weights: in model folders, adapters and checkpoints.
#include <QTest>

#include "engine/checkpoints/model_folder.h"
#include "engine/config/window_settings.h"
#include "engine/families/weight_rows.h"
#include "engine/policies/nsa/nsa_settings.h"
#include "engine/training/adapter_file.h"
#include "engine/training/checkpoint.h"
#include "engine/training/tensor_file.h"
#include "tests/support/demo_session.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

TrainRequest nsa_training(const std::string& output, std::int64_t steps, std::int64_t rank) {
  TrainRequest request = demo::training(output, steps, rank);
  auto plan = std::make_shared<TrainingPlan>(*request.plan);
  plan->policy = "nsa";
  plan->config.of<WindowSettings>().attention_window = 24;
  plan->config.of<NsaSettings>().selected_block_length = 8;
  plan->config.of<NsaSettings>().selected_blocks = 3;
  request.plan = plan;
  return request;
}

auto losses(Session& session, const SegmentConfig& config) {
  RunRequest request = demo::request();
  request.policy = "nsa";
  request.config = config;
  std::vector<decltype(SegmentSnapshot::target_nll)> nll;
  for (const auto& segment : demo::run(session, request)) nll.push_back(segment->target_nll);
  return nll;
}

std::unique_ptr<Session> open_trained(const std::string& folder, std::int64_t rank) {
  return rank > 0 ? demo::open(DType::Float32, demo::kDemo, folder) : demo::open(DType::Float32, folder);
}

BranchGates random_gates(const ModelConfig& model, at::TensorOptions options) {
  BranchGates gates = neutral_gates(model, options);
  gates.rows.normal_(0, 0.3);
  gates.bias.normal_(0, 1);
  return gates;
}

/// The weights as a folder's tensors, and without one of them.
std::vector<OutgoingTensor> tensors_of(Decoder& decoder, const std::string& but = {}) {
  std::vector<OutgoingTensor> tensors;
  for (const NamedParameter& named : named_parameters(decoder.weights, decoder.config))
    if (named.name != but)
      tensors.push_back(outgoing(named.name, named.tensor->narrow(0, named.first_row, named.rows)));
  return tensors;
}

}  // namespace

class NsaGatesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_model_folder_has_its_gates() {
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, 64), 1, at::kFloat);
    const TempDir with, without;
    write_model(without.path().string(), tiny.decoder, demo::kDemo);
    for (LayerWeights& layer : tiny.decoder.weights.layers)
      layer.gates = random_gates(tiny.decoder.config, tiny.decoder.options());
    write_model(with.path().string(), tiny.decoder, demo::kDemo);
    const auto gated = ModelSource::open(with.path().string()), plain = ModelSource::open(without.path().string());
    Weights weights = empty_weights(gated->config(), tiny.decoder.options(), false);
    const std::string hash = read_weights(*gated, weights, {});
    QVERIFY(weights.has_gates());
    for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
      QVERIFY(at::equal(weights.layers[layer].gates.rows, tiny.decoder.weights.layers[layer].gates.rows));
      QVERIFY(at::equal(weights.layers[layer].gates.bias, tiny.decoder.weights.layers[layer].gates.bias));
    }
    QCOMPARE(weights.bytes(), tiny.decoder.weights.bytes());
    QVERIFY(read_weights(*plain, weights, {}) != hash);
    QVERIFY(!weights.has_gates());
  }

  void gates_come_all_or_none() {
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, 64), 2, at::kFloat);
    for (LayerWeights& layer : tiny.decoder.weights.layers)
      layer.gates = random_gates(tiny.decoder.config, tiny.decoder.options());
    for (const WeightRow& gate : gate_tensors(tiny.decoder.config)) {
      const TempDir model, adapter;
      write_model_folder(model.path().string(), tiny.decoder.config, "float32", tensors_of(tiny.decoder, gate.hf_name),
                         demo::kDemo);
      QCOMPARE(unlike(Fault::BadInput, gate.hf_name + " is missing", [&] { ModelSource::open(model.path().string()); }),
               std::string());
      LoraConfig lora;
      lora.rank = 2;
      lora.target_modules = {"q_proj"};
      std::vector<OutgoingTensor> tensors;
      Adapter made = make_adapter(lora, tiny.decoder.config, tiny.decoder.options(), 1);
      for (const LowRankUpdate* update : made.updates()) {
        tensors.push_back(outgoing("base_model.model." + update->name + ".lora_A.weight", update->a));
        tensors.push_back(outgoing("base_model.model." + update->name + ".lora_B.weight", update->b));
      }
      for (const NamedParameter& named : named_parameters(tiny.decoder.weights, tiny.decoder.config))
        if (named.name.find("g_proj") != std::string::npos && named.name != gate.hf_name)
          tensors.push_back(outgoing("base_model.model." + named.name, *named.tensor));
      write_adapter_folder(adapter.path().string(), lora, demo::kDemo, tensors);
      QCOMPARE(unlike(Fault::BadInput, gate.hf_name + " is missing",
                      [&] { read_adapter(adapter.path().string(), tiny.decoder); }),
               std::string());
    }
  }

  /// Every parameter, and an adapter: the session goes on with what it wrote, and that opens again.
  void training_writes_gates_data() {
    QTest::addColumn<int>("rank");
    QTest::newRow("every parameter") << 0;
    QTest::newRow("adapter") << 3;
  }
  void training_writes_gates() {
    QFETCH(int, rank);
    const TempDir out;
    const auto session = demo::open(DType::Float32);
    const std::string before = session->model().weights_hash;
    const TrainRequest request = nsa_training((out.path() / "run").string(), 3, rank);
    const auto untrained = losses(*session, request.plan->config);
    const TrainingSummary summary = demo::train(*session, request);
    const auto trained = losses(*session, request.plan->config);
    QVERIFY(trained != untrained && session->model().weights_hash != before);

    const auto again = open_trained(summary.final_folder, rank);
    QCOMPARE(again->model().weights_hash, session->model().weights_hash);
    QVERIFY(losses(*again, request.plan->config) == trained);

    const std::string prefix = rank > 0 ? "base_model.model." : "";
    const SafetensorsFile file =
        SafetensorsFile::open(summary.final_folder + (rank > 0 ? "/adapter_model.safetensors" : "/model.safetensors"));
    const ModelConfig& model = session->model().config;
    const std::vector<WeightRow> names = gate_tensors(model);
    for (std::size_t i = 0; i < names.size(); i += 2) {
      const BranchGates neutral = neutral_gates(model, at::TensorOptions().dtype(at::kFloat));
      BranchGates stored = neutral_gates(model, at::TensorOptions().dtype(at::kFloat));
      read_tensor(file, prefix + names[i].hf_name, stored.rows);
      read_tensor(file, prefix + names[i + 1].hf_name, stored.bias);
      QVERIFY(!at::equal(stored.rows, neutral.rows) && !at::equal(stored.bias, neutral.bias));
    }
  }

  void a_resumed_training_ends_as_one_that_was_not_stopped() {
    for (const int rank : {0, 3}) {
      const TempDir out;
      const auto straight = demo::open(DType::Float32), stopped = demo::open(DType::Float32);
      demo::train(*straight, nsa_training((out.path() / "straight").string(), 4, rank));
      TrainRequest request = nsa_training((out.path() / "stopped").string(), 4, rank);
      QVERIFY(demo::train(*stopped, request, 2).stopped);
      const auto resumed = demo::open(DType::Float32);
      request.resume = true;
      demo::train(*resumed, request);
      QCOMPARE(resumed->model().weights_hash, straight->model().weights_hash);
    }
  }

  /// Under a policy that has none they stay what they are.
  void other_policies_leave_gates_alone() {
    const TempDir out;
    const auto session = demo::open(DType::Float32);
    const TrainingSummary gated = demo::train(*session, nsa_training((out.path() / "nsa").string(), 2, 0));
    TrainRequest request = demo::training((out.path() / "full").string(), 2, 0);
    auto plan = std::make_shared<TrainingPlan>(*request.plan);
    plan->policy = "full";
    plan->training.weight_decay = 0.1;
    request.plan = plan;
    const TrainingSummary other = demo::train(*session, request);
    const SafetensorsFile before = SafetensorsFile::open(gated.final_folder + "/model.safetensors"),
                          after = SafetensorsFile::open(other.final_folder + "/model.safetensors");
    for (const WeightRow& gate : gate_tensors(session->model().config)) {
      const SafetensorsTensor *a = before.find(gate.hf_name), *b = after.find(gate.hf_name);
      QVERIFY(a != nullptr && b != nullptr && std::ranges::equal(a->data, b->data));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NsaGatesTest>};
#include "nsa_gates_test.moc"
