// SPDX-License-Identifier: GPL-3.0-or-later
// `auto`: a row of the table for each kind of processor, and nothing but its arguments decides.
#include "engine/cost/dtype_choice.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

ModelConfig model_of(std::int64_t hidden, std::int64_t intermediate) {
  ModelConfig model;
  model.hidden = hidden;
  model.intermediate = intermediate;
  return model;
}
const ModelConfig kSmolLm = model_of(576, 1536), kLlama = model_of(4096, 11008), kDemo = model_of(64, 176);

DTypeChoice automatic(const CpuFeatures& cpu, const ModelConfig& model, Phase phase) {
  return choose_dtype(DType::Auto, Device::Cpu, cpu, model, phase);
}

std::vector<CpuFeatures> all_processors() {
  std::vector<CpuFeatures> all;
  for (int bits = 0; bits < 16; ++bits)
    all.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0});
  return all;
}

}  // namespace

class DTypeChoiceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_kind_of_processor_has_its_row_data() {
    QTest::addColumn<bool>("avx2");
    QTest::addColumn<bool>("avx512_bf16");
    QTest::addColumn<bool>("amx_bf16");
    QTest::addColumn<bool>("intel");
    QTest::addColumn<QString>("prefill");
    QTest::addColumn<QString>("decode");
    QTest::addColumn<QString>("named");
    QTest::newRow("Xeon with AMX") << true << true << true << true << "bf16"
                                   << "bf16"
                                   << "AMX-BF16";
    QTest::newRow("Xeon with AVX512-BF16 alone") << true << true << false << true << "fp32"
                                                 << "bf16"
                                                 << "without AMX";
    QTest::newRow("EPYC with AVX512-BF16") << true << true << false << false << "bf16"
                                           << "bf16"
                                           << "AVX512-BF16";
    QTest::newRow("AMD with AVX2") << true << false << false << false << "fp32"
                                   << "bf16"
                                   << "AVX2";
    QTest::newRow("Intel with AVX2") << true << false << false << true << "fp32"
                                     << "bf16"
                                     << "AVX2";
    QTest::newRow("older") << false << false << false << false << "fp32"
                           << "fp32"
                           << "neither AVX2";
  }
  void each_kind_of_processor_has_its_row() {
    QFETCH(bool, avx2);
    QFETCH(bool, avx512_bf16);
    QFETCH(bool, amx_bf16);
    QFETCH(bool, intel);
    QFETCH(QString, prefill);
    QFETCH(QString, decode);
    QFETCH(QString, named);
    const CpuFeatures cpu{avx2, avx512_bf16, amx_bf16, intel};
    for (const ModelConfig& model : {kSmolLm, kLlama}) {
      const DTypeChoice reading = automatic(cpu, model, Phase::Prefill), writing = automatic(cpu, model, Phase::Decode);
      QCOMPARE(QString::fromUtf8(dtype_name(reading.dtype).data()), prefill);
      QCOMPARE(QString::fromUtf8(dtype_name(writing.dtype).data()), decode);
      for (const DTypeChoice& choice : {reading, writing})
        QVERIFY2(QString::fromStdString(choice.reason).contains(named), choice.reason.c_str());
    }
  }

  void small_models_are_fp32_everywhere() {
    for (const CpuFeatures& cpu : all_processors())
      for (const Phase phase : {Phase::Prefill, Phase::Decode})
        QCOMPARE(automatic(cpu, kDemo, phase).dtype, DType::Float32);
    QVERIFY(is_small_model(kDemo) && !is_small_model(kSmolLm));
  }

  void every_choice_is_a_dtype_with_a_reason_and_the_same_again() {
    for (const CpuFeatures& cpu : all_processors())
      for (const ModelConfig& model : {kSmolLm, kLlama, kDemo})
        for (const Phase phase : {Phase::Prefill, Phase::Decode}) {
          const DTypeChoice first = automatic(cpu, model, phase);
          QVERIFY(first.dtype == DType::Float32 || first.dtype == DType::BFloat16);
          QVERIFY(!first.reason.empty());
          for (int again = 0; again < 100; ++again) {
            const DTypeChoice other = automatic(cpu, model, phase);
            QVERIFY(other.dtype == first.dtype && other.reason == first.reason);
          }
        }
    const CpuFeatures here = this_cpu();
    for (int again = 0; again < 100; ++again) QVERIFY(this_cpu() == here);
  }

  void what_was_asked_for_is_taken_and_a_gpu_has_bf16() {
    for (const DType asked : {DType::Float32, DType::BFloat16, DType::Float64, DType::Q8}) {
      const DTypeChoice choice = choose_dtype(asked, Device::Cpu, this_cpu(), kSmolLm, Phase::Prefill);
      QVERIFY(choice.dtype == asked && choice.reason == "asked for");
    }
    QCOMPARE(choose_dtype(DType::Auto, Device::Cuda, {}, kDemo, Phase::Prefill).dtype, DType::BFloat16);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DTypeChoiceTest>};
#include "dtype_choice_test.moc"
