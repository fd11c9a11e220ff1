// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf.h"

#include <QTest>

#include "engine/formats/ggml_names.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_gguf.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

GgufFile parse(const std::string& bytes) {
  return GgufFile::parse(std::as_bytes(std::span(bytes)), "x.gguf");
}

QString refused(Fault fault, const char* part, const std::string& bytes) {
  return QString::fromStdString(unlike(fault, part, [&] { parse(bytes); }));
}

QString refused(const char* part, const GgufWriter& writer) {
  return refused(Fault::BadInput, part, writer.bytes());
}

constexpr std::uint32_t kF32 = 0, kQ4_0 = 2, kQ4_K = 12;

}  // namespace

class GgufTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finds_values_by_type() {
    GgufWriter writer;
    writer.add_int("int", 7);
    writer.add_pair("negative", 11, GgufWriter::raw<std::int64_t>(-5));
    writer.add_pair("byte", 1, GgufWriter::raw<std::int8_t>(-128));
    writer.add_pair("huge", 10, GgufWriter::raw<std::uint64_t>(UINT64_MAX));
    writer.add_float("float", 0.5f);
    writer.add_pair("double", 12, GgufWriter::raw(0.1));
    writer.add_bool("yes", true);
    writer.add_bool("no", false);
    writer.add_string("text", std::string_view("a\0b", 3));
    writer.add_string("empty", "");
    writer.add_strings("texts", {"one", "", std::string("\0\xff", 2)});
    writer.add_floats("floats", {1.5f, -2.0f});
    writer.add_ints("ints", {3, -1});
    for (const std::uint32_t version : {2u, 3u}) {
      writer.version = version;
      const std::string bytes = writer.bytes();
      const GgufFile file = parse(bytes);
      QCOMPARE(*file.find_int("int"), 7);
      QCOMPARE(*file.find_int("negative"), -5);
      QCOMPARE(*file.find_int("byte"), -128);
      QCOMPARE(*file.find_float("float"), 0.5);
      QCOMPARE(*file.find_float("double"), 0.1);
      QCOMPARE(*file.find_float("int"), 7.0);
      QVERIFY(*file.find_bool("yes") && !*file.find_bool("no"));
      QVERIFY(*file.find_string("text") == std::string_view("a\0b", 3) && file.find_string("empty")->empty());
      QVERIFY(*file.find_strings("texts") == (std::vector<std::string_view>{"one", "", std::string_view("\0\xff", 2)}));
      QVERIFY(*file.find_floats("floats") == (std::vector<double>{1.5, -2.0}));
      QVERIFY(*file.find_ints("ints") == (std::vector<std::int64_t>{3, -1}));
      QVERIFY(*file.find_floats("ints") == (std::vector<double>{3, -1}));
      QVERIFY(file.has("int") && !file.has("in") && !file.find_int("in") && !file.find_strings("in"));
    }
  }

  void refuses_values_of_another_type() {
    GgufWriter writer;
    writer.add_int("int", 7);
    writer.add_string("text", "a");
    writer.add_ints("ints", {1});
    writer.add_pair("huge", 10, GgufWriter::raw<std::uint64_t>(UINT64_MAX));
    const std::string bytes = writer.bytes();
    const GgufFile file = parse(bytes);
    const auto wrong = [](const char* part, auto look_up) {
      return QString::fromStdString(unlike(Fault::BadInput, part, look_up));
    };
    QCOMPARE(wrong("'int' is of type u32, not a string", [&] { file.find_string("int"); }), QString());
    QCOMPARE(wrong("'text' is of type string, not an integer", [&] { file.find_int("text"); }), QString());
    QCOMPARE(wrong("'ints' is an array of i32, not an integer", [&] { file.find_int("ints"); }), QString());
    QCOMPARE(wrong("not a number", [&] { file.find_float("text"); }), QString());
    QCOMPARE(wrong("not a bool", [&] { file.find_bool("int"); }), QString());
    QCOMPARE(wrong("not an array of strings", [&] { file.find_strings("ints"); }), QString());
    QCOMPARE(wrong("not an array of integers", [&] { file.find_ints("int"); }), QString());
    QCOMPARE(wrong("not an array of numbers", [&] { file.find_floats("text"); }), QString());
    QCOMPARE(wrong("2^63", [&] { file.find_int("huge"); }), QString());
  }

  void finds_tensors_row_major() {
    for (const std::uint32_t alignment : {8u, 32u, 256u}) {
      GgufWriter writer;
      writer.alignment = alignment;
      writer.add_int("general.alignment", alignment);
      writer.add_tensor("matrix", {3, 5}, kF32, std::string(60, 'm'));
      writer.add_tensor("blocks", {2, 64}, kQ4_0, std::string(72, 'q'));
      const std::string bytes = writer.bytes();
      const GgufFile file = parse(bytes);
      const GgufTensor* matrix = file.find_tensor("matrix");
      const GgufTensor* blocks = file.find_tensor("blocks");
      QVERIFY(matrix != nullptr && blocks != nullptr && file.find_tensor("x") == nullptr);
      QVERIFY(matrix->shape == (std::vector<std::int64_t>{3, 5}) &&
              blocks->shape == (std::vector<std::int64_t>{2, 64}));
      QVERIFY(matrix->data.size() == 60 && matrix->data.front() == std::byte{'m'} &&
              matrix->data.back() == std::byte{'m'});
      QVERIFY(blocks->data.size() == 72 && blocks->data.front() == std::byte{'q'} &&
              blocks->data.back() == std::byte{'q'});
      QVERIFY(blocks->type == StorageType::Q4_0);
    }
  }

  /// An outline has what a file holds, also where it is damaged behind, or of types and places that are refused.
  void an_outline_names_what_is_refused() {
    const TempDir temp;
    GgufWriter writer;
    writer.add_string("general.architecture", "mamba");
    writer.add_tensor("a", {3, 5}, kF32, std::string(60, 'm'));
    writer.add_tensor("b", {2, 256}, 23, std::string(8, 'q'));  // IQ4_XS, too short
    writer.add_tensor_at("c", {7}, kF32, 1);                    // not aligned, over another
    const std::string bytes = writer.bytes(), path = temp.file("x.gguf");
    QVERIFY(error_of([&] { parse(bytes); }).has_value());
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      write_bytes(path, bytes.substr(0, size));
      if (error_of([&] { read_gguf_outline(path); })) continue;  // too short for its counts
      const GgufOutline outline = read_gguf_outline(path);
      const std::map<std::uint32_t, std::uint64_t> all{{kF32, 22}, {23, 512}};
      QVERIFY(outline.keys.tensors().empty());
      if (size < bytes.size()) QVERIFY(outline.numbers.size() <= all.size());
      if (size == bytes.size()) QVERIFY(outline.numbers == all);
      if (size == bytes.size()) QVERIFY(outline.keys.find_string("general.architecture") == "mamba");
    }
    QCOMPARE(ggml_type_name(23), std::string("IQ4_XS"));
    QCOMPARE(ggml_type_name(12), std::string("Q4_K"));
    for (const std::uint32_t type : {4u, 40u, UINT32_MAX})
      QCOMPARE(ggml_type_name(type), "type " + std::to_string(type));
    QCOMPARE(gguf_file_type_name(15), std::string("Q4_K_M"));
    QCOMPARE(gguf_file_type_name(32), std::string("BF16"));
    for (const std::int64_t type : {std::int64_t{-1}, std::int64_t{5}, INT64_MAX})
      QCOMPARE(gguf_file_type_name(type), std::string());
  }

  /// A header of a size that no file has is refused before anything is kept of it.
  void refuses_huge_headers() {
    const TempDir temp;
    const std::string path = temp.file("x.gguf");
    const std::uint64_t many = std::uint64_t{300} << 20;
    GgufWriter array, pairs;
    array.add_pair("a", 9, GgufWriter::raw<std::uint32_t>(0) + GgufWriter::raw(many));
    pairs.extra_pairs = std::uint64_t{2} << 20;
    const auto refused_at = [&](const char* part, const GgufWriter& writer) {
      write_bytes(path, writer.bytes());
      std::filesystem::resize_file(path, many + 4096);  // takes no room on the disk
      return QString::fromStdString(unlike(Fault::BadInput, part, [&] { GgufFile::open(path); }));
    };
    QCOMPARE(refused_at("header of more than 256 MiB", array), QString());
    QCOMPARE(refused_at("tensors or key-value pairs", pairs), QString());
  }

  void refuses_other_formats_and_versions() {
    GgufWriter writer;
    for (const std::uint32_t version : {0u, 1u, 4u}) {
      writer.version = version;
      QCOMPARE(refused(Fault::Unsupported, "GGUF version", writer.bytes()), QString());
    }
    writer.version = 3u << 24;
    QCOMPARE(refused(Fault::Unsupported, "big-endian", writer.bytes()), QString());
    QCOMPARE(refused(Fault::Unsupported, "not a GGUF", "GGML and more"), QString());
    QCOMPARE(refused(Fault::Unsupported, "not a GGUF", "GG"), QString());
  }

  void refuses_every_truncation() {
    GgufWriter writer;
    writer.add_string("name", "x");
    writer.add_strings("texts", {"a", "bc"});
    writer.add_tensor("t", {4, 2}, kF32, std::string(32, 't'));
    const std::string good = writer.bytes();
    QCOMPARE(parse(good).tensors().size(), std::size_t{1});
    for (std::size_t size = 0; size < good.size(); ++size) {
      QVERIFY2(error_of([&] { parse(good.substr(0, size)); }).has_value(), qPrintable(QString::number(size)));
    }
  }

  void refuses_counts_that_lie() {
    for (const std::uint64_t extra : {std::uint64_t{1} << 20, std::uint64_t{1} << 60, UINT64_MAX - 1}) {
      GgufWriter tensors, pairs;
      tensors.extra_tensors = extra;
      pairs.extra_pairs = extra;
      QCOMPARE(refused("more than the file can hold", tensors), QString());
      QCOMPARE(refused("more than the file can hold", pairs), QString());
      for (const std::uint32_t type : {0u, 5u, 8u, 12u}) {
        GgufWriter array;
        array.add_pair("a", 9, GgufWriter::raw(type) + GgufWriter::raw(extra) + std::string(64, '\0'));
        QCOMPARE(refused("more than the file can hold", array), QString());
      }
      GgufWriter text;
      text.add_pair("s", 8, GgufWriter::raw(extra) + "abc");
      QCOMPARE(refused("needs", text), QString());
    }
    GgufWriter one_more;
    one_more.add_string("padding", std::string(100, 'x'));
    one_more.extra_tensors = 1;
    QVERIFY(error_of([&] { parse(one_more.bytes()); }).has_value());
  }

  void refuses_broken_pairs() {
    GgufWriter twice, unknown, boolean, empty;
    twice.add_int("k", 1);
    twice.add_int("k", 1);
    unknown.add_pair("k", 13, std::string(8, '\0'));
    boolean.add_pair("k", 7, "\x02");
    empty.add_int("", 1);
    QCOMPARE(refused("twice", twice), QString());
    QCOMPARE(refused("unknown type 13", unknown), QString());
    QCOMPARE(refused("neither 0 nor 1", boolean), QString());
    QCOMPARE(refused("empty key", empty), QString());
    GgufWriter nested;
    nested.add_pair("k", 9,
                    GgufWriter::raw<std::uint32_t>(9) + GgufWriter::raw<std::uint64_t>(1) + std::string(64, '\0'));
    QCOMPARE(refused(Fault::Unsupported, "array of arrays", nested.bytes()), QString());
  }

  void refuses_broken_tensors() {
    const auto one = [](const std::vector<std::int64_t>& shape, std::uint32_t type, std::uint64_t offset) {
      GgufWriter writer;
      writer.add_tensor("ok", {8}, kF32, std::string(32, 'x'));
      writer.add_tensor_at("t", shape, type, offset);
      return writer;
    };
    QCOMPARE(refused("overlap", one({8}, kF32, 0)), QString());
    QCOMPARE(refused("past the end", one({8}, kF32, 32)), QString());
    QCOMPARE(refused("past the end", one({8}, kF32, UINT64_MAX - 31)), QString());
    QCOMPARE(refused("not aligned", one({1}, kF32, 4)), QString());
    QCOMPARE(refused("zero or overflows", one({0}, kF32, 0)), QString());
    QCOMPARE(refused("zero or overflows", one({-1}, kF32, 0)), QString());
    QCOMPARE(refused("zero or overflows", one({INT64_MAX, 3}, kF32, 0)), QString());
    QCOMPARE(refused("too large", one({std::int64_t{1} << 62}, kF32, 0)), QString());
    QCOMPARE(refused("0 dimensions", one({}, kF32, 0)), QString());
    QCOMPARE(refused("5 dimensions", one({1, 1, 1, 1, 1}, kF32, 0)), QString());
    QCOMPARE(refused("whole blocks of Q4_0", one({33}, kQ4_0, 0)), QString());
    QCOMPARE(refused("whole blocks of Q4_K", one({128}, kQ4_K, 0)), QString());
    for (const std::uint32_t type : {4u, 16u, 24u, 28u, 40u, UINT32_MAX}) {
      const std::string name = "has the type " + ggml_type_name(type);
      QCOMPARE(refused(Fault::Unsupported, name.c_str(), one({8}, type, 0).bytes()), QString());
    }
    GgufWriter twice;
    twice.add_tensor("t", {8}, kF32, std::string(32, 'x'));
    twice.add_tensor("t", {8}, kF32, std::string(32, 'x'));
    QCOMPARE(refused("twice", twice), QString());
  }

  void refuses_an_alignment_that_is_no_power_of_two() {
    for (const std::uint32_t alignment : {0u, 3u, 33u, 96u, UINT32_MAX}) {
      GgufWriter writer;
      writer.add_int("general.alignment", alignment);
      QCOMPARE(refused("power of two", writer), QString());
    }
    GgufWriter text;
    text.add_string("general.alignment", "32");
    QCOMPARE(refused("not an integer", text), QString());
  }

  void refuses_what_is_not_a_readable_file() {
    const TempDir folder;
    write_bytes(folder.file("empty.gguf"), "");
    const auto refused_at = [](Fault fault, const std::string& path) {
      return QString::fromStdString(unlike(fault, path, [&] { GgufFile::open(path); }));
    };
    QCOMPARE(refused_at(Fault::BadInput, folder.file("empty.gguf")), QString());
    QCOMPARE(refused_at(Fault::Io, folder.file("missing.gguf")), QString());
    QCOMPARE(refused_at(Fault::Io, folder.path().string()), QString());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GgufTest>};
#include "gguf_test.moc"
