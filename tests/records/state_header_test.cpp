// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a saved state says of its document what was written; anything else is refused. The state's own tensors:
// tests/engine/state_file_test.cpp.
#include "engine/runs/records/state_header.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/formats/safetensors_writer.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/random_config.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

StateHeader random_header(unsigned seed) {
  std::mt19937 random(seed);
  StateHeader header;
  header.weights_hash = "0123456789abcdef+fedcba9876543210";
  header.model = tiny_config(4, 8, 2, 8, 160);
  header.dtype = std::array{DType::Float32, DType::BFloat16, DType::Float64, DType::Q8}[seed % 4];
  header.policy = seed % 2 == 0 ? "segmented" : "duo";
  header.config = random_segment_config(random, header.model);
  if (seed % 3 == 0) vary_search(random, header.config, header.model);
  header.ntk_length = draw(random, 0, 1 << 20);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(draw(random, 1, 60)));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(draw(random, 0, 159));
  header.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  return header;
}

void write(const std::string& path, const StateHeader& header) {
  const OutgoingTensor ids{kStateIds, "I32", {header.tokens()}, [&] { return std::as_bytes(std::span(*header.ids)); }};
  write_safetensors(path, {ids}, state_metadata(header));
}

}  // namespace

class StateHeaderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void reads_what_was_written() {
    const TempDir dir;
    const std::string path = dir.file("book.state");
    for (unsigned seed = 0; seed < 60; ++seed) {
      const StateHeader header = random_header(seed);
      write(path, header);
      const StateHeader back = read_state_header(path);
      QCOMPARE(back.weights_hash, header.weights_hash);
      QCOMPARE(nlohmann::json(back.model), nlohmann::json(header.model));
      QVERIFY(back.dtype == header.dtype && back.policy == header.policy && back.config == header.config);
      QCOMPARE(back.ntk_length, header.ntk_length);
      QVERIFY(*back.ids == *header.ids);
    }
  }

  /// Only what says how a prompt ends and how gradients flow may differ between two readings of one state.
  void readings_are_told_apart() {
    std::mt19937 random(4);
    const ModelConfig model = tiny_config();
    for (int i = 0; i < 50; ++i) {
      const SegmentConfig config = random_segment_config(random, model);
      SegmentConfig asked = config;
      asked.question_pass = !asked.question_pass;
      asked.boundary_at_prompt_end = !asked.boundary_at_prompt_end;
      asked.cross_boundary_target = !asked.cross_boundary_target;
      ++asked.truncation_depth;
      QVERIFY(as_read(asked) == as_read(config) && !(asked == config));
      asked.carry_length += 1;
      QVERIFY(!(as_read(asked) == as_read(config)));
    }
  }

  void damaged_headers_are_refused() {
    const TempDir dir;
    const std::string path = dir.file("book.state");
    int refused = 0, accepted = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
      write(path, random_header(seed));
      const std::string whole = read_bytes(path);
      Mutator mutator(whole, whole.size(), seed);
      for (int i = 0; i < 200; ++i) {
        const std::string mutant = mutator.next();
        const auto error =
            error_of([&] { read_state_header(SafetensorsFile::parse(std::as_bytes(std::span(mutant)), "a mutant")); });
        if (error) QVERIFY2(error->fault() == Fault::BadInput || error->fault() == Fault::Unsupported, error->what());
        ++(error ? refused : accepted);
      }
    }
    QVERIFY2(refused > 4000, qPrintable(QString::number(accepted)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<StateHeaderTest>};
#include "state_header_test.moc"
