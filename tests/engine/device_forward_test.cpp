// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs as a GPU has them, on CPU tensors: the kernels' references for the kernels, masked attention for
// FlashAttention, and for the rest LibTorch's own operations. They compute what the CPU's own code does.
#include <QTest>

#include "engine/cost/policy_table.h"
#include "engine/policies/snapkv/snapkv_settings.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/training/sample_gradient.h"
#include "tests/support/kernels/reference_kernels.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Case {
  std::mt19937 random;
  ModelConfig model;
  SegmentConfig config;
  std::vector<std::int32_t> ids;

  /// head_dim: row_attention takes 64.
  Case(unsigned seed, std::int64_t head_dim)
      : random(seed), model(random_family_config(random)), config(random_varied_config(random, model)) {
    model.head_dim = head_dim;
    model.hidden = model.heads * head_dim;
    ids = distinct_ids(random, draw(random, 2, 130), model.vocabulary);
  }
};

/// Returns the bound on differences of hidden states, whose mean square is 1.
double bound(at::ScalarType type) {
  return type == at::kDouble ? 1e-10 : type == at::kFloat ? 1e-4 : 0.25;
}

/// The positions that the search behind each segment of a run finds.
struct Searched {
  std::vector<std::vector<std::int64_t>> positions;  ///< of each reader
  std::int64_t near_ties = 0;
};
Searched search_all(const Decoder& decoder, const Case& c) {
  PreparedRun run(decoder, {"segmented", c.config, std::ssize(c.ids)});
  const at::Tensor ids = as_tensor(c.ids);
  Searched all;
  for (const at::Tensor& segment : ids.split(c.config.segment_length)) {
    run.runner().run_segment(segment);
    all.near_ties += run.runner().state().near_ties;
    for (const HeadHits& head : run.runner().state().hits) {
      std::vector<std::int64_t>& positions = all.positions.emplace_back();
      for (const Hit& hit : head.hits) positions.push_back(hit.position);
    }
  }
  return all;
}

}  // namespace

class DeviceForwardTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(2); }
  void cleanup() { ops::replace_cuda_kernels(nullptr); }

  /// Whole segments, token by token, and in chunks. What the CPU retrieved is read again, so that no near-tie decides.
  void segmented_runs_are_the_cpus() {
    constexpr at::ScalarType types[] = {at::kDouble, at::kFloat, at::kBFloat16};
    for (unsigned seed = 0; seed < 36; ++seed)
      compare(seed, "segmented", types[seed % 3], types[seed % 3] == at::kDouble ? 8 : 64);
  }

  void runs_under_every_policy_are_the_cpus() {
    for (const std::string& policy : policy_names()) {
      for (unsigned seed = 100; seed < 104; ++seed) compare(seed, policy, at::kDouble, 8);
      for (unsigned seed = 104; seed < 108; ++seed) compare(seed, policy, at::kFloat, 64);
    }
  }

  /// fp32 scores on a GPU, fp64 on the CPU.
  void searches_find_what_the_cpus_find() {
    const at::NoGradGuard no_gradients;
    int compared = 0;
    for (unsigned seed = 400; seed < 440; ++seed) {
      const Case c(seed, 8);
      const TinyDecoder tiny(c.model, seed, at::kDouble);
      const Searched expected = search_all(tiny.decoder, c);
      ops::replace_cuda_kernels(&reference_kernels, true);
      const Searched found = search_all(tiny.decoder, c);
      ops::replace_cuda_kernels(nullptr);
      if (expected.near_ties + found.near_ties > 0) continue;
      QVERIFY2(found.positions == expected.positions, qPrintable(QString("seed %1").arg(seed)));
      compared += !expected.positions.empty();
    }
    QVERIFY2(compared > 10, qPrintable(QString::number(compared)));
  }

  /// With layers kept whole, and run again in backward: those run forward as without gradients.
  void gradients_are_the_cpus() {
    for (unsigned seed = 300; seed < 308; ++seed)
      for (const char* policy : {"segmented", "full"}) {
        Case c(seed, 8);
        TinyDecoder tiny(c.model, seed, at::kDouble);
        const auto gradients = [&](bool checkpointing) {
          TrainableParameters parameters(tiny.decoder);
          GradientSetup setup{policy, c.config, checkpointing};
          add_sample_gradient(tiny.decoder, parameters, setup, c.ids);
          return parameters.take_gradients();
        };
        const std::vector<at::Tensor> expected = gradients(false);
        ops::replace_cuda_kernels(&reference_kernels, true);
        for (const bool checkpointing : {false, true}) {
          const std::vector<at::Tensor> found = gradients(checkpointing);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            const double off = error(found[i], expected[i]), size = expected[i].abs().max().item<double>();
            QVERIFY2(off <= 1e-9 * size, qPrintable(QString("%1, seed %2: %3").arg(policy).arg(seed).arg(off / size)));
          }
        }
        ops::replace_cuda_kernels(nullptr);
      }
  }

  /// Segments are written behind a cache before they are closed: of a clone, elsewhere; of a draft, over nothing.
  void clones_and_drafts_leave_a_cache_alone() {
    const at::NoGradGuard no_gradients;
    ops::replace_cuda_kernels(&reference_kernels, true);
    for (const char* policy : {"full", "snapkv", "duo"}) {
      Case c(200, 8);
      c.config.segment_length = 20;
      c.config.of<SnapKvSettings>().kv_budget = 200;
      const TinyDecoder tiny(c.model, 200, at::kDouble);
      const at::Tensor ids = as_tensor(random_ids(c.random, 80, c.model.vocabulary)), others = ids.flip(0);
      const auto segment = [](const at::Tensor& of, int i) { return of.narrow(0, 20 * i, 20); };
      PreparedRun undisturbed(tiny.decoder, {policy, c.config, 80}), run(tiny.decoder, {policy, c.config, 80});
      for (int i = 0; i < 4; ++i) {
        const at::Tensor expected = undisturbed.runner().run_segment(segment(ids, i));
        PreparedRun other(tiny.decoder, {policy, c.config, 80});
        other.runner().resume(run.runner().state().clone());
        for (int j = 0; j < 2; ++j) other.runner().run_segment(segment(others, j));
        run.runner().peek_segment(segment(others, i));
        QVERIFY2(run.runner().run_segment(segment(ids, i)).equal(expected), policy);
      }
    }
  }

 private:
  void compare(unsigned seed, const std::string& policy, at::ScalarType type, std::int64_t head_dim) {
    const at::NoGradGuard no_gradients;
    Case c(seed, head_dim);
    const TinyDecoder tiny(c.model, seed, type);
    std::mt19937 random(seed);
    const Chunking chunkings[] = {
        {}, [](std::int64_t) { return 1; }, [&](std::int64_t left) { return draw(random, 1, left); }};
    for (const Chunking& chunking : chunkings) {
      std::vector<HeadHits> hits;
      const at::Tensor expected = run_hidden(tiny.decoder, policy, c.config, c.ids, chunking, &hits);
      ops::replace_cuda_kernels(&reference_kernels, true);
      random.seed(seed);
      const at::Tensor found = run_hidden(tiny.decoder, policy, c.config, c.ids, chunking, nullptr, hits);
      ops::replace_cuda_kernels(nullptr);
      random.seed(seed);
      const double off = error(found, expected);
      QVERIFY2(off < bound(type), qPrintable(QString("%1, seed %2: %3").arg(policy.c_str()).arg(seed).arg(off)));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DeviceForwardTest>};
#include "device_forward_test.moc"
