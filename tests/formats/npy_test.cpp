// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/npy.h"

#include <QTest>
#include <cmath>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::TempDir;
using carryover::test::unlike;

class NpyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// NumPy 1.x and 2.x write these bytes for np.save(f, np.array([[1, 2, 3], [4, 5, 6]], dtype='<i4')).
  void the_bytes_are_those_of_numpy() {
    const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6};
    std::string wanted("\x93NUMPY\x01\x00\x76\x00", 10);
    wanted += "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
    wanted.append(127 - wanted.size(), ' ');
    wanted += '\n';
    for (char value = 1; value <= 6; ++value) wanted += std::string({value, 0, 0, 0});
    QCOMPARE(npy_bytes(npy_array(std::span(values), {2, 3})), wanted);
  }

  void reads_back_what_was_written() {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{0}, {7}, {3, 5}, {2, 1, 4}, {3, 0}, std::vector<std::int64_t>{}}) {
      NpyArray array{{{"", "<f4"}}, shape, {}};
      std::vector<float> values(static_cast<std::size_t>(array.elements()));
      for (float& value : values) value = normal(random);
      const NpyArray read = npy_from_bytes(npy_bytes(npy_array(std::span<const float>(values), shape)), "memory");
      QCOMPARE(read.shape, shape);
      QCOMPARE(npy_floats(read, "memory"), values);
    }
  }

  /// np.array([1, 2, 300], dtype=…) and what np.lib.format.write_array writes of it, in each version of the format.
  void integers_of_any_width_and_version_are_read_data() {
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("one");
    QTest::addColumn<QByteArray>("large");
    QTest::addColumn<qint64>("value");
    const auto row = [](const char* type, const QByteArray& one, const QByteArray& large, qint64 value) {
      QTest::newRow(type) << QByteArray(type) << one << large << value;
    };
    row("|i1", QByteArray::fromHex("01"), QByteArray::fromHex("80"), -128);
    row("|u1", QByteArray::fromHex("01"), QByteArray::fromHex("ff"), 255);
    row("<i2", QByteArray::fromHex("0100"), QByteArray::fromHex("2c01"), 300);
    row(">u2", QByteArray::fromHex("0001"), QByteArray::fromHex("ffff"), 65535);
    row("<i4", QByteArray::fromHex("01000000"), QByteArray::fromHex("ffffffff"), -1);
    row(">i4", QByteArray::fromHex("00000001"), QByteArray::fromHex("0001e240"), 123456);
    row("<u4", QByteArray::fromHex("01000000"), QByteArray::fromHex("ffffffff"), 4294967295);
    row("<i8", QByteArray::fromHex("0100000000000000"), QByteArray::fromHex("0000000001000000"), 4294967296);
    row(">i8", QByteArray::fromHex("0000000000000001"), QByteArray::fromHex("fffffffffffffffe"), -2);
    row("<u8", QByteArray::fromHex("0100000000000000"), QByteArray::fromHex("ffffffffffffff7f"), INT64_MAX);
  }
  void integers_of_any_width_and_version_are_read() {
    QFETCH(QByteArray, type);
    QFETCH(QByteArray, one);
    QFETCH(QByteArray, large);
    QFETCH(qint64, value);
    const std::string header = "{'descr': '" + type.toStdString() + "', 'fortran_order': False, 'shape': (3,), }" +
                               std::string(60, ' ') + "\n";
    for (const char version : {1, 2, 3}) {
      std::string bytes("\x93NUMPY", 6);
      bytes += std::string({version, 0, static_cast<char>(header.size()), 0});
      if (version > 1) bytes += std::string(2, '\0');
      bytes += header + (one + large + one).toStdString();
      QCOMPARE(npy_integers(npy_from_bytes(bytes, "ids.npy"), "ids.npy"), (std::vector<std::int64_t>{1, value, 1}));
    }
  }

  void what_are_no_integers_is_refused() {
    const std::vector<float> floats{1, 2};
    QCOMPARE(unlike(Fault::BadInput, "holds '<f4', not whole numbers",
                    [&] { npy_integers(npy_array(std::span<const float>(floats), {2}), "ids.npy"); }),
             "");
    const NpyArray huge{{{"", "<u8"}}, {1}, std::string(8, '\xff')};
    QCOMPARE(unlike(Fault::BadInput, "entry 0 is 18446744073709551615", [&] { npy_integers(huge, "ids.npy"); }), "");
    const NpyArray record{{{"a", "<i4"}}, {1}, std::string(4, '\0')};
    QCOMPARE(unlike(Fault::BadInput, "'a'", [&] { npy_integers(record, "ids.npy"); }), "");
    std::string later = npy_bytes(huge);
    later[6] = 4;
    QCOMPARE(unlike(Fault::BadInput, "version 4", [&] { npy_from_bytes(later, "ids.npy"); }), "");
  }

  void records_keep_their_fields() {
    NpyRecords records({{"position", "<i8"}, {"kind", "|u1"}, {"score", "<f4"}});
    for (int i = 0; i < 5; ++i) {
      records.add(std::int64_t{1} << (10 * i));
      records.add(static_cast<std::uint8_t>(i % 3));
      records.add(0.5F * static_cast<float>(i));
    }
    const std::string bytes = npy_bytes(records.take());
    QVERIFY(bytes.find("[('position', '<i8'), ('kind', '|u1'), ('score', '<f4')]") != std::string::npos);
    const NpyArray read = npy_from_bytes(bytes, "memory");
    QCOMPARE(read.shape, std::vector<std::int64_t>{5});
    QCOMPARE(read.element_bytes(), std::int64_t{13});
    std::int64_t position = 0;
    std::memcpy(&position, read.bytes.data() + 4 * 13, sizeof position);
    QCOMPARE(position, std::int64_t{1} << 40);
    QCOMPARE(unlike(Fault::BadInput, "position", [&] { npy_floats(read, "memory"); }), "");
  }

  void a_growing_file_is_whole_after_each_row() {
    const TempDir temp;
    NpyFile file(temp.file("grows.npy"), {2, 3});
    std::vector<float> all;
    for (int row = 0; row < 12; ++row) {
      const NpyArray before = read_npy(temp.file("grows.npy"));
      QCOMPARE(before.shape, (std::vector<std::int64_t>{row, 2, 3}));
      QCOMPARE(npy_floats(before, "grows.npy"), all);
      std::vector<float> values;
      for (int i = 0; i < 6; ++i) values.push_back(static_cast<float>(10 * row + i));
      file.append(values);
      all.insert(all.end(), values.begin(), values.end());
    }
    file.finish();
    QCOMPARE(npy_floats(read_npy(temp.file("grows.npy")), "grows.npy"), all);
  }

  void reads_a_header_in_either_quotes() {
    const std::string header = R"({"descr": "<i4", "fortran_order": False, "shape": (1,)})";
    const std::string begin("\x93NUMPY\x01\x00", 8), length{static_cast<char>(header.size()), '\0'};
    const std::string data("\x07\0\0\0", 4);
    QCOMPARE(npy_ints(npy_from_bytes(begin + length + header + data, "ids.npy"), "ids.npy"),
             (std::vector<std::int32_t>{7}));
  }

  void broken_files_are_refused_data() {
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QByteArray>("part");
    QTest::newRow("Fortran order") << QByteArray("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }")
                                   << QByteArray("ascontiguousarray");
    QTest::newRow("big-endian") << QByteArray("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }")
                                << QByteArray(">f4");
    QTest::newRow("objects") << QByteArray("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }")
                             << QByteArray("astype(numpy.int32)");
    QTest::newRow("too few bytes") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }")
                                   << QByteArray("ends before");
    QTest::newRow("a product that overflows")
        << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }")
        << QByteArray("ends before");
    QTest::newRow("a negative size") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }")
                                     << QByteArray("not a number");
    QTest::newRow("no type") << QByteArray("{'fortran_order': False, 'shape': (1,), }") << QByteArray("no type");
    QTest::newRow("another key") << QByteArray("{'descr': '<f4', 'colour': 'red'}") << QByteArray("colour");
    QTest::newRow("cut") << QByteArray("{'descr': '<f4") << QByteArray("broken");
  }
  void broken_files_are_refused() {
    QFETCH(QByteArray, header);
    QFETCH(QByteArray, part);
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    bytes += header.toStdString() + std::string(4, '\0');
    QCOMPARE(unlike(Fault::BadInput, part.toStdString(), [&] { npy_from_bytes(bytes, "file.npy"); }), "");
    QCOMPARE(unlike(Fault::BadInput, "file.npy", [&] { npy_from_bytes(bytes.substr(0, 9), "file.npy"); }), "");
  }

  /// Any damage is an error or another array, never a crash: the sanitizers' preset runs this too.
  void damaged_files_never_crash() {
    const std::vector<float> values(24, 1.5F);
    const std::string good = npy_bytes(npy_array(std::span<const float>(values), {4, 6}));
    std::mt19937 random(11);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
      std::string bytes = good;
      const int changes = 1 + static_cast<int>(random() % 4);
      for (int change = 0; change < changes; ++change) bytes[random() % 100] = static_cast<char>(random());
      if (random() % 4 == 0) bytes.resize(random() % bytes.size());
      refused += test::error_of([&] { npy_from_bytes(bytes, "memory"); }).has_value();
    }
    QVERIFY(refused > 1000);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NpyTest>};
#include "npy_test.moc"
