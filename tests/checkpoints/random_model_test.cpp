// SPDX-License-Identifier: GPL-3.0-or-later
// Random weights by name: every tensor of the shape, the same ones for a seed however their rows are read.
#include "engine/checkpoints/random_model.h"

#include <QTest>
#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::vector<float> rows(const ModelSource& model, const StoredTensor& tensor, std::int64_t begin, std::int64_t end) {
  std::vector<float> values(static_cast<std::size_t>((end - begin) * tensor.shape.back()));
  model.read_rows(tensor, begin, end, values.data());
  return values;
}

}  // namespace

class RandomModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shapes_are_those_of_their_models() {
    const std::map<std::string, std::int64_t> parameters{{"llama2-7b", 6738415616},    {"llama3.1-8b", 8030261248},
                                                         {"smollm2-135m", 134515008},  {"qwen2.5-0.5b", 494032768},
                                                         {"gemma3-270m", 268098176},   {"pythia-160m", 162322944},
                                                         {"llama3.1-small", 147338240}};
    for (const std::string& name : random_shapes()) {
      const auto model = ModelSource::open("random:" + name);
      const ModelConfig& config = model->config();
      config.validate(name);
      if (name != "tiny") QCOMPARE(config.parameters(), parameters.at(name));
      const auto expected = hf_tensor_shapes(config);
      QCOMPARE(model->tensors().size(), expected.size());
      for (const auto& [tensor, shape] : expected) QVERIFY(model->find(tensor) && model->find(tensor)->shape == shape);
      QVERIFY(model->find("lm_head.bias") == nullptr);
    }
  }

  void rows_do_not_depend_on_how_they_are_read() {
    const auto model = ModelSource::open("random:tiny");
    for (const StoredTensor& tensor : model->tensors()) {
      if (tensor.shape.size() == 1) continue;
      const std::int64_t count = tensor.shape[0], half = count / 2;
      std::vector<float> parts = rows(*model, tensor, 0, half);
      for (const float value : rows(*model, tensor, half, count)) parts.push_back(value);
      QVERIFY(parts == rows(*model, tensor, 0, count));
    }
  }

  void values_keep_activations_near_one() {
    const auto model = ModelSource::open("random:smollm2-135m:3");
    const StoredTensor& matrix = *model->find("model.layers.7.mlp.up_proj.weight");
    double sum = 0, squares = 0;
    const std::vector<float> values = rows(*model, matrix, 0, matrix.shape[0]);
    for (const float value : values) {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    const auto n = static_cast<double>(values.size());
    QVERIFY(std::abs(sum / n) < 4 / std::sqrt(n) / std::sqrt(576.0));  // four standard errors
    QVERIFY(std::abs(squares / n * 576 - 1) < 0.01);
    for (const float value : rows(*model, *model->find("model.norm.weight"), 0, 1))
      QVERIFY(value >= 0.9f && value <= 1.1f);
    QVERIFY(rows(*model, *model->find("model.layers.1.mlp.up_proj.weight"), 0, 1) !=
            rows(*model, *model->find("model.layers.2.mlp.up_proj.weight"), 0, 1));
  }

  void a_seed_names_its_weights() {
    const auto hash = [](const char* path) { return ModelSource::open(path)->hash(); };
    QCOMPARE(hash("random:tiny:7"), hash("random:tiny:7"));
    QCOMPARE(hash("random:tiny"), hash("random:tiny:0"));
    QVERIFY(hash("random:tiny:7") != hash("random:tiny:8"));
    QVERIFY(hash("random:tiny:7") != hash("random:smollm2-135m:7"));
  }

  void what_is_no_shape_is_refused() {
    for (const char* path : {"random:", "random:gpt2", "random:tiny:x", "random:tiny:-1", "random:tiny:4294967296"}) {
      const std::string problem = unlike(Fault::Usage, "random weights", [&] { ModelSource::open(path); });
      QVERIFY2(problem.empty(), problem.c_str());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RandomModelTest>};
#include "random_model_test.moc"
