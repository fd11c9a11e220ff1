// SPDX-License-Identifier: GPL-3.0-or-later
// carryover-cli as its users see it, on the demo model: help, verbs other than run, and what it refuses.
#include <QRegularExpression>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::CliResult;
using carryover::test::json_of;
using carryover::test::run_cli;
using carryover::test::run_demo;
using carryover::test::TempDir;
using carryover::test::text;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

QStringList flags_in(const QByteArray& help) {
  QStringList flags;
  static const QRegularExpression flag("--[a-z][a-z-]+");
  auto matches = flag.globalMatch(QString::fromUtf8(help));
  while (matches.hasNext()) {
    const QString name = matches.next().captured();
    if (!flags.contains(name)) flags << name;
  }
  return flags;
}

/// Returns the completions that bash offers for the last of `words`.
QString complete(const QString& words) {
  const TempDir temp;
  test::write_bytes(temp.file("completion.bash"), run_cli({"completion", "bash"}).out.toStdString());
  QProcess bash;
  bash.start("bash", {"-c", "source " + text(temp.file("completion.bash")) + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _carryover; echo \"${COMPREPLY[*]}\""});
  bash.waitForFinished();
  return QString::fromUtf8(bash.readAllStandardOutput()).trimmed();
}

const QStringList kVerbs{"info",   "models", "fetch", "run",    "tokenize",   "generate",   "train", "audit",
                         "export", "heads",  "bench", "engine", "setup-cuda", "completion", "eval"};

}  // namespace

class CommandLineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void verbs_are_known();
  void help_teaches();
  void every_flag_is_documented_and_completed();
  void completion_scripts_parse();
  void the_window_s_flags_are_completed();
  void info_describes_the_demo();
  void tokenize_gives_the_ids_that_run_reads();
  void tokenize_gives_the_text_of_ids();
  void engine_describes_itself();
  void generate_streams_text();
  void generate_ends_at_any_end_token();
  void a_token_without_a_row_is_named();
  void generate_repeats_with_its_seed();
  void generate_answers_from_a_saved_state();
  void wrong_usage_exits_with_2_data();
  void wrong_usage_exits_with_2();
  void empty_paths_are_refused_by_every_option();
  void bad_settings_exit_with_3_data();
  void bad_settings_exit_with_3();
  void numbers_beyond_64_bits_are_refused();
  void bad_files_are_named_data();
  void bad_files_are_named();
  void a_full_standard_output_is_an_error();
  void an_engine_without_memory_is_told();
};

void CommandLineTest::verbs_are_known() {
  for (const QString& verb : kVerbs + QStringList{"--help", "-h", "--version"}) {
    QVERIFY(is_command_verb(verb.toStdString()));
  }
  for (const char* other : {"", "book.txt", "--style", "runs", "-"}) QVERIFY(!is_command_verb(other));
}

void CommandLineTest::help_teaches() {
  const CliResult help = run_cli({"--help"});
  QCOMPARE(help.code, 0);
  for (const QString& verb : kVerbs) {
    QVERIFY(help.out.contains(verb.toUtf8()));
    const CliResult of_verb = run_cli({verb, "--help"});
    QCOMPARE(of_verb.code, 0);
    QVERIFY(of_verb.out.contains("carryover " + verb.toUtf8()));  // an example
  }
  QVERIFY(help.out.contains("Exit codes"));
  QVERIFY(run_cli({"--version"}).out.startsWith("carryover "));
}

void CommandLineTest::every_flag_is_documented_and_completed() {
  std::string page = test::read_bytes(CARRYOVER_SOURCE_DIR "/docs/carryover.1");
  const QString manual = text(page).replace("\\-", "-");
  const QString bash = run_cli({"completion", "bash"}).out;
  const QString fish = run_cli({"completion", "fish"}).out;
  for (const QString& verb : kVerbs) {
    const QStringList flags = flags_in(run_cli({verb, "--help"}).out);
    QVERIFY(flags.contains("--help"));
    for (const QString& flag : flags) {
      const QRegularExpression whole(QRegularExpression::escape(flag) + "(?![a-z-])");
      QVERIFY2(manual.contains(whole), qPrintable(flag + " is not in the man page"));
      QVERIFY2(bash.contains(whole), qPrintable(flag + " is not completed by bash"));
      QVERIFY2(fish.contains("-l " + flag.mid(2)), qPrintable(flag + " is not completed by fish"));
    }
  }
}

void CommandLineTest::completion_scripts_parse() {
  QCOMPARE(complete("carryover ru"), "run");
  QCOMPARE(complete("carryover run --segment"), "--segment-length");
  QCOMPARE(complete("carryover run --policy f"), "full");
  QCOMPARE(complete("carryover run --prefix co"), "constant");
  QCOMPARE(complete("carryover completion z"), "zsh");
  QVERIFY(run_cli({"completion", "zsh"}).out.contains("bashcompinit"));
}

void CommandLineTest::the_window_s_flags_are_completed() {
  const QString source = text(test::read_bytes(CARRYOVER_SOURCE_DIR "/app/start/window_options.cpp"));
  static const QRegularExpression option("QCommandLineOption \\w+\\(QStringLiteral\\(\"([a-z-]+)\"\\)");
  const QString fish = run_cli({"completion", "fish"}).out;
  QStringList flags{"--help", "--version"};
  for (auto matches = option.globalMatch(source); matches.hasNext();) {
    const QString flag = "--" + matches.next().captured(1);
    flags << flag;
    QVERIFY2(complete("carryover --fresh " + flag).split(' ').contains(flag), qPrintable(flag));
    QVERIFY2(fish.contains(QRegularExpression("-c carryover -n '__fish_use_subcommand' -l " + flag.mid(2) + "\\b")),
             qPrintable(flag));
  }
  QVERIFY(flags.size() > 10);
  QStringList offered = complete("carryover --").split(' ');
  flags.sort();
  offered.sort();
  QCOMPARE(offered, flags);
  QCOMPARE(complete("carryover --theme d"), "dark");
  QCOMPARE(complete("carryover-cli --"), "--help --version");
}

void CommandLineTest::info_describes_the_demo() {
  const CliResult plain = run_cli({"info", test::demo_model()});
  QCOMPARE(plain.code, 0);
  QVERIFY(plain.out.contains("4 layers, 8 query heads on 4 KV heads") && plain.out.contains("1048576"));

  const CliResult result = run_cli({"info", test::demo_model(), "--json", "--dtype", "bf16"});
  QCOMPARE(result.code, 0);
  const json info = json_of(result);
  QVERIFY(info.at("config").at("segment_length") == 64 && info.at("config").at("carry_length") == 16);
  QVERIFY(info.at("model").at("layers") == 4);
  const TempDir adapter;
  test::write_bytes(adapter.file("segment_config.json"), R"({"segment_length": 32, "carry_length": 8})");
  const json under = json_of(run_cli({"info", test::demo_model(), "--json", "--adapter", text(adapter.path())}));
  QVERIFY(under.at("config").at("segment_length") == 32 && under.at("config").at("carry_length") == 8);
  QVERIFY(info.at("tokenizer").at("vocabulary") == 512);
  const json& memory = info.at("memory");
  QCOMPARE(memory.size(), std::size_t{3});
  QVERIFY(memory[0].at("segmented").at("attention_kv") == memory[2].at("segmented").at("attention_kv"));
  QVERIFY(memory[2].at("full").at("attention_kv") == 4 * 4 * 2 * 16 * 2 * (std::int64_t{1} << 20));
}

void CommandLineTest::tokenize_gives_the_ids_that_run_reads() {
  const TempDir temp;
  const CliResult ids = run_cli({"tokenize", test::demo_model(), test::demo_text()});
  QCOMPARE(ids.code, 0);
  const json parsed = json_of(ids);
  test::write_bytes(temp.file("ids.json"), ids.out.toStdString());
  const CliResult by_text = run_cli(run_demo({test::demo_text(), "--json", "--tokens", "600"}));
  const CliResult by_ids = run_cli(run_demo({"--input-ids", text(temp.file("ids.json")), "--json", "--tokens", "600"}));
  const json first = json_of(by_text), second = json_of(by_ids);
  QVERIFY(first.at("nll_mean") == second.at("nll_mean"));
  QVERIFY(first.at("tokens") == 600 && first.at("targets") == 599);

  const json with_bos = json_of(run_cli({"tokenize", test::demo_model(), "-", "--bos"}, "Once upon"));
  const json without = json_of(run_cli({"tokenize", test::demo_model(), "-"}, "Once upon"));
  QVERIFY(with_bos[0] == 510 && with_bos.size() == without.size() + 1);
  QVERIFY(parsed.size() > 600);
}

void CommandLineTest::tokenize_gives_the_text_of_ids() {
  const QByteArray book = QByteArray::fromStdString(test::read_bytes(test::demo_text().toStdString()));
  const CliResult ids = run_cli({"tokenize", test::demo_model(), "-"}, book);
  std::string whole;
  for (const json& piece : json_of(run_cli({"tokenize", test::demo_model(), "--input-ids", "-"}, ids.out)))
    whole += piece.get<std::string>();
  QVERIFY(whole == book.toStdString());

  const CliResult half = run_cli({"tokenize", test::demo_model(), "-"}, "🙂");  // bytes without a token of their own
  for (const json& piece : json_of(run_cli({"tokenize", test::demo_model(), "--input-ids", "-"}, half.out)))
    QVERIFY(piece == "\uFFFD");
}

void CommandLineTest::engine_describes_itself() {
  const json described = json_of(run_cli({"engine", "--describe"}));
  QVERIFY(described.at("greeting").get<std::string>().starts_with("carryover engine "));
  QVERIFY(described.at("messages").size() > 30);
}

void CommandLineTest::generate_streams_text() {
  const QStringList base{"generate", test::demo_model(), "--prompt-file", "-", "--dtype", "fp32", "--ignore-eos"};
  const CliResult plain = run_cli(base + QStringList{"--max-new-tokens", "20"}, "Once upon a time");
  QVERIFY2(plain.code == 0, plain.err);
  const CliResult as_json = run_cli(base + QStringList{"--max-new-tokens", "20", "--json"}, "Once upon a time");
  const json result = json_of(as_json);
  QCOMPARE(result.at("ids").size(), std::size_t{20});
  QCOMPARE(plain.out, QByteArray::fromStdString(result.at("text").get<std::string>() + "\n"));

  const TempDir temp;  // nobody says where a question begins in ids
  test::write_bytes(temp.file("ids.json"), result.at("ids").dump());
  const CliResult by_ids = run_cli({"generate", test::demo_model(), "--input-ids", text(temp.file("ids.json")),
                                    "--json", "--question-pass", "--max-new-tokens", "2"});
  QVERIFY2(by_ids.code == 0 && by_ids.err.contains("question_pass does not apply"), by_ids.err);
}

/// generation_config.json lists the token that the answer has in fifth place or earlier.
void CommandLineTest::generate_ends_at_any_end_token() {
  const TempDir temp;
  const fs::path model = temp.path() / "model";
  fs::copy(test::demo_model().toStdString(), model);
  const QStringList generate{
      "generate", text(model.string()), "--prompt-file", "-", "--dtype", "fp32", "--max-new-tokens", "12", "--json"};
  const auto ids = [&] { return json_of(run_cli(generate, "Once upon a time")).at("ids").get<std::vector<int>>(); };
  const std::vector<int> free = ids();
  QVERIFY(free.size() > 4);
  const auto first = std::find(free.begin(), free.end(), free[4]);
  test::write_bytes(model / "generation_config.json", json{{"eos_token_id", {511, free[4]}}}.dump());
  QCOMPARE(ids(), std::vector<int>(free.begin(), first));
}

void CommandLineTest::a_token_without_a_row_is_named() {
  const TempDir temp;
  const fs::path model = temp.path() / "model";
  fs::copy(test::demo_model().toStdString(), model);
  json tokenizer = json::parse(test::read_bytes(model / "tokenizer.json"));
  tokenizer["added_tokens"].push_back({{"id", 512}, {"content", "<|more|>"}, {"special", true}});
  test::write_bytes(model / "tokenizer.json", tokenizer.dump());
  const CliResult run =
      run_cli({"run", text(model.string()), "-", "--parse-special"}, "Once upon a time <|more|> there was");
  QCOMPARE(run.code, 3);
  QVERIFY2(run.err.contains("'<|more|>' with id 512") && run.err.contains("512 rows (ids 0 to 511)"), run.err);
}

void CommandLineTest::generate_repeats_with_its_seed() {
  const std::string book = test::read_bytes(test::demo_text().toStdString());
  const QByteArray prompt = QByteArray::fromStdString(book.substr(0, 1500));  // more than one segment
  const auto ids = [&](const char* seed) {
    const CliResult result =
        run_cli({"generate", test::demo_model(), "--prompt-file", "-", "--dtype", "fp32", "--json", "--temperature",
                 "1", "--max-new-tokens", "12", "--ignore-eos", "--boundary-at-prompt-end", "--seed", seed},
                prompt);
    return json_of(result).at("ids").dump();
  };
  QCOMPARE(ids("7"), ids("7"));
  QVERIFY(ids("7") != ids("8"));
}

void CommandLineTest::generate_answers_from_a_saved_state() {
  const TempDir temp;
  const QString book = text(temp.file("book.txt")), state = text(temp.file("book.state"));
  test::write_bytes(book.toStdString(), test::read_bytes(test::demo_text().toStdString()).substr(0, 4000));
  const QStringList command{"generate", test::demo_model()},
      questions{"--question",       " Who came?", "--question",   " When was that?",
                "--max-new-tokens", "12",         "--ignore-eos", "--json"};
  for (const QStringList& settings :
       {QStringList{}, QStringList{"--policy", "streaming", "--dtype", "bf16"}, QStringList{"--question-pass"}}) {
    const QStringList read = command + settings + QStringList{"--prompt-file", book};
    const json direct = json_of(run_cli(read + questions));
    QCOMPARE(direct.size(), std::size_t{2});
    const CliResult saved = run_cli(read + QStringList{"--save-state", state});
    QVERIFY2(saved.code == 0 && saved.out.isEmpty() && saved.err.contains("tokens read"), saved.err);
    const json loaded = json_of(run_cli(command + QStringList{"--load-state", state} + questions));
    const json both = json_of(run_cli(read + QStringList{"--save-state", state} + questions));
    for (std::size_t i = 0; i < 2; ++i)
      for (const char* field : {"ids", "text", "question", "question_tokens", "question_hits", "prompt_tokens"}) {
        QVERIFY2(loaded[i].at(field) == direct[i].at(field), field);
        QVERIFY2(both[i].at(field) == direct[i].at(field), field);
      }
    QCOMPARE(direct[0].at("ids").size(), std::size_t{12});
  }
  const QStringList load = command + QStringList{"--load-state", state, "--question", " Who?"};
  const CliResult others = run_cli(load + QStringList{"--carry-length", "3"});
  QVERIFY2(others.code == 3 && others.err.contains("carry_length") && others.out.isEmpty(), others.err);
  const std::string whole = test::read_bytes(state.toStdString());
  test::write_bytes(state.toStdString(), whole.substr(0, whole.size() - 100));
  const CliResult cut = run_cli(load);
  QVERIFY2(cut.code == 3 && cut.err.contains("book.state"), cut.err);
}

void CommandLineTest::wrong_usage_exits_with_2_data() {
  QTest::addColumn<QStringList>("arguments");
  const QString model = test::demo_model(), book = test::demo_text();
  const auto row = [](const char* name, const QStringList& arguments) { QTest::newRow(name) << arguments; };
  row("nothing", {});
  row("unknown verb", {"walk"});
  row("unknown flag", {"run", model, book, "--segment-size", "4"});
  row("no model", {"info"});
  row("no text", {"run", model});
  row("nothing to tokenize", {"tokenize", model});
  row("text and ids to tokenize", {"tokenize", model, book, "--input-ids", book});
  row("text and ids", {"run", model, book, "--input-ids", book});
  row("a word for a number", {"run", model, book, "--segment-length", "long"});
  row("a fraction of a token", {"run", model, book, "--carry-length", "1.5"});
  row("no tokens", {"run", model, book, "--tokens", "0"});
  row("unknown dtype", {"run", model, book, "--dtype", "fp8"});
  row("unknown device", {"run", model, book, "--device", "tpu"});
  row("unknown scaling", {"run", model, book, "--rope", "spiral:4"});
  row("a scaling that only a model brings", {"run", model, book, "--rope", "longrope:4"});
  row("a scaling without factor", {"run", model, book, "--rope", "linear"});
  row("a broken list", {"run", model, book, "--long-range-layers", "1,two"});
  row("unknown shell", {"completion", "tcsh"});
  row("nothing to continue", {"generate", model});
  row("an empty question", {"generate", model, "--prompt-file", book, "--question", ""});
  row("a state without a question", {"generate", model, "--load-state", "book.state"});
  row("a state and a text", {"generate", model, "--load-state", "book.state", "--prompt-file", book});
  row("a state to read and to write", {"generate", model, "--load-state", "a", "--save-state", "b", "--question", "?"});
  row("negative temperature", {"generate", model, "--prompt-file", book, "--temperature", "-1"});
}

void CommandLineTest::wrong_usage_exits_with_2() {
  QFETCH(QStringList, arguments);
  const CliResult result = run_cli(arguments);
  QVERIFY2(result.code == 2, result.err);
  QVERIFY(!result.err.isEmpty() && result.out.isEmpty());
}

/// Every option that the help calls a file or a folder, of every command, and every positional argument.
void CommandLineTest::empty_paths_are_refused_by_every_option() {
  static const QRegularExpression option("^  (?:-\\w,)?(--[a-z-]+) \\[?(?:DIR|FILE|PATH)",
                                         QRegularExpression::MultilineOption);
  int tried = 0;
  for (const QString& verb : kVerbs) {
    auto found = option.globalMatch(QString::fromUtf8(run_cli({verb, "--help"}).out));
    while (found.hasNext()) {
      const QString flag = found.next().captured(1);
      for (const QStringList& words : {QStringList{verb, test::demo_model(), flag, ""}, {verb, flag + "=", "word"}}) {
        const CliResult result = run_cli(words);
        QVERIFY2(result.code == 2, qPrintable(words.join(' ') + ": " + QString::fromUtf8(result.err)));
        QVERIFY2(result.err.contains("names no file or folder"), result.err.constData());
        ++tried;
      }
    }
  }
  QVERIFY(tried > 60);
  for (const QStringList& words : {QStringList{"eval", test::demo_model(), "--data", "ruler="},
                                   {"experiment", "plan.json", "--model", "small="},
                                   {"bench", test::demo_model(), "--peer", ""}}) {
    const CliResult result = run_cli(words);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("names no file or folder"), result.err.constData());
  }
  for (const char* verb : {"info", "run", "tokenize", "generate", "train", "audit", "export", "heads", "eval"}) {
    const CliResult result = run_cli({verb, ""});
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("names no file or folder"), result.err.constData());
  }
  for (const QStringList& words : {QStringList{"--api-key", ""}, {"--api-key="}}) {
    const CliResult result = run_cli(QStringList{"serve", test::demo_model()} + words);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("is empty"), result.err.constData());
  }
}

void CommandLineTest::bad_settings_exit_with_3_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("named");
  const auto row = [](const QStringList& arguments, const char* named) {
    QTest::newRow(qPrintable(arguments.join(' '))) << arguments << QString(named);
  };
  row({"--segment-length", "0"}, "segment_length");
  row({"--segment-length", "-5"}, "segment_length");
  row({"--segment-length", "64", "--carry-length", "65"}, "carry_length");
  row({"--carry-length", "-1"}, "carry_length");
  row({"--segment-length", "64", "--carry-length", "60", "--sink-length", "5"}, "sink_length");
  row({"--sink-length", "-1"}, "sink_length");
  row({"--retrieval-length", "-1"}, "retrieval_length");
  row({"--truncation-depth", "-1"}, "truncation_depth");
  row({"--long-range-layers", "0,4"}, "long_range_layers");
  row({"--long-range-heads", "8"}, "long_range_heads");
  row({"--long-range-heads", "1,1"}, "listed twice");
  row({"--segment-length", "9223372036854775807"}, "segment_length");
  row({"--retrieval-length", "4611686018427387904"}, "retrieval_length");
  row({"--grouping", "paper"}, "first-kv-group");
  row({"--top-k", "0"}, "top_k");
  row({"--policy", "sparse"}, "sparse");
  row({"--threads", "-1"}, "threads");
}

/// CLI11 2.4 refuses such a number itself; earlier versions give the largest one, which the setting's range refuses.
void CommandLineTest::numbers_beyond_64_bits_are_refused() {
  const TempDir temp;
  const CliResult result = run_cli(
      run_demo({test::demo_text(), "--out", text(temp.file("run")), "--segment-length", "99999999999999999999"}));
  QVERIFY2(result.code == 2 || result.code == 3, result.err);
  QVERIFY2(result.err.contains("--segment-length") || result.err.contains("segment_length"), result.err);
}

void CommandLineTest::bad_settings_exit_with_3() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, named);
  const TempDir temp;
  const CliResult result =
      run_cli(run_demo(QStringList{test::demo_text(), "--tokens", "50", "--out", text(temp.file("run"))}) + arguments);
  QVERIFY2(result.code == 3, result.err);
  QVERIFY2(result.err.contains(named.toUtf8()), result.err);
  QVERIFY(!fs::exists(temp.file("run")));
}

void CommandLineTest::bad_files_are_named_data() {
  QTest::addColumn<QString>("file");      // what is put into a copy of the demo, or taken away
  QTest::addColumn<QByteArray>("bytes");  // null: the file is missing
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<int>("code");
  const auto row = [](const char* name, const char* file, const QByteArray& bytes, const QStringList& arguments,
                      int code) { QTest::newRow(name) << QString(file) << bytes << arguments << code; };
  const QStringList on_text{"@", "@/text.txt"};
  row("missing config", "config.json", {}, on_text, 5);
  row("broken config", "config.json", "{\"model_type\": \"llama\",", on_text, 3);
  row("other architecture", "config.json", "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"]}",
      on_text, 4);
  row("missing weights", "model.safetensors", {}, on_text, 5);
  row("cut header", "model.safetensors", QByteArray("\xff\x00\x00\x00\x00\x00\x00\x00{", 9), on_text, 3);
  row("oversized header", "model.safetensors", QByteArray(64, '\x7f'), on_text, 3);
  row("empty weights", "model.safetensors", QByteArray(""), on_text, 3);
  row("missing tokenizer", "tokenizer.json", {}, on_text, 3);
  row("broken tokenizer", "tokenizer.json", "{\"model\":", on_text, 3);
  row("empty text", "text.txt", QByteArray(""), on_text, 3);
  row("invalid UTF-8", "text.txt", "Once upon \xc3\x28 a time", on_text, 3);
  row("missing text", "text.txt", {}, on_text, 5);
  row("a folder for a text", "tokenizer.json", "x", {"@", "@"}, 5);
  row("GGUF with nothing in it", "model.gguf", "GGUF", {"@/model.gguf", "@/text.txt"}, 3);
  row("GGUF with lying counts", "model.gguf", QByteArray("GGUF\3\0\0\0", 8) + QByteArray(16, '\x7f'),
      {"@/model.gguf", "@/text.txt"}, 3);
  row("no model at all", "book.gguf", {}, {"@/book.gguf", "@/text.txt"}, 5);
  row("ids that are no array", "ids.json", "{\"a\":1}", {"@", "--input-ids", "@/ids.json"}, 3);
  row("an id outside the vocabulary", "ids.json", "[1, 2, 512]", {"@", "--input-ids", "@/ids.json"}, 3);
  row("a negative id", "ids.json", "[1, -2]", {"@", "--input-ids", "@/ids.json"}, 3);
  row("no ids", "ids.json", "[]", {"@", "--input-ids", "@/ids.json"}, 3);
  row("broken settings", "settings.json", "{\"segment_length\": 64",
      on_text + QStringList{"--config", "@/settings.json"}, 3);
  row("an unknown setting", "settings.json", "{\"segment\": 64}", on_text + QStringList{"--config", "@/settings.json"},
      3);
  row("a wrong setting", "settings.json", "{\"segment_length\": 0}",
      on_text + QStringList{"--config", "@/settings.json"}, 3);
  row("missing settings", "settings.json", {}, on_text + QStringList{"--config", "@/settings.json"}, 5);
  row("broken hits", "hits.jsonl", "{\"segment\":1", on_text + QStringList{"--force-hits", "@/hits.jsonl"}, 3);
  row("missing hits", "hits.jsonl", {}, on_text + QStringList{"--force-hits", "@/hits.jsonl"}, 5);
  row("an unwritable folder", "text.txt", "Once upon a time", on_text + QStringList{"--out", "/proc/carryover"}, 5);
}

void CommandLineTest::bad_files_are_named() {
  QFETCH(QString, file);
  QFETCH(QByteArray, bytes);
  QFETCH(QStringList, arguments);
  QFETCH(int, code);
  const TempDir temp;
  const fs::path model = temp.path() / "model";
  fs::copy(test::demo_model().toStdString(), model);
  fs::remove(model / file.toStdString());
  if (!bytes.isNull()) test::write_bytes(model / file.toStdString(), bytes.toStdString());
  for (QString& argument : arguments) {
    if (argument.startsWith('@')) argument = text(model.string()) + argument.mid(1);
  }
  if (!arguments.contains("--out")) arguments += {"--out", text(temp.file("run"))};
  const CliResult result = run_cli(QStringList{"run"} + arguments);
  QVERIFY2(result.code == code, result.err);
  const bool names_it = result.err.contains(file.toUtf8()) || result.err.contains(model.string().c_str()) ||
                        result.err.contains("/proc/carryover");
  QVERIFY2(names_it, result.err);
  QVERIFY2(result.err.count('\n') >= 2, result.err);  // what is wrong, and what to do
  QVERIFY(!fs::exists(temp.file("run")));
}

void CommandLineTest::a_full_standard_output_is_an_error() {
  QProcess process;
  test::prepare_cli(process, {"tokenize", test::demo_model(), test::demo_text()});
  process.setStandardOutputFile("/dev/full");
  process.start();
  const CliResult result = test::finish_cli(process);
  QVERIFY2(result.code == 5 && result.err.contains("standard output"), result.err);
}

/// LibTorch ends the process where it gets no memory while it is opened: what it needs is looked for first.
void CommandLineTest::an_engine_without_memory_is_told() {
  for (const rlim_t kilobytes : {300'000, 360'000, 410'000, 440'000}) {
    QProcess process;
    test::prepare_cli(process, run_demo({test::demo_text(), "--tokens", "64", "--quiet"}));
    process.setChildProcessModifier([kilobytes] {
      const rlimit limit{kilobytes << 10, kilobytes << 10}, no_core{0, 0};
      setrlimit(RLIMIT_AS, &limit);
      setrlimit(RLIMIT_CORE, &no_core);
    });
    process.start();
    const CliResult result = test::finish_cli(process);
    QVERIFY2(result.code == 6 && result.err.contains("of memory"), result.err);
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<CommandLineTest>};
#include "command_line_test.moc"
