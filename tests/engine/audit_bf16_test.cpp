// SPDX-License-Identifier: GPL-3.0-or-later
// The audit of real models in bf16 tells K from K ± 1: of the demo's, and of SmolLM2 where it has been fetched.
#include <QTest>
#include <cstdio>
#include <filesystem>

#include "engine/data/text_source.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/test_program.h"
#include "tests/support/wrong_trainers.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::string demo_file(const std::string& name) {
  return std::string(CARRYOVER_SOURCE_DIR "/resources/demo") + name;
}

/// Returns the path at which `./lab assets` puts the default model; empty if it is not there.
std::string smollm2() {
  const char *own = std::getenv("CARRYOVER_CACHE"), *shared = std::getenv("XDG_CACHE_HOME"),
             *home = std::getenv("HOME");
  std::filesystem::path cache;
  if (own != nullptr && *own != 0)
    cache = own;
  else if (shared != nullptr && *shared != 0)
    cache = std::filesystem::path(shared) / "carryover";
  else if (home != nullptr)
    cache = std::filesystem::path(home) / ".cache/carryover";
  const auto model = cache / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  return std::filesystem::exists(model) ? model.string() : std::string();
}

/// A line a check, as the command line prints them.
void print(const std::string& title, const AuditReport& report) {
  std::printf("%s\n", title.c_str());
  for (const AuditCheck& check : report.checks)
    std::printf("  %s  %-44s %9.2e  bound %7.1e  margin %7.1e\n", check.passed() ? "pass" : "FAIL", check.name.c_str(),
                check.difference, check.bound, check.margin);
  std::fflush(stdout);
}

}  // namespace

class AuditBf16Test : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void another_depth_fails_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("demo") << QString::fromStdString(demo_file(""));
    QTest::newRow("SmolLM2") << QString::fromStdString(smollm2());
  }
  void another_depth_fails() {
    QFETCH(QString, model);
    if (model.isEmpty()) QSKIP("SmolLM2 is not here; ./lab assets fetches it");
    const auto source = ModelSource::open(model.toStdString());
    Decoder decoder{source->config(), empty_weights(source->config(), at::kBFloat16, false), {}};
    read_weights(*source, decoder.weights, {});
    AuditRequest request;
    request.config = SegmentConfig::defaults_for(decoder.config);
    request.config.segment_length = 32;
    request.config.carry_length = request.config.retrieval_length = 8;
    std::vector<std::int32_t> ids = Tokenizer::load(model.toStdString())->encode(read_text(demo_file("/text.txt")));
    ids.resize(4 * 32);
    request.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
    RunControl control;
    for (const std::int64_t trained : {1, 0, 2}) {
      SegmentConfig config = request.config;
      config.truncation_depth = trained;
      const AuditReport report = audit_trainer(decoder, request, real_trainer(decoder, request, config), control);
      print("K = 1, trained with " + std::to_string(trained), report);
      QCOMPARE(report.passed(), trained == 1);
      QCOMPARE(fails(report, "explicit L_K"), trained != 1);
      QVERIFY(!fails(report, "bf16 tells"));
      if (trained != 1) QVERIFY(fails(report, "of K = 1, not K = " + std::to_string(trained)));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AuditBf16Test>};
#include "audit_bf16_test.moc"
