// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors_writer.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/error.h"
#include "engine/formats/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::TempDir;
using carryover::test::unlike;
namespace fs = std::filesystem;

namespace {

struct Made {
  std::string name, dtype, bytes;
  std::vector<std::int64_t> shape;
};

std::vector<Made> random_tensors(std::mt19937& random) {
  static const std::vector<std::string> kDtypes{"F64", "F32", "F16", "BF16", "I64", "U64", "I32", "I16", "U8", "BOOL"};
  std::vector<Made> tensors(random() % 12);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Made& made = tensors[i];
    made.name = "model.\"" + std::to_string(i) + "\"\u00E9";
    made.dtype = kDtypes[random() % kDtypes.size()];
    std::size_t size = *safetensors_dtype_bytes(made.dtype);
    for (std::size_t axis = random() % 4; axis > 0; --axis) {
      made.shape.push_back(static_cast<std::int64_t>(random() % 6));
      size *= static_cast<std::size_t>(made.shape.back());
    }
    for (; made.bytes.size() < size;) made.bytes += static_cast<char>(random());
  }
  return tensors;
}

std::span<const std::byte> span_of(const std::string& bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

std::vector<OutgoingTensor> outgoing(const std::vector<Made>& tensors) {
  std::vector<OutgoingTensor> result;
  for (const Made& made : tensors) {
    result.push_back({made.name, made.dtype, made.shape, [&made] { return span_of(made.bytes); }});
  }
  return result;
}

std::size_t count_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

class SafetensorsWriterTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_is_written_reads_back();
  void data_are_aligned_and_metadata_kept();
  void one_tensor_is_held_at_a_time();
  void a_full_disk_leaves_what_was_there();
  void wrong_tensors_are_our_own_mistake();
};

void SafetensorsWriterTest::what_is_written_reads_back() {
  const TempDir temp(test::fast_parent());
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<Made> tensors = random_tensors(random);
    const std::string path = temp.file("t.safetensors");
    write_safetensors(
        path, outgoing(tensors),
        round % 2 == 0 ? std::map<std::string, std::string>{} : std::map<std::string, std::string>{{"format", "pt"}});
    const SafetensorsFile file = SafetensorsFile::open(path);
    QCOMPARE(file.tensors().size(), tensors.size());
    for (const Made& made : tensors) {
      const SafetensorsTensor* read = file.find(made.name);
      QVERIFY(read != nullptr);
      QCOMPARE(read->dtype, made.dtype);
      QCOMPARE(read->shape, made.shape);
      QVERIFY(std::ranges::equal(read->data, span_of(made.bytes)));
    }
    QCOMPARE(count_of(temp.path()), std::size_t{1});
  }
}

void SafetensorsWriterTest::data_are_aligned_and_metadata_kept() {
  const TempDir temp(test::fast_parent());
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Made> tensors = random_tensors(random);
    const std::string path = temp.file("t.safetensors");
    write_safetensors(path, outgoing(tensors), {{"format", "pt"}, {"step", "12"}});
    const std::string bytes = test::read_bytes(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    QCOMPARE(length % 8, std::uint64_t{0});
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    QVERIFY(header["__metadata__"] == (nlohmann::json{{"format", "pt"}, {"step", "12"}}));
    for (const Made& made : tensors) {
      const auto begin = header[made.name]["data_offsets"][0].get<std::uint64_t>();
      QCOMPARE(begin % *safetensors_dtype_bytes(made.dtype), std::uint64_t{0});
    }
  }
}

void SafetensorsWriterTest::one_tensor_is_held_at_a_time() {
  const TempDir temp(test::fast_parent());
  std::string shared(64, '\0');  // each tensor's bytes overwrite those of the one before
  std::vector<int> calls;
  std::vector<OutgoingTensor> tensors;
  for (int i = 0; i < 5; ++i) {
    tensors.push_back({std::to_string(i), "U8", {64}, [&shared, &calls, i] {
                         calls.push_back(i);
                         shared.assign(64, static_cast<char>('a' + i));
                         return span_of(shared);
                       }});
  }
  write_safetensors(temp.file("t.safetensors"), tensors);
  QCOMPARE(calls, (std::vector<int>{0, 1, 2, 3, 4}));
  const SafetensorsFile file = SafetensorsFile::open(temp.file("t.safetensors"));
  for (int i = 0; i < 5; ++i) {
    QVERIFY(
        std::ranges::equal(file.find(std::to_string(i))->data, span_of(std::string(64, static_cast<char>('a' + i)))));
  }
}

void SafetensorsWriterTest::a_full_disk_leaves_what_was_there() {
  const TempDir temp(test::fast_parent());
  const std::string path = temp.file("t.safetensors"), first(1000, 'a'), second(100'000, 'b');
  const auto tensor = [](const std::string& bytes) {
    return std::vector<OutgoingTensor>{{"t", "U8", {std::ssize(bytes)}, [&] { return span_of(bytes); }}};
  };
  write_safetensors(path, tensor(first));
  const std::string before = test::read_bytes(path);
  for (const rlim_t limit_bytes : {0, 10, 100, 50'000, 100'000}) {
    const test::FileSizeLimit limit(limit_bytes);
    QCOMPARE(unlike(Fault::Io, path + ":", [&] { write_safetensors(path, tensor(second)); }), "");
  }
  QCOMPARE(test::read_bytes(path), before);
  QCOMPARE(count_of(temp.path()), std::size_t{1});
  QCOMPARE(unlike(Fault::Io, "missing", [&] { write_safetensors(temp.file("missing/t"), tensor(first)); }), "");

  const std::vector<OutgoingTensor> failing{{"t", "U8", {4}, []() -> std::span<const std::byte> {
                                               throw EngineError(Fault::OutOfMemory, "gpu", "is full");
                                             }}};
  QCOMPARE(unlike(Fault::OutOfMemory, "gpu", [&] { write_safetensors(path, failing); }), "");
  QCOMPARE(test::read_bytes(path), before);
  QCOMPARE(count_of(temp.path()), std::size_t{1});
}

void SafetensorsWriterTest::wrong_tensors_are_our_own_mistake() {
  const TempDir temp(test::fast_parent());
  const std::string bytes(8, 'x');
  const OutgoingTensor good{"t", "F32", {2}, [&] { return span_of(bytes); }};
  const auto with = [&](auto change) {
    OutgoingTensor tensor = good;
    change(tensor);
    return unlike(Fault::Internal, "", [&] { write_safetensors(temp.file("t"), {tensor}); });
  };
  QCOMPARE(with([](OutgoingTensor& t) { t.dtype = "F31"; }), "");
  QCOMPARE(with([](OutgoingTensor& t) { t.shape = {3}; }), "");
  QCOMPARE(with([](OutgoingTensor& t) { t.name = "__metadata__"; }), "");
  QCOMPARE(unlike(Fault::Internal, "", [&] { write_safetensors(temp.file("t"), {good, good}); }), "");
  QCOMPARE(count_of(temp.path()), std::size_t{0});
}

static const carryover::test::TestFile these_tests{__FILE__,
                                                   carryover::test::without_application<SafetensorsWriterTest>};
#include "safetensors_writer_test.moc"
