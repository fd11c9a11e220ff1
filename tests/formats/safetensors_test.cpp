// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QTest>

#include "engine/formats/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

SafetensorsFile parse(const std::string& bytes) {
  return SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "x.safetensors");
}

QString refused(const char* part, const std::string& bytes) {
  return QString::fromStdString(unlike(Fault::BadInput, part, [&] { parse(bytes); }));
}

/// A file of 16 bytes of data whose header is this text.
std::string with_header(const std::string& header) {
  return safetensors_from_header(header, std::string(16, 'x'));
}

}  // namespace

class SafetensorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finds_each_tensor() {
    const std::vector<SafetensorsEntry> entries{{"a", "F32", {2, 3}, std::string(24, 'a')},
                                                {"b", "BF16", {5}, std::string(10, 'b')},
                                                {"empty", "F16", {0, 4}, ""},
                                                {"scalar", "I64", {}, std::string(8, 'c')}};
    const std::string bytes = make_safetensors(entries);
    const SafetensorsFile file = parse(bytes);
    QCOMPARE(file.tensors().size(), entries.size());
    for (const SafetensorsEntry& entry : entries) {
      const SafetensorsTensor* tensor = file.find(entry.name);
      QVERIFY(tensor != nullptr);
      QCOMPARE(tensor->dtype, entry.dtype);
      QVERIFY(tensor->shape == entry.shape);
      QVERIFY(std::string(reinterpret_cast<const char*>(tensor->data.data()), tensor->data.size()) == entry.bytes);
    }
    QVERIFY(file.find("a")->type == StorageType::F32 && file.find("b")->type == StorageType::BF16);
    QVERIFY(!file.find("scalar")->type && file.find("c") == nullptr);
  }

  void takes_other_names() {
    const std::string bytes =
        make_safetensors({{"a.x", "F32", {1}, "xxxx"}, {"a.y", "F32", {1}, "yyyy"}, {"b.x", "F32", {1}, "zzzz"}});
    const SafetensorsFile file = parse(bytes);
    const auto without_a = [](std::string_view name) {
      return name.starts_with("a.") ? std::optional(std::string(name.substr(2))) : std::nullopt;
    };
    const SafetensorsFile renamed = file.renamed(without_a);
    QCOMPARE(renamed.tensors().size(), std::size_t{2});
    QVERIFY(renamed.find("y")->data.data() == file.find("a.y")->data.data() && renamed.find("b.x") == nullptr);
    const auto last = [](std::string_view name) { return std::optional(std::string(name.substr(2))); };
    QCOMPARE(unlike(Fault::BadInput, "has the tensor x twice", [&] { file.renamed(last); }), std::string());
  }

  void refuses_a_wrong_length_of_the_header() {
    const std::string good = make_safetensors({{"a", "F32", {2, 2}, std::string(16, 'a')}});
    for (const std::size_t size : {0, 1, 7}) QCOMPARE(refused("too short", good.substr(0, size)), QString());
    QCOMPARE(refused("header claims", good.substr(0, 20)), QString());
    for (const std::uint64_t length : {std::uint64_t{good.size() - 7}, std::uint64_t{1} << 40, UINT64_MAX}) {
      std::string bytes = good;
      std::memcpy(bytes.data(), &length, 8);
      QCOMPARE(refused("header claims", bytes), QString());
    }
    QCOMPARE(refused("byte", with_header("{\"a\":")), QString());
    QCOMPARE(refused("byte", with_header("")), QString());
    QCOMPARE(refused("not a JSON object", with_header("[]")), QString());
  }

  void refuses_every_truncation() {
    const std::string good =
        make_safetensors({{"a", "F32", {2, 2}, std::string(16, 'a')}, {"b", "F16", {3}, std::string(6, 'b')}});
    for (std::size_t size = 0; size < good.size(); ++size)
      QCOMPARE(refused("x.safetensors", good.substr(0, size)), QString());
    QCOMPARE(refused("belong to no tensor", good + "x"), QString());
  }

  void refuses_offsets_that_do_not_tile_data() {
    const auto both = [](const char* a, const char* b) {
      return with_header(std::string(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":)") + a +
                         R"(},"b":{"dtype":"F32","shape":[2],"data_offsets":)" + b + "}}");
    };
    QVERIFY(parse(both("[0,8]", "[8,16]")).tensors().size() == 2);
    QVERIFY(parse(both("[8,16]", "[0,8]")).tensors().size() == 2);
    QCOMPARE(refused("overlaps", both("[0,8]", "[0,8]")), QString());
    QCOMPARE(refused("overlaps", both("[0,8]", "[4,12]")), QString());
    QCOMPARE(refused("ends at byte 24", both("[0,8]", "[16,24]")), QString());
    QCOMPARE(refused("data_offsets is not", both("[8,0]", "[8,16]")), QString());
    QCOMPARE(refused("data_offsets is not", both("[0]", "[8,16]")), QString());
    QCOMPARE(refused("data_offsets", both("[-8,0]", "[8,16]")), QString());
    QCOMPARE(refused("data_offsets", both("[0,18446744073709551615]", "[8,16]")), QString());
    QCOMPARE(refused("data_offsets", both("null", "[8,16]")), QString());
    QCOMPARE(refused("gap", with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})")), QString());
  }

  void refuses_shapes_and_types_that_do_not_fit() {
    const auto one = [](const char* dtype, const char* shape) {
      return with_header(std::string(R"({"a":{"dtype":)") + dtype + R"(,"shape":)" + shape +
                         R"(,"data_offsets":[0,16]}})");
    };
    QVERIFY(parse(one("\"F32\"", "[4]")).find("a") != nullptr);
    QCOMPARE(refused("need 12 bytes", one("\"F32\"", "[3]")), QString());
    QCOMPARE(refused("need 8 bytes", one("\"BF16\"", "[4]")), QString());
    QCOMPARE(refused("overflows", one("\"F32\"", "[4611686018427387904,4]")), QString());
    QCOMPARE(refused("overflows", one("\"F32\"", "[9223372036854775807,9223372036854775807]")), QString());
    QCOMPARE(refused("shape", one("\"F32\"", "[-4]")), QString());
    QCOMPARE(refused("shape", one("\"F32\"", "[4.0]")), QString());
    QCOMPARE(refused("F4", one("\"F4\"", "[4]")), QString());
    QCOMPARE(refused("dtype", one("7", "[4]")), QString());
    QCOMPARE(refused("not a JSON object", with_header(R"({"a":[]})")), QString());
  }

  void refuses_a_name_that_appears_twice() {
    const std::string entry = R"("a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]})";
    QCOMPARE(refused("twice", with_header("{" + entry + "," + entry + "}")), QString());
  }

  void refuses_what_is_not_a_readable_file() {
    const TempDir folder;
    const auto refused_at = [](Fault fault, const char* part, const std::string& path) {
      return QString::fromStdString(unlike(fault, part, [&] { SafetensorsFile::open(path); }));
    };
    QCOMPARE(refused_at(Fault::Io, "folder", folder.path().string()), QString());
    QCOMPARE(refused_at(Fault::Io, "opened", folder.file("missing")), QString());
    write_bytes(folder.file("empty"), "");
    QCOMPARE(refused_at(Fault::BadInput, "empty", folder.file("empty")), QString());
    QCOMPARE(mkfifo(folder.file("pipe").c_str(), 0600), 0);
    QCOMPARE(refused_at(Fault::Io, "not a regular file", folder.file("pipe")), QString());
    write_bytes(folder.file("secret"), "x");
    QCOMPARE(chmod(folder.file("secret").c_str(), 0), 0);
    if (geteuid() != 0) QCOMPARE(refused_at(Fault::Io, "Permission denied", folder.file("secret")), QString());
  }

  void keeps_contents_when_pages_are_released() {
    const TempDir folder;
    std::string bytes(1 << 20, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
    write_bytes(folder.file("data"), bytes);
    const auto file = MappedFile::open(folder.file("data"));
    for (const auto& [begin, count] : {std::pair(0, 1 << 20), {5000, 100000}, {4095, 2}, {100, 0}}) {
      file->release(file->bytes().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)));
      QVERIFY(std::memcmp(file->bytes().data(), bytes.data(), bytes.size()) == 0);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SafetensorsTest>};
#include "safetensors_test.moc"
