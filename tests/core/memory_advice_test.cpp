// SPDX-License-Identifier: GPL-3.0-or-later
// Advice for whoever lacks memory names dtypes that need less than what is loaded, and no others.
#include "engine/cost/memory_advice.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// 2 ¹⁰ · 2 ²⁰ values in two embeddings, and little else.
ModelConfig large_model() {
  ModelConfig model;
  model.layers = model.heads = model.kv_heads = 1;
  model.hidden = 1024;
  model.head_dim = 32;
  model.intermediate = 32;
  model.vocabulary = 1 << 20;
  return model;
}

}  // namespace

class MemoryAdviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_fits_the_file_the_dtype_and_the_machine_data() {
    QTest::addColumn<int>("now");
    QTest::addColumn<int>("stored");
    QTest::addColumn<bool>("q8");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, DType now, DType stored, bool q8, const char* named) {
      QTest::newRow(name) << static_cast<int>(now) << static_cast<int>(stored) << q8 << QString(named);
    };
    row("a bf16 file in bf16", DType::BFloat16, DType::BFloat16, true, "with --dtype q8");
    row("a bf16 file in bf16 on a GPU", DType::BFloat16, DType::BFloat16, false, "");
    row("a bf16 file in fp32", DType::Float32, DType::BFloat16, true, "in the file's own bf16|with --dtype q8");
    row("an fp32 file in fp32", DType::Float32, DType::Float32, true, "with --dtype bf16|with --dtype q8");
    row("a GGUF of 4 bits in fp64", DType::Float64, DType::Auto, false, "with --dtype fp32|with --dtype bf16");
    row("in 8 bits", DType::Q8, DType::BFloat16, true, "");
  }
  void it_fits_the_file_the_dtype_and_the_machine() {
    QFETCH(int, now);
    QFETCH(int, stored);
    QFETCH(bool, q8);
    QFETCH(QString, named);
    const QString text = QString::fromStdString(
        smaller_dtypes_text(large_model(), static_cast<DType>(now), static_cast<DType>(stored), q8));
    QCOMPARE(text.startsWith("The weights take "), !named.isEmpty());
    QCOMPARE(text.isEmpty(), named.isEmpty());
    if (text.isEmpty()) return;
    QStringList found;
    for (const QString& part : text.left(text.size() - 1).split(", ").mid(1)) found += part.section(' ', 2);
    QCOMPARE(found.join('|'), named);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MemoryAdviceTest>};
#include "memory_advice_test.moc"
