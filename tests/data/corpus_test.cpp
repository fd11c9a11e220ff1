// SPDX-License-Identifier: GPL-3.0-or-later
// Texts to train on: which files are read, what is refused, the cache of tokens, the held-out part, the order of
// samples.
#include "engine/data/corpus.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/data/token_cache.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const Tokenizer> demo_tokens() {
  static const auto tokenizer = Tokenizer::load(demo_folder().string());
  return tokenizer;
}

/// A tokenizer that counts what it is asked for.
class Counting : public Tokenizer {
 public:
  std::int64_t vocabulary() const override { return demo_tokens()->vocabulary(); }
  std::optional<std::int32_t> bos() const override { return {}; }
  std::optional<std::int32_t> eos() const override { return {}; }
  std::vector<std::int32_t> encode(std::string_view text, bool special) const override {
    calls += text.starts_with("Chapter") ? 1 : 0;  // leaves the cache's probes out
    return demo_tokens()->encode(text, special);
  }
  std::string bytes(std::int32_t id) const override { return demo_tokens()->bytes(id); }
  std::string decode(std::span<const std::int32_t> ids) const override { return demo_tokens()->decode(ids); }
  mutable int calls = 0;
};

Corpus read(const CorpusRequest& request, const Tokenizer& tokenizer = *demo_tokens(),
            const CorpusProgress& progress = {}) {
  RunControl control;
  return read_corpus(request, tokenizer, progress, control);
}

std::string refusal(const CorpusRequest& request, const std::string& part, Fault fault = Fault::BadInput) {
  return unlike(fault, part, [&] { read(request); });
}

std::vector<std::string> sources(const std::vector<Document>& documents) {
  std::vector<std::string> names;
  for (const Document& document : documents) names.push_back(fs::path(document.source).filename().string());
  return names;
}

}  // namespace

class CorpusTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void reads_texts_as_the_tokenizer_does();
  void folders_are_walked_in_order();
  void lines_are_documents();
  void ids_are_taken_as_they_are();
  void refuses_data();
  void refuses();
  void refuses_what_is_not_there();
  void bad_lines_are_named();
  void the_cache_saves_tokenising();
  void a_damaged_entry_is_made_anew();
  void the_cache_tells_tokenizers_and_kinds_apart();
  void a_cache_that_cannot_be_written_is_reported();
  void a_stop_is_heard();
  void progress_rises_to_one();
  void the_end_of_one_document_is_held_out();
  void whole_documents_are_held_out();
  void never_more_than_half_is_held_out();
  void the_hash_tells_corpora_apart();
};

void CorpusTest::reads_texts_as_the_tokenizer_does() {
  const TempDir folder;
  const std::string text = read_bytes(demo_folder() / "text.txt");
  write_bytes(folder.file("book.txt"), text);
  const Corpus corpus = read({{folder.file("book.txt")}, "text", 0, ""});
  QCOMPARE(corpus.train.size(), std::size_t{1});
  QVERIFY(corpus.train[0].ids == demo_tokens()->encode(text));
  QVERIFY(corpus.held_out.empty() && corpus.held_out_tokens() == 0);
  QCOMPARE(corpus.train_tokens(), std::ssize(corpus.train[0].ids));
  QCOMPARE(corpus.hash.size(), std::size_t{16});
}

void CorpusTest::folders_are_walked_in_order() {
  const TempDir folder;
  fs::create_directories(folder.path() / "b" / ".git");
  fs::create_directories(folder.path() / "a");
  for (const char* name : {"z.txt", "b/y.MD", "b/plain", "a/x.txt", "b/.hidden.txt", "b/.git/config", "b/image.png"})
    write_bytes(folder.path() / name, "Some text.");
  write_bytes(folder.path() / "empty.txt", "");
  write_bytes(folder.path() / "more.json", "[1, 2, 3]");
  const Corpus corpus = read({{folder.path().string()}, "text", 0, ""});
  const std::vector<std::string> expected{"x.txt", "plain", "y.MD", "more.json", "z.txt"};
  QVERIFY(sources(corpus.train) == expected);
}

void CorpusTest::lines_are_documents() {
  const TempDir folder;
  write_bytes(folder.file("texts.jsonl"),
              "{\"body\": \"One line.\", \"other\": 1}\n\n{\"body\": \"Ein \\u00fc.\"}\r\n{\"body\": \"\"}\n{\"body\": "
              "\"Last\"}");
  const Corpus corpus = read({{folder.file("texts.jsonl")}, "body", 0, ""});
  QVERIFY(sources(corpus.train) == std::vector<std::string>({"texts.jsonl:1", "texts.jsonl:3", "texts.jsonl:5"}));
  QCOMPARE(demo_tokens()->decode(corpus.train[1].ids), std::string("Ein ü."));
}

void CorpusTest::ids_are_taken_as_they_are() {
  const TempDir folder;
  write_bytes(folder.file("one.json"), "[5, 6, 7]");
  write_bytes(folder.file("several.json"), "[[1, 2], [], [3]]");
  const Corpus corpus = read({{folder.file("one.json"), folder.file("several.json")}, "text", 0, ""});
  QVERIFY(sources(corpus.train) == std::vector<std::string>({"one.json", "several.json[0]", "several.json[2]"}));
  QVERIFY(corpus.train[0].ids == std::vector<std::int32_t>({5, 6, 7}));
  QVERIFY(corpus.train[2].ids == std::vector<std::int32_t>({3}));
}

void CorpusTest::refuses_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("contents");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* title, const char* name, const char* contents, const char* part) {
    QTest::newRow(title) << QString(name) << QByteArray(contents) << QString(part);
  };
  row("empty", "a.txt", "", "a.txt: is empty");
  row("Latin-1", "a.txt", "caf\xE9 noir", "a.txt");
  row("one token", "a.json", "[1]", "a.json: holds fewer than two tokens");
  row("no array", "a.json", "{\"ids\": [1, 2]}", "is not a JSON array of token ids");
  row("a negative id", "a.json", "[1, -2]", "entry 1 is -2, not an id");
  row("an id too large", "a.json", "[1, 2, 4000000000]", "entry 2 is 4000000000");
  row("a half", "a.json", "[[1, 2], [1.5]]", "a.json[1]: entry 0 is 1.5");
  row("mixed", "a.json", "[[1, 2], 3]", "a.json[1]: is not an array");
  row("broken JSON", "a.json", "[1, 2", "a.json: is not valid JSON");
}

void CorpusTest::refuses() {
  QFETCH(QString, name);
  QFETCH(QByteArray, contents);
  QFETCH(QString, part);
  const TempDir folder;
  write_bytes(folder.path() / name.toStdString(), contents.toStdString());
  const std::string wrong = refusal({{folder.file(name.toStdString())}, "text", 0, ""}, part.toStdString());
  QVERIFY2(wrong.empty(), wrong.c_str());
}

void CorpusTest::refuses_what_is_not_there() {
  const TempDir folder;
  QCOMPARE(refusal({{}, "text", 0, ""}, "data: names no text"), std::string());
  QCOMPARE(refusal({{folder.file("none.txt")}, "text", 0, ""}, "none.txt: does not exist", Fault::Io), std::string());
  QCOMPARE(refusal({{folder.path().string()}, "text", 0, ""}, "holds no text"), std::string());
  write_bytes(folder.file("image.png"), "x");
  write_bytes(folder.file("empty.txt"), "");
  QCOMPARE(refusal({{folder.path().string()}, "text", 0, ""}, "holds no text"), std::string());
}

void CorpusTest::bad_lines_are_named() {
  const TempDir folder;
  const std::string path = folder.file("texts.jsonl");
  for (const auto& [line, part] :
       std::map<std::string, std::string>{{"[1]", "is not a JSON object"},
                                          {"{\"txt\": \"a\"}", "has no field text"},
                                          {"{\"text\": 5}", "its field text is not a string"},
                                          {"{\"text\": ", "is not valid JSON"},
                                          {"{\"text\": \"\xFF\"}", "8"}}) {
    write_bytes(path, "{\"text\": \"fine\"}\n\n" + line + "\n");
    const std::string wrong = refusal({{path}, "text", 0, ""}, part);
    QVERIFY2(wrong.empty(), wrong.c_str());
    const std::string unnamed = refusal({{path}, "text", 0, ""}, line.find('\xFF') == line.npos ? path + ":3" : path);
    QVERIFY2(unnamed.empty(), unnamed.c_str());
  }
}

void CorpusTest::the_cache_saves_tokenising() {
  const TempDir folder;
  const std::string cache = folder.file("cache/deep");
  write_bytes(folder.file("a.txt"), "Chapter one. It was.");
  write_bytes(folder.file("b.jsonl"), "{\"text\": \"Chapter two.\"}\n{\"text\": \"Chapter three.\"}\n");
  const CorpusRequest request{{folder.file("a.txt"), folder.file("b.jsonl")}, "text", 0, cache};
  const Counting tokenizer;
  const Corpus first = read(request, tokenizer);
  QCOMPARE(tokenizer.calls, 3);
  const Corpus second = read(request, tokenizer);
  QCOMPARE(tokenizer.calls, 3);
  QCOMPARE(second.hash, first.hash);
  QVERIFY(sources(second.train) == sources(first.train));
  fs::rename(folder.file("a.txt"), folder.file("c.txt"));  // by content, not by name
  read({{folder.file("c.txt")}, "text", 0, cache}, tokenizer);
  QCOMPARE(tokenizer.calls, 3);
  write_bytes(folder.file("c.txt"), "Chapter one. It is.");
  read({{folder.file("c.txt")}, "text", 0, cache}, tokenizer);
  QCOMPARE(tokenizer.calls, 4);
  for (const auto& entry : fs::directory_iterator(cache))
    QCOMPARE(entry.path().extension().string(), std::string(".ids"));
}

/// Whatever byte of an entry is changed, wherever it is cut: the text is tokenised again, to the same ids.
void CorpusTest::a_damaged_entry_is_made_anew() {
  const TempDir folder(fast_parent());
  const TokenCache cache(folder.file("cache"), *demo_tokens());
  const std::vector<TokenCache::Entry> entries{{1, {1, 2, 3}}, {4, {}}, {9, {4}}};
  const std::string key = cache.key("the text", "text");
  QVERIFY(!cache.find(key));
  cache.store(key, entries);
  QVERIFY(cache.find(key) == entries);
  const std::string whole = read_bytes(cache.path(key));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write_bytes(cache.path(key), damaged);
    QVERIFY2(!cache.find(key), qPrintable(QString("byte %1").arg(i)));
    write_bytes(cache.path(key), whole.substr(0, i));
    QVERIFY2(!cache.find(key), qPrintable(QString("cut at %1").arg(i)));
  }
  write_bytes(cache.path(key), whole + "x");
  QVERIFY(!cache.find(key));
  cache.store(key, entries);
  QVERIFY(cache.find(key) == entries);
}

void CorpusTest::the_cache_tells_tokenizers_and_kinds_apart() {
  const TempDir folder;
  const TokenCache cache(folder.file("cache"), *demo_tokens());
  std::set<std::string> keys{cache.key("text", "text"), cache.key("text", "jsonl text"),
                             cache.key("text", "jsonl body"), cache.key("text ", "text")};
  write_bytes(folder.file("tokenizer.model"), make_sentencepiece(SmallPieces()));
  const auto pieces = Tokenizer::load(folder.path().string());
  keys.insert(TokenCache(folder.file("cache"), *pieces).key("text", "text"));
  fs::remove(folder.file("tokenizer.model"));
  nlohmann::json other = demo_tokenizer();  // the same vocabulary, never merged
  other["model"]["merges"] = nlohmann::json::array();
  write_bytes(folder.file("tokenizer.json"), other.dump());
  keys.insert(TokenCache(folder.file("cache"), *Tokenizer::load(folder.path().string())).key("text", "text"));
  QCOMPARE(keys.size(), std::size_t{6});
}

void CorpusTest::a_cache_that_cannot_be_written_is_reported() {
  const TempDir folder;
  write_bytes(folder.file("a.txt"), "Chapter one.");
  write_bytes(folder.file("file"), "");
  std::string reported;
  const Corpus corpus = read({{folder.file("a.txt")}, "text", 0, folder.file("file/cache")}, *demo_tokens(),
                             [&](double, const std::string& what) { reported += what + "\n"; });
  QVERIFY(corpus.train_tokens() > 2);
  QVERIFY2(reported.find("not cached: ") != std::string::npos, reported.c_str());
}

void CorpusTest::a_stop_is_heard() {
  const TempDir folder;
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) write_bytes(folder.file(name), "Chapter one.");
  RunControl control;
  const Counting tokenizer;
  const auto stop = [&](double fraction, const std::string&) {
    if (fraction > 0) control.request_stop();
  };
  const auto error = error_of([&] {
    read_corpus({{folder.path().string()}, "text", 0, ""}, tokenizer, stop, control);
  });
  QVERIFY(error && error->fault() == Fault::Cancelled);
  QCOMPARE(tokenizer.calls, 2);
}

void CorpusTest::progress_rises_to_one() {
  const TempDir folder;
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) write_bytes(folder.file(name), "Chapter one.");
  std::vector<double> seen;
  read({{folder.path().string()}, "text", 0, ""}, *demo_tokens(),
       [&](double fraction, const std::string&) { seen.push_back(fraction); });
  QVERIFY(std::is_sorted(seen.begin(), seen.end()) && seen.size() >= 4);
  QVERIFY(seen.front() == 0 && seen.back() == 1);
}

void CorpusTest::the_end_of_one_document_is_held_out() {
  const TempDir folder;
  nlohmann::json ids = nlohmann::json::array();
  for (int i = 0; i < 200; ++i) ids.push_back(i);
  write_bytes(folder.file("ids.json"), ids.dump());
  const Corpus corpus = read({{folder.file("ids.json")}, "text", 0.25, ""});
  QCOMPARE(corpus.train_tokens(), 150);
  QCOMPARE(corpus.held_out_tokens(), 50);
  QCOMPARE(corpus.train[0].ids.back(), 149);
  QCOMPARE(corpus.held_out[0].ids.front(), 150);
  QCOMPARE(read({{folder.file("ids.json")}, "text", 0.001, ""}).held_out_tokens(), 0);  // one token predicts nothing
}

void CorpusTest::whole_documents_are_held_out() {
  const TempDir folder;
  nlohmann::json lists = nlohmann::json::array();
  for (int i = 0; i < 10; ++i) lists.push_back(std::vector<int>(10, i));
  write_bytes(folder.file("ids.json"), lists.dump());
  for (const auto& [fraction, documents] :
       std::map<double, std::size_t>{{0.05, 1}, {0.1, 1}, {0.11, 2}, {0.3, 3}, {0.5, 5}}) {
    const Corpus corpus = read({{folder.file("ids.json")}, "text", fraction, ""});
    QCOMPARE(corpus.held_out.size(), documents);
    QCOMPARE(corpus.train.size(), 10 - documents);
    QCOMPARE(corpus.held_out.back().ids[0], 9);
    QCOMPARE(corpus.train.back().ids[0], static_cast<int>(9 - documents));
  }
}

void CorpusTest::never_more_than_half_is_held_out() {
  const TempDir folder;
  write_bytes(folder.file("ids.json"),
              nlohmann::json::array({std::vector<int>(10, 1), std::vector<int>(90, 2)}).dump());
  for (double fraction : {0.05, 0.3, 0.9}) {
    const Corpus corpus = read({{folder.file("ids.json")}, "text", fraction, ""});
    QCOMPARE(corpus.train.size(), std::size_t{2});
    QCOMPARE(corpus.held_out_tokens(), std::min<std::int64_t>(45, static_cast<std::int64_t>(fraction * 100)));
    QCOMPARE(corpus.train_tokens() + corpus.held_out_tokens(), 100);
  }
}

void CorpusTest::the_hash_tells_corpora_apart() {
  const TempDir folder;
  std::set<std::string> hashes;
  for (const char* contents : {"[1, 2, 3, 4]", "[1, 2, 4, 3]", "[[1, 2], [3, 4]]", "[[1, 2, 3], [4]]"}) {
    write_bytes(folder.file("ids.json"), contents);
    for (double fraction : {0.0, 0.5}) hashes.insert(read({{folder.file("ids.json")}, "text", fraction, ""}).hash);
  }
  QCOMPARE(hashes.size(), std::size_t{7});  // half of one document is held out as the second of two would be
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CorpusTest>};
#include "corpus_test.moc"
