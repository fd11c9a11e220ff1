// SPDX-License-Identifier: GPL-3.0-or-later
// Adapters that began as a part of the weights (PiSSA, OLoRA): what peft takes out of the base again is taken out here.
#include "engine/decoder/adapter_start.h"

#include <QTest>

#include "engine/families/weight_rows.h"
#include "engine/training/adapter_file.h"
#include "engine/training/tensor_file.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A model whose layer's query matrix is given.
TinyDecoder with_queries(const at::Tensor& queries) {
  TinyDecoder tiny(tiny_config(1, 1, 1, 2, 16), 1, at::kFloat);
  tiny.decoder.weights.layers[0].qkv.narrow(0, 0, 2).copy_(queries);
  return tiny;
}

/// The query matrix once an adapter of zeros is merged, which began so.
at::Tensor left_of(const at::Tensor& queries, AdapterStart start, double alpha) {
  TinyDecoder tiny = with_queries(queries);
  const LoraConfig lora{.rank = 1, .alpha = alpha, .target_modules = {"q_proj"}};
  Adapter adapter = make_adapter(lora, tiny.decoder.config, tiny.decoder.options(), 1);
  take_out_start(adapter, tiny.decoder.weights, start);
  merge_adapter(tiny.decoder.weights, adapter);
  return tiny.decoder.weights.layers[0].qkv.narrow(0, 0, 2);
}

at::Tensor matrix(std::vector<float> values) {
  return at::tensor(values).view({2, 2});
}

}  // namespace

class AdapterStartTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// [[2, 1], [1, 2]] is 3 times the projection onto (1, 1)/√2 and once that onto (1, −1)/√2, whatever the scale.
  void pissa_takes_out_the_largest_component() {
    for (const double alpha : {1.0, 8.0})
      QVERIFY(at::allclose(left_of(matrix({2, 1, 1, 2}), AdapterStart::Pissa, alpha), matrix({.5, -.5, -.5, .5}), 1e-5,
                           1e-6));
  }

  /// [[3, 1], [4, 2]]: the first column has the direction (0.6, 0.8), in which the matrix is (5, 2.2).
  void olora_takes_out_the_first_direction_by_the_scale() {
    QVERIFY(
        at::allclose(left_of(matrix({3, 1, 4, 2}), AdapterStart::Olora, 1), matrix({0, -.32f, 0, .24f}), 1e-5, 1e-6));
    QVERIFY(at::allclose(left_of(matrix({3, 1, 4, 2}), AdapterStart::Olora, 2), matrix({-3, -1.64f, -4, -1.52f}), 1e-5,
                         1e-6));
  }

  void others_leave_the_weights() {
    QVERIFY(at::equal(left_of(matrix({3, 1, 4, 2}), AdapterStart::Beside, 8), matrix({3, 1, 4, 2})));
  }

  /// Every module, more ranks than a matrix has, and the file's own values beside.
  void a_folder_s_start_is_taken_out() {
    for (const auto& [start, name] : {std::pair(AdapterStart::Pissa, "pissa"), {AdapterStart::Olora, "olora"}}) {
      TinyDecoder tiny(tiny_config(2, 4, 2, 4, 32), 3, at::kFloat);
      const ModelConfig& model = tiny.decoder.config;
      const LoraConfig lora{.rank = 10, .alpha = 5, .rslora = true, .target_modules = lora_modules_of(ModelConfig{})};
      Adapter trained = make_adapter(lora, model, tiny.decoder.options(), 2);
      std::vector<OutgoingTensor> tensors;
      for (LowRankUpdate* update : trained.updates()) {
        update->b.normal_(0, 0.1);
        tensors.push_back(outgoing(std::string(adapter_prefix) + update->name + ".lora_A.weight", update->a));
        tensors.push_back(outgoing(std::string(adapter_prefix) + update->name + ".lora_B.weight", update->b));
      }
      const TempDir folder;
      write_adapter_folder(folder.path().string(), lora, "base", tensors);
      nlohmann::json config = nlohmann::json::parse(read_bytes(folder.path() / "adapter_config.json"));
      const std::string plain = read_adapter(folder.path().string(), tiny.decoder).hash;
      config["init_lora_weights"] = name;
      write_bytes(folder.path() / "adapter_config.json", config.dump());
      const LoadedAdapter loaded = read_adapter(folder.path().string(), tiny.decoder);
      QVERIFY(loaded.hash != plain);

      take_out_start(trained, tiny.decoder.weights, start);
      TinyDecoder other(tiny_config(2, 4, 2, 4, 32), 3, at::kFloat);
      merge_adapter(other.decoder.weights, trained);
      merge_adapter(tiny.decoder.weights, loaded.adapter);
      for (std::size_t layer = 0; layer < 2; ++layer) {
        QVERIFY(at::equal(tiny.decoder.weights.layers[layer].qkv, other.decoder.weights.layers[layer].qkv));
        QVERIFY(at::equal(tiny.decoder.weights.layers[layer].down, other.decoder.weights.layers[layer].down));
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AdapterStartTest>};
#include "adapter_start_test.moc"
