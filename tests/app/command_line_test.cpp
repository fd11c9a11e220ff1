// SPDX-License-Identifier: GPL-3.0-or-later
// carryover-cli as its users see it, on the demo model: output, run folders, exit codes, signals.
#include <signal.h>

#include <QRegularExpression>
#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "app/commands/commands.h"
#include "engine/io/run_folder.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"

using namespace carryover;
using carryover::test::CliResult;
using carryover::test::run_cli;
using carryover::test::TempDir;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

/// `run` on the demo model in fp32, so that results repeat.
QStringList run_demo(const QStringList& more) {
  return QStringList{"run", test::demo_model(), "--dtype", "fp32"} + more;
}

/// What it printed, as JSON; an exception with what it complained about where that fails.
json json_of(const CliResult& result) {
  if (result.code != 0) throw std::runtime_error(result.err.toStdString());
  return json::parse(result.out.toStdString());
}

std::string random_ids(int count) {
  std::mt19937 random(1);
  json ids = json::array();
  for (int i = 0; i < count; ++i) ids.push_back(random() % 500);
  return ids.dump();
}

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

const QStringList kVerbs{"info", "run", "tokenize", "generate", "completion"};

}  // namespace

class CommandLineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void verbs_are_known();
  void help_teaches();
  void every_flag_is_documented_and_completed();
  void completion_scripts_parse();
  void info_describes_the_demo();
  void tokenize_gives_the_ids_that_run_reads();
  void run_without_a_folder_prints_a_summary();
  void run_writes_a_folder();
  void a_run_repeats_from_its_config();
  void flags_win_over_the_config_file();
  void forced_hits_repeat_the_run();
  void capture_can_be_left_out();
  void one_token_has_no_perplexity();
  void a_text_may_be_shorter_than_a_segment();
  void bos_comes_first();
  void full_policy_agrees_within_one_segment();
  void generate_streams_text();
  void generate_repeats_with_its_seed();
  void wrong_usage_exits_with_2_data();
  void wrong_usage_exits_with_2();
  void bad_settings_exit_with_3_data();
  void bad_settings_exit_with_3();
  void bad_files_are_named_data();
  void bad_files_are_named();
  void a_run_is_not_overwritten_unasked();
  void ctrl_c_leaves_valid_files();
  void a_full_disk_leaves_valid_files_data();
  void a_full_disk_leaves_valid_files();
  void a_full_standard_output_is_an_error();
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
  const TempDir temp;
  const auto script = run_cli({"completion", "bash"});
  QCOMPARE(script.code, 0);
  test::write_bytes(temp.file("completion.bash"), script.out.toStdString());
  const auto complete = [&](const QString& words) {
    QProcess bash;
    bash.start("bash", {"-c", "source " + text(temp.file("completion.bash")) + "; COMP_WORDS=(" + words +
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _carryover; echo \"${COMPREPLY[*]}\""});
    bash.waitForFinished();
    return QString::fromUtf8(bash.readAllStandardOutput()).trimmed();
  };
  QCOMPARE(complete("carryover ru"), "run");
  QCOMPARE(complete("carryover run --segment"), "--segment-length");
  QCOMPARE(complete("carryover run --policy f"), "full");
  QCOMPARE(complete("carryover completion z"), "zsh");
  QVERIFY(run_cli({"completion", "zsh"}).out.contains("bashcompinit"));
}

void CommandLineTest::info_describes_the_demo() {
  const CliResult plain = run_cli({"info", test::demo_model()});
  QCOMPARE(plain.code, 0);
  QVERIFY(plain.out.contains("4 layers, 8 query heads on 4 KV heads") && plain.out.contains("1048576"));

  const CliResult result = run_cli({"info", test::demo_model(), "--json", "--dtype", "bf16"});
  QCOMPARE(result.code, 0);
  const json info = json_of(result);
  QVERIFY(info.at("config").at("segment_length") == 256 && info.at("config").at("carry_length") == 32);
  QVERIFY(info.at("model").at("layers") == 4);
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

void CommandLineTest::run_without_a_folder_prints_a_summary() {
  const CliResult result = run_cli(run_demo({test::demo_text(), "--tokens", "300"}));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(result.out.contains("perplexity") && result.out.contains("300 tokens, 299 targets, 2 segments"));
  QVERIFY(result.err.contains("segment 1: 300 of 300 tokens"));
  QVERIFY(!result.err.contains('\r'));  // no live line where there is no terminal
  QVERIFY(run_cli(run_demo({test::demo_text(), "--tokens", "300", "--quiet"})).err.isEmpty());
}

void CommandLineTest::run_writes_a_folder() {
  const TempDir temp;
  const CliResult result = run_cli(run_demo({"-", "--out", text(temp.file("run")), "--tokens", "1000"}),
                                   QByteArray::fromStdString(test::read_bytes(test::demo_text().toStdString())));
  QVERIFY2(result.code == 0, result.err);
  const StoredRun run = read_run_folder(temp.file("run"));
  QCOMPARE(run.segments.size(), std::size_t{4});
  QCOMPARE(run.target_nll.size(), std::size_t{999});
  QVERIFY(!run.hits.empty() && run.hits.front().segment == 1);
  double sum = 0, of_segments = 0;
  for (float value : run.target_nll) sum += value;
  std::int64_t tokens = 0, targets = 0;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const SegmentRecord& segment = run.segments[i];
    QCOMPARE(segment.index, static_cast<std::int64_t>(i));
    QCOMPARE(segment.first_token, tokens);
    tokens += segment.length;
    targets += segment.targets;
    of_segments += segment.nll_sum;
  }
  QCOMPARE(tokens, 1000);
  QCOMPARE(targets, 999);
  const double mean = run.summary->at("nll_mean").get<double>();
  QVERIFY(std::abs(of_segments / 999 - mean) < 1e-9 && std::abs(sum / 999 - mean) < 1e-5);
  for (const HeadHits& hits : run.hits) {
    for (const Hit& hit : hits.hits) QVERIFY(hit.position < 256 * hits.segment);  // nothing of its own segment
  }
  QVERIFY(run.config->at("config").at("segment_length") == 256 && run.config->at("dtype") == "fp32");
}

void CommandLineTest::a_run_repeats_from_its_config() {
  const TempDir temp;
  const QStringList first{"--out",
                          text(temp.file("a")),
                          "--tokens",
                          "700",
                          "--segment-length",
                          "128",
                          "--carry-length",
                          "16",
                          "--retrieval-length",
                          "24",
                          "--long-range-heads",
                          "0,3",
                          "--long-range-layers",
                          "1,3",
                          "--rope",
                          "linear:2",
                          "--bos",
                          "--seed",
                          "9"};
  QCOMPARE(run_cli(run_demo(QStringList{test::demo_text()} + first)).code, 0);
  const CliResult again = run_cli({"run", test::demo_model(), test::demo_text(), "--config",
                                   text(temp.file("a/config.json")), "--out", text(temp.file("b"))});
  QVERIFY2(again.code == 0, again.err);
  for (const char* name : {"a/nll.json", "a/hits.jsonl"}) {
    QCOMPARE(test::read_bytes(temp.file(name)), test::read_bytes(temp.file("b/" + std::string(name + 2))));
  }
  json a = *read_run_folder(temp.file("a")).config, b = *read_run_folder(temp.file("b")).config;
  a.erase("command_line"), b.erase("command_line");
  QVERIFY(a == b);
  QVERIFY(a.at("tokens") == 700 && a.at("text_tokens") == 701);
}

void CommandLineTest::flags_win_over_the_config_file() {
  const TempDir temp;
  const json settings{{"segment_length", 64}, {"carry_length", 8}, {"tokens", 200}, {"policy", "full"}};
  test::write_bytes(temp.file("settings.json"), settings.dump());
  const CliResult result =
      run_cli(run_demo({test::demo_text(), "--config", text(temp.file("settings.json")), "--carry-length", "4",
                        "--policy", "segmented", "--out", text(temp.file("run"))}));
  QVERIFY2(result.code == 0, result.err);
  const StoredRun run = read_run_folder(temp.file("run"));
  const json& config = run.config->at("config");
  QVERIFY(config.at("segment_length") == 64 && config.at("carry_length") == 4 && config.at("retrieval_length") == 32);
  QVERIFY(run.config->at("policy") == "segmented" && run.summary->at("tokens") == 200);
}

void CommandLineTest::forced_hits_repeat_the_run() {
  const TempDir temp;
  QCOMPARE(run_cli(run_demo({test::demo_text(), "--tokens", "800", "--out", text(temp.file("a"))})).code, 0);
  const CliResult forced = run_cli(run_demo({test::demo_text(), "--tokens", "800", "--out", text(temp.file("b")),
                                             "--force-hits", text(temp.file("a/hits.jsonl"))}));
  QVERIFY2(forced.code == 0, forced.err);
  QCOMPARE(read_run_folder(temp.file("b")).target_nll, read_run_folder(temp.file("a")).target_nll);
}

void CommandLineTest::capture_can_be_left_out() {
  const TempDir temp;
  const CliResult result = run_cli({"run", "--no-capture", "hits,nll", test::demo_model(), test::demo_text(),
                                    "--tokens", "600", "--out", text(temp.file("a"))});
  QVERIFY2(result.code == 0, result.err);
  const StoredRun run = read_run_folder(temp.file("a"));
  QVERIFY(run.hits.empty() && run.target_nll.empty() && run.segments.size() == 3);
  QVERIFY(run.summary->at("ppl").is_number());
}

void CommandLineTest::one_token_has_no_perplexity() {
  const TempDir temp;
  test::write_bytes(temp.file("ids.json"), "[7]");
  const CliResult result =
      run_cli(run_demo({"--input-ids", text(temp.file("ids.json")), "--out", text(temp.file("run")), "--json"}));
  QVERIFY2(result.code == 0, result.err);
  const json summary = json_of(result);
  QVERIFY(summary.at("ppl").is_null() && summary.at("nll_mean").is_null());
  QVERIFY(summary.at("tokens") == 1 && summary.at("targets") == 0 && summary.at("segments") == 1);
  QVERIFY(read_run_folder(temp.file("run")).target_nll.empty());
}

void CommandLineTest::a_text_may_be_shorter_than_a_segment() {
  const CliResult result = run_cli(run_demo({"-", "--json"}), "Once upon a time.");
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(json_of(result).at("segments") == 1);
}

void CommandLineTest::bos_comes_first() {
  const json plain = json_of(run_cli(run_demo({"-", "--json"}), "Once upon a time."));
  const json bos = json_of(run_cli(run_demo({"-", "--json", "--bos"}), "Once upon a time."));
  QVERIFY(bos.at("tokens") == plain.at("tokens").get<int>() + 1);
  QVERIFY(bos.at("targets") == plain.at("targets").get<int>() + 1);  // the first word now has one before it
}

void CommandLineTest::full_policy_agrees_within_one_segment() {
  const QStringList arguments{test::demo_text(), "--tokens", "200", "--json"};
  const json segmented = json_of(run_cli(run_demo(arguments)));
  const json full = json_of(run_cli(run_demo(arguments + QStringList{"--policy", "full"})));
  QVERIFY(full.at("policy") == "full");
  QVERIFY(std::abs(full.at("nll_mean").get<double>() - segmented.at("nll_mean").get<double>()) < 1e-4);
}

void CommandLineTest::generate_streams_text() {
  const QStringList base{"generate", test::demo_model(), "--prompt-file", "-", "--dtype", "fp32", "--ignore-eos"};
  const CliResult plain = run_cli(base + QStringList{"--max-new-tokens", "20"}, "Once upon a time");
  QVERIFY2(plain.code == 0, plain.err);
  const CliResult as_json = run_cli(base + QStringList{"--max-new-tokens", "20", "--json"}, "Once upon a time");
  const json result = json_of(as_json);
  QCOMPARE(result.at("ids").size(), std::size_t{20});
  QCOMPARE(plain.out, QByteArray::fromStdString(result.at("text").get<std::string>() + "\n"));
}

void CommandLineTest::generate_repeats_with_its_seed() {
  const auto ids = [](const char* seed) {
    const CliResult result = run_cli({"generate", test::demo_model(), "--prompt-file", test::demo_text(), "--dtype",
                                      "fp32", "--json", "--temperature", "1", "--max-new-tokens", "12", "--ignore-eos",
                                      "--boundary-at-prompt-end", "--seed", seed});
    return result.code == 0 ? json_of(result).at("ids").dump() : result.err.toStdString();
  };
  QCOMPARE(ids("7"), ids("7"));
  QVERIFY(ids("7") != ids("8"));
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
  row("text and ids", {"run", model, book, "--input-ids", book});
  row("a word for a number", {"run", model, book, "--segment-length", "long"});
  row("a fraction of a token", {"run", model, book, "--carry-length", "1.5"});
  row("no tokens", {"run", model, book, "--tokens", "0"});
  row("unknown dtype", {"run", model, book, "--dtype", "fp8"});
  row("unknown device", {"run", model, book, "--device", "tpu"});
  row("unknown scaling", {"run", model, book, "--rope", "yarn:4"});
  row("a scaling without factor", {"run", model, book, "--rope", "linear"});
  row("a broken list", {"run", model, book, "--long-range-layers", "1,two"});
  row("unknown shell", {"completion", "tcsh"});
  row("negative temperature", {"generate", model, "--prompt-file", book, "--temperature", "-1"});
}

void CommandLineTest::wrong_usage_exits_with_2() {
  QFETCH(QStringList, arguments);
  const CliResult result = run_cli(arguments);
  QVERIFY2(result.code == 2, result.err);
  QVERIFY(!result.err.isEmpty() && result.out.isEmpty());
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
  row({"--retrieval-length", "-1"}, "retrieval_length");
  row({"--truncation-depth", "-1"}, "truncation_depth");
  row({"--long-range-layers", "0,4"}, "long_range_layers");
  row({"--long-range-heads", "8"}, "long_range_heads");
  row({"--long-range-heads", "1,1"}, "listed twice");
  row({"--segment-length", "9223372036854775807"}, "segment_length");
  row({"--segment-length", "99999999999999999999"}, "segment_length");
  row({"--retrieval-length", "4611686018427387904"}, "retrieval_length");
  row({"--grouping", "paper"}, "first-kv-group");
  row({"--top-k", "0"}, "top_k");
  row({"--policy", "sparse"}, "sparse");
  row({"--threads", "-1"}, "threads");
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

void CommandLineTest::a_run_is_not_overwritten_unasked() {
  const TempDir temp;
  const QStringList arguments = run_demo({test::demo_text(), "--tokens", "100", "--out", text(temp.file("run"))});
  QCOMPARE(run_cli(arguments).code, 0);
  const std::string before = test::read_bytes(temp.file("run/summary.json"));
  QCOMPARE(run_cli(arguments).code, 2);
  QCOMPARE(test::read_bytes(temp.file("run/summary.json")), before);
  QCOMPARE(run_cli(arguments + QStringList{"--overwrite"}).code, 0);
}

void CommandLineTest::ctrl_c_leaves_valid_files() {
  const TempDir temp;
  test::write_bytes(temp.file("ids.json"), random_ids(400000));
  QProcess process;
  test::prepare_cli(process, run_demo({"--input-ids", text(temp.file("ids.json")), "--out", text(temp.file("run"))}));
  process.start();
  QByteArray seen;
  process.setReadChannel(QProcess::StandardError);
  while (!seen.contains("segment ") && process.waitForReadyRead(60000)) seen += process.readAllStandardError();
  QVERIFY2(seen.contains("segment "), seen);
  QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
  const CliResult result = test::finish_cli(process);
  QVERIFY2(result.code == 130, result.err);
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(run.summary->at("cancelled") == true);
  QVERIFY(!run.segments.empty());
  QVERIFY(run.summary->at("segments") == run.segments.size());
  std::size_t targets = 0;
  for (const SegmentRecord& segment : run.segments) targets += static_cast<std::size_t>(segment.targets);
  QCOMPARE(run.target_nll.size(), targets);
  QVERIFY(run.summary->at("tokens").get<int>() < 400000);
}

void CommandLineTest::a_full_disk_leaves_valid_files_data() {
  QTest::addColumn<int>("bytes");
  for (int bytes : {0, 1000, 8192, 20000}) QTest::addRow("%d", bytes) << bytes;
}

void CommandLineTest::a_full_disk_leaves_valid_files() {
  QFETCH(int, bytes);
  const TempDir temp;
  const CliResult result = run_cli(run_demo({test::demo_text(), "--out", text(temp.file("run"))}), {}, bytes);
  QVERIFY2(result.code == 5, result.err);
  QVERIFY2(result.err.contains(temp.file("run").c_str()), result.err);
  if (!fs::exists(temp.file("run"))) return;
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(!run.segments.empty() && run.summary == nullptr);
}

void CommandLineTest::a_full_standard_output_is_an_error() {
  QProcess process;
  test::prepare_cli(process, {"tokenize", test::demo_model(), test::demo_text()});
  process.setStandardOutputFile("/dev/full");
  process.start();
  const CliResult result = test::finish_cli(process);
  QVERIFY2(result.code == 5 && result.err.contains("standard output"), result.err);
}

QTEST_GUILESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
