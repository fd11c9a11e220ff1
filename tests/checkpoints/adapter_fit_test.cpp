// SPDX-License-Identifier: GPL-3.0-or-later
// An adapter of another model is refused by name, with words about adapters.
#include "engine/checkpoints/adapter_fit.h"

#include <QTest>
#include <functional>

#include "engine/families/weight_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

const LoraConfig kLora{.rank = 2, .target_modules = {"q_proj", "down_proj"}};

/// Names and shapes of an adapter of this model, as peft saves it.
Shapes shapes_of(const ModelConfig& model) {
  Shapes shapes;
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    const std::string stem = "base_model.model.model.layers." + std::to_string(layer) + ".";
    shapes[stem + "self_attn.q_proj.lora_A.weight"] = {2, model.hidden};
    shapes[stem + "self_attn.q_proj.lora_B.weight"] = {model.heads * model.head_dim, 2};
    shapes[stem + "mlp.down_proj.lora_A.weight"] = {2, model.intermediate};
    shapes[stem + "mlp.down_proj.lora_B.weight"] = {model.hidden, 2};
  }
  return shapes;
}

std::string written(const Shapes& shapes) {
  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, shape] : shapes) {
    std::int64_t count = 4;
    for (const std::int64_t size : shape) count *= size;
    entries.push_back({name, "F32", shape, std::string(static_cast<std::size_t>(count), '\0')});
  }
  return make_safetensors(entries);
}

void check(const std::string& bytes, const ModelConfig& model) {
  const auto file = SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "adapter_model.safetensors");
  check_adapter_fits({kLora, AdapterStart::Beside, "someone/base", file}, model);
}

}  // namespace

class AdapterFitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_adapter_of_the_model_fits() {
    const ModelConfig model = tiny_config(3, 4, 2, 8, 32);
    check(written(shapes_of(model)), model);
    Shapes gated = shapes_of(model);
    for (const WeightRow& gate : gate_tensors(model)) gated["base_model.model." + gate.hf_name] = gate.shape();
    check(written(gated), model);
  }

  void what_does_not_fit_is_named_data() {
    using Change = std::function<void(Shapes&)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const char* part, Change change) {
      QTest::newRow(name) << std::move(change) << part;
    };
    const std::string stem = "base_model.model.model.layers.";
    row("a layer too many", "model.layers.3.self_attn.q_proj.lora_A.weight, for a layer or module that the model lacks",
        [=](Shapes& s) {
          s[stem + "3.self_attn.q_proj.lora_A.weight"] = {2, 32};
        });
    row("gates of a layer too many", "model.layers.3.self_attn.g_proj.bias, for a layer or module",
        [=](Shapes& s) { s[stem + "3.self_attn.g_proj.bias"] = {12}; });
    row("a module of another kind", "model.layers.0.mlp.q_proj.lora_A.weight, for a layer or module", [=](Shapes& s) {
      s[stem + "0.mlp.q_proj.lora_A.weight"] = {2, 32};
    });
    row("a layer too few", "lacks the tensor base_model.model.model.layers.1.self_attn.q_proj.lora_B.weight",
        [=](Shapes& s) { s.erase(stem + "1.self_attn.q_proj.lora_B.weight"); });
    row("another width", "lora_A.weight of shape [2, 48], where the model needs [2, 32]", [=](Shapes& s) {
      s[stem + "0.self_attn.q_proj.lora_A.weight"] = {2, 48};
    });
    row("other heads", "lora_B.weight of shape [16, 2], where the model needs [32, 2]", [=](Shapes& s) {
      s[stem + "0.self_attn.q_proj.lora_B.weight"] = {16, 2};
    });
  }
  void what_does_not_fit_is_named() {
    QFETCH(std::function<void(Shapes&)>, change);
    QFETCH(QString, part);
    const ModelConfig model = tiny_config(3, 4, 2, 8, 32);
    Shapes shapes = shapes_of(model);
    change(shapes);
    for (const std::string& said : {part.toStdString(), std::string("this adapter does not fit the model"),
                                    std::string("someone/base"), std::string("adapter_model.safetensors")})
      QCOMPARE(unlike(Fault::BadInput, said, [&] { check(written(shapes), model); }), "");
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AdapterFitTest>};
#include "adapter_fit_test.moc"
