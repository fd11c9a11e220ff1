// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and ids from files and standard input: what is accepted comes through byte for byte, the rest is refused with
// the file's name, the place and advice.
#include "engine/data/text_source.h"

#include <unistd.h>

#include <QStringDecoder>
#include <QTest>
#include <cstdio>

#include "engine/formats/npy.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class TextSourceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_texts_byte_for_byte();
  void drops_a_byte_order_mark();
  void reads_wide_encodings_data();
  void reads_wide_encodings();
  void keeps_utf8_with_controls();
  void refuses_texts_data();
  void refuses_texts();
  void refuses_what_is_no_file();
  void reads_standard_input();
  void judges_utf8_as_qt_does();
  void takes_every_code_point();
  void takes_characters_as_they_complete();
  void reads_ids();
  void reads_numpy_ids_of_one_text();
  void refuses_ids_data();
  void refuses_ids();
};

void TextSourceTest::reads_texts_byte_for_byte() {
  const TempDir folder;
  RandomText texts(1);
  for (int i = 0; i < 50; ++i) {
    const std::string text = texts.next(2000).append("x");
    write_bytes(folder.file("text"), text);
    QCOMPARE(read_text(folder.file("text")), text);
  }
}

void TextSourceTest::drops_a_byte_order_mark() {
  const TempDir folder;
  write_bytes(folder.file("text"), "\uFEFFhello\uFEFF");
  QCOMPARE(read_text(folder.file("text")), std::string("hello\uFEFF"));
}

void TextSourceTest::reads_wide_encodings_data() {
  QTest::addColumn<QString>("text");
  QTest::newRow("English") << QStringLiteral("Hello world.\r\nA second line.\n");
  QTest::newRow("one letter") << QStringLiteral("A");
  QTest::newRow("German") << QStringLiteral("Grüße aus Köln – „schön“ …\n");
  QTest::newRow("Russian") << QStringLiteral("Привет, мир! Это текст.\n");
  QTest::newRow("a word") << QStringLiteral("Привет");
  QTest::newRow("Greek") << QStringLiteral("Γειά σου Κόσμε");
  QTest::newRow("Hebrew") << QStringLiteral("שלום עולם");
  QTest::newRow("Arabic") << QStringLiteral("مرحبا بالعالم هذا نص");
  QTest::newRow("Hindi") << QStringLiteral("नमस्ते दुनिया। यह एक पाठ है।");
  QTest::newRow("Thai") << QStringLiteral("สวัสดีชาวโลก นี่คือข้อความ");
  QTest::newRow("Chinese") << QStringLiteral("今天天气很好,我们去公园玩吧。第二句话在这里。");
  QTest::newRow("Japanese") << QStringLiteral("今日は、いい天気です。カーソル");
  QTest::newRow("Korean") << QStringLiteral("안녕하세요 세계 오늘은 좋은 날입니다");
  QTest::newRow("beyond 16 bits") << QStringLiteral("Hi 😀 there 𝕏");
  QTest::newRow("emoji") << QStringLiteral("🙂🙃😀").repeated(9);
  QTest::newRow("rare Chinese") << QStringLiteral("𠀀𠀁𠀂");
  QTest::newRow("a private character") << QStringLiteral("\uE000 powerline");
  QTest::newRow("full-width marks") << QStringLiteral("你好，世界！今天（星期一）天气好吗？");
  QTest::newRow("a flag of tags") << QStringLiteral("🏴󠁧󠁢󠁥󠁮󠁧󠁿 won");
}

void TextSourceTest::reads_wide_encodings() {
  QFETCH(QString, text);
  const TempDir folder;
  for (const bool marked : {true, false}) {
    for (const auto encoding : {QStringConverter::Utf16LE, QStringConverter::Utf16BE, QStringConverter::Utf32LE,
                                QStringConverter::Utf32BE, QStringConverter::Utf8}) {
      QStringEncoder encoder(encoding, marked ? QStringConverter::Flag::WriteBom : QStringConverter::Flag::Default);
      const QByteArray bytes = encoder(text);
      write_bytes(folder.file("text"), bytes.toStdString());
      QCOMPARE(QString::fromStdString(read_text(folder.file("text"))), text);
    }
  }
}

void TextSourceTest::keeps_utf8_with_controls() {
  const TempDir folder;
  for (const std::string& text : {std::string("abc\x01"
                                              "def\0xy",
                                              10),
                                  std::string("\x1b[1mbold\x1b[0m"), std::string("a\fb\vc\x7f")}) {
    write_bytes(folder.file("text"), text);
    QCOMPARE(read_text(folder.file("text")), text);
  }
}

void TextSourceTest::refuses_texts_data() {
  QTest::addColumn<QByteArray>("contents");
  QTest::addColumn<QByteArray>("problem");
  QTest::newRow("empty") << QByteArray() << QByteArray("is empty");
  QTest::newRow("only a mark") << QByteArray("\xEF\xBB\xBF") << QByteArray("is empty");
  QTest::newRow("Latin-1") << QByteArray("caf\xE9 noir") << QByteArray("at byte 3");
  QTest::newRow("cut character") << QByteArray("abc\xE2\x82") << QByteArray("at byte 3");
  QTest::newRow("surrogate") << QByteArray("a\xED\xA0\x80") << QByteArray("at byte 1");
  QTest::newRow("overlong") << QByteArray("\xC0\x80") << QByteArray("at byte 0");
  QTest::newRow("beyond U+10FFFF") << QByteArray("ab\xF4\x90\x80\x80") << QByteArray("at byte 2");
  QTest::newRow("cut UTF-16") << QByteArray("\xFF\xFEH\0i", 5) << QByteArray("not valid UTF-16 at byte 4");
  QTest::newRow("half a surrogate") << QByteArray("\xFE\xFF\xD8\0\0a", 6) << QByteArray("not valid UTF-16 at byte 2");
  QTest::newRow("beyond in UTF-32") << QByteArray("\0\0\xFE\xFF\0\x11\0\0", 8)
                                    << QByteArray("not valid UTF-32 at byte 4");
  QTest::newRow("a mark alone") << QByteArray("\xFF\xFE") << QByteArray("is empty");
  QTest::newRow("cut UTF-16 without a mark") << QByteArray("H\0e\0l\0l", 7) << QByteArray("damaged UTF-16");
}

void TextSourceTest::refuses_texts() {
  QFETCH(QByteArray, contents);
  QFETCH(QByteArray, problem);
  const TempDir folder;
  const std::string path = folder.file("bad.txt");
  write_bytes(path, contents.toStdString());
  const auto error = error_of([&] { read_text(path); });
  QVERIFY(error.has_value());
  QCOMPARE(error->fault(), Fault::BadInput);
  QCOMPARE(error->where(), path);
  QVERIFY2(error->problem().find(problem.toStdString()) != std::string::npos, error->what());
  QVERIFY(!error->advice().empty());
  const bool perhaps_wide = problem.startsWith("at byte");
  QVERIFY(!perhaps_wide || error->advice().find("-f UTF-16LE") != std::string::npos);
}

void TextSourceTest::refuses_what_is_no_file() {
  const TempDir folder;
  const std::string here = folder.path().string();
  QCOMPARE(unlike(Fault::Io, here, [&] { read_text(here); }), std::string());
  QCOMPARE(unlike(Fault::Io, "folder", [&] { read_text(here); }), std::string());
  QCOMPARE(unlike(Fault::Io, "missing.txt", [&] { read_text(folder.file("missing.txt")); }), std::string());
  QCOMPARE(unlike(Fault::Io, "folder", [&] { read_ids(here, 10); }), std::string());
  if (geteuid() == 0) return;  // root may read everything
  write_bytes(folder.file("secret"), "text");
  std::filesystem::permissions(folder.file("secret"), std::filesystem::perms::none);
  QCOMPARE(unlike(Fault::Io, "secret", [&] { read_text(folder.file("secret")); }), std::string());
}

void TextSourceTest::reads_standard_input() {
  const TempDir folder;
  write_bytes(folder.file("text"), "from a pipe\n");
  QVERIFY(std::freopen(folder.file("text").c_str(), "rb", stdin) != nullptr);
  QCOMPARE(read_text("-"), std::string("from a pipe\n"));
  write_bytes(folder.file("empty"), "");
  QVERIFY(std::freopen(folder.file("empty").c_str(), "rb", stdin) != nullptr);
  QCOMPARE(unlike(Fault::BadInput, "standard input", [] { read_text("-"); }), std::string());
}

void TextSourceTest::judges_utf8_as_qt_does() {
  RandomText texts(2);
  int broken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = texts.next(6);
    for (std::size_t edits = texts.below(3); edits > 0 && !text.empty(); --edits) {
      text[texts.below(text.size())] = static_cast<char>(texts.below(256));
    }
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decoder(QByteArrayView(text));
    const bool valid = first_invalid_utf8(text) == text.size();
    QCOMPARE(valid, !decoder.hasError());
    broken += valid ? 0 : 1;
    std::string pending = text;
    const std::string shown = take_utf8(pending, true);
    QVERIFY(pending.empty());
    QCOMPARE(first_invalid_utf8(shown), shown.size());
    QCOMPARE(shown == text, valid);
  }
  QVERIFY(broken > 1000);
}

void TextSourceTest::takes_every_code_point() {
  for (char32_t code = 0; code < 0x110000; ++code) {
    const std::string text = utf8_of(code);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (first_invalid_utf8(text) != (surrogate ? 0 : text.size())) QFAIL(qPrintable(QString::number(code, 16)));
  }
}

void TextSourceTest::takes_characters_as_they_complete() {
  RandomText texts(3);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = texts.next();
    std::string pending, shown;
    for (const char byte : text) {
      pending += byte;
      shown += take_utf8(pending, false);
      QCOMPARE(first_invalid_utf8(shown), shown.size());
      QVERIFY(pending.size() < 4);
    }
    QVERIFY(pending.empty());
    QCOMPARE(shown, text);
  }
}

void TextSourceTest::reads_ids() {
  const TempDir folder;
  write_bytes(folder.file("ids.json"), " [0, 7,\n99]\n");
  QCOMPARE(read_ids(folder.file("ids.json"), 100), (std::vector<std::int32_t>{0, 7, 99}));
}

void TextSourceTest::reads_numpy_ids_of_one_text() {
  const TempDir folder;
  const std::string path = folder.file("ids.npy");
  const auto store = [&](const char* type, std::vector<std::int64_t> shape, const std::string& bytes) {
    write_bytes(path, npy_bytes({{{"", type}}, std::move(shape), bytes}));
  };
  const std::string words("\x07\0\x63\0", 4);
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{2}, {1, 2}}) {
    store("<u2", shape, words);
    QCOMPARE(read_ids(path, 100), (std::vector<std::int32_t>{7, 99}));
  }
  store("<u2", {2, 1}, words);
  QCOMPARE(unlike(Fault::BadInput, "a batch of 2 × 1 numbers", [&] { read_ids(path, 100); }), std::string());
  store("<u2", {1, 1, 2}, words);
  QCOMPARE(unlike(Fault::BadInput, "a batch of 1 × 1 × 2 numbers", [&] { read_ids(path, 100); }), std::string());
  store("<u4", {}, words);
  QCOMPARE(unlike(Fault::BadInput, "one number", [&] { read_ids(path, 100); }), std::string());
  store("<i8", {1}, std::string("\0\0\0\0\1\0\0\0", 8));
  QCOMPARE(unlike(Fault::BadInput, "entry 0 is 4294967296, not an id", [&] { read_ids(path, 100); }), std::string());
  store("<i2", {1}, "\xff\xff");
  QCOMPARE(unlike(Fault::BadInput, "entry 0 is -1, not an id", [&] { read_ids(path, 100); }), std::string());
  store("<f8", {1}, std::string(8, '\0'));
  QCOMPARE(unlike(Fault::BadInput, "not whole numbers", [&] { read_ids(path, 100); }), std::string());
}

void TextSourceTest::refuses_ids_data() {
  QTest::addColumn<QByteArray>("contents");
  QTest::addColumn<QByteArray>("problem");
  QTest::newRow("too large") << QByteArray("[1, 100]") << QByteArray("entry 1 is 100");
  QTest::newRow("negative") << QByteArray("[-1]") << QByteArray("entry 0 is -1");
  QTest::newRow("fraction") << QByteArray("[1, 2, 3.5]") << QByteArray("entry 2 is 3.5");
  QTest::newRow("huge") << QByteArray("[18446744073709551615]") << QByteArray("entry 0");
  QTest::newRow("beyond 64 bits") << QByteArray("[99999999999999999999999]") << QByteArray("entry 0");
  QTest::newRow("text") << QByteArray("[\"7\"]") << QByteArray("entry 0");
  QTest::newRow("nested") << QByteArray("[[7]]") << QByteArray("entry 0");
  QTest::newRow("batch") << QByteArray("[[1, 2], [3]]") << QByteArray("entry 0 is a list: a batch");
  QTest::newRow("archive") << QByteArray("PK\x03\x04") << QByteArray("archive");
  QTest::newRow("object") << QByteArray("{\"ids\": [7]}") << QByteArray("not a JSON array");
  QTest::newRow("none") << QByteArray("[]") << QByteArray("no ids");
  QTest::newRow("cut") << QByteArray("[1, 2") << QByteArray("JSON");
  QTest::newRow("empty") << QByteArray() << QByteArray("JSON");
}

void TextSourceTest::refuses_ids() {
  QFETCH(QByteArray, contents);
  QFETCH(QByteArray, problem);
  const TempDir folder;
  const std::string path = folder.file("ids.json");
  write_bytes(path, contents.toStdString());
  QCOMPARE(unlike(Fault::BadInput, path, [&] { read_ids(path, 100); }), std::string());
  QCOMPARE(unlike(Fault::BadInput, problem.toStdString(), [&] { read_ids(path, 100); }), std::string());
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TextSourceTest>};
#include "text_source_test.moc"
