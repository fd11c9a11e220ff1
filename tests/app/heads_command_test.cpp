// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover heads` on the demo, whose retrieving heads are known: training put them into the last layer.
#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/config/grouping.h"
#include "engine/formats/folder_lock.h"
#include "engine/heads/choice/head_pattern_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

class HeadsCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_finds_the_heads_that_were_trained_to_retrieve() {
    const TempDir temp;
    const QString grouping = text(temp.file("heads.json")), tsv = text(temp.file("heads.tsv"));
    const json found = json_of(run_cli({"heads",
                                        demo_model(),
                                        demo_text(),
                                        "--tokens",
                                        "192",
                                        "--probes",
                                        "2",
                                        "--layers",
                                        "1",
                                        "--heads",
                                        "3",
                                        "--grouping-out",
                                        grouping,
                                        "--tsv-out",
                                        tsv,
                                        "--scores-out",
                                        text(temp.file("scores.json")),
                                        "--json",
                                        "--quiet",
                                        "--threads",
                                        "1"}));
    const auto proposed = found.at("proposed").get<Grouping>();
    QCOMPARE(proposed.long_range_layers(), std::vector<int>{3});
    const auto share = found.at("captured").at("proposed").get<double>();
    for (const auto& [name, other] : found.at("captured").items())
      QVERIFY(name == "all" || other.get<double>() <= share + 1e-9);
    QVERIFY(json::parse(read_bytes(temp.file("heads.json"))).get<Grouping>() == proposed);
    QCOMPARE(run_cli(run_demo({demo_text(), "--config", grouping, "--tokens", "200", "--quiet"})).code, 0);

    const json again = json_of(run_cli(
        {"heads", demo_model(), "--from", text(temp.file("scores.json")), "--layers", "1", "--heads", "3", "--json"}));
    QVERIFY(again.at("proposed").get<Grouping>() == proposed);
    QCOMPARE(run_cli({"heads", demo_model(), "--from", tsv}).code, 0);
  }

  void needles_alone_and_the_other_measure_agree_on_the_layer() {
    const TempDir temp;
    const QString scores = text(temp.file("scores.json"));
    const QStringList common = {"heads",   demo_model(), "--tokens", "192",       "--layers", "1",
                                "--heads", "4",          "--quiet",  "--threads", "1",        "--json"};
    const json needles = json_of(run_cli(common + QStringList{"--kinds", "needle", "--scores-out", scores}));
    QCOMPARE(needles.at("proposed").get<Grouping>().long_range_layers(), std::vector<int>{3});
    const json copies =
        json_of(run_cli(common + QStringList{"--kinds", "copy,needle", "--measure", "copies", "--against", scores}));
    QCOMPARE(copies.at("proposed").get<Grouping>().long_range_layers(), std::vector<int>{3});
    const json& agreement = copies.at("agreement");
    QCOMPARE(agreement.at("best").get<int>(), 4);
    QVERIFY(agreement.at("shared").get<double>() >= 0.5);
    QVERIFY(agreement.at("rank_correlation").get<double>() > 0);
  }

  void heads_for_recall_are_found_and_go_on_from_evidence() {
    const TempDir temp;
    std::string story;
    for (int i = 0; i < 6; ++i) story += read_bytes(demo_text().toStdString()) + " ";
    write_bytes(temp.file("story.txt"), story);
    const QString evidence = text(temp.file("found.json")), grouping = text(temp.file("heads.json"));
    const QStringList command = {"heads",      demo_model(),  text(temp.file("story.txt")),
                                 "--recall",   "--documents", "3",
                                 "--held-out", "1",           "--segments",
                                 "4",          "--needles",   "1",
                                 "--evidence", evidence,      "--grouping-out",
                                 grouping,     "--threads",   "1",
                                 "--json"};
    const json found = json_of(run_cli(command + QStringList{"--quiet"}));
    QVERIFY(found.at("complete").get<bool>());
    QVERIFY(!QFile::exists(evidence + ".lock"));
    QVERIFY(!found.at("searchers").empty() && !found.at("readers").empty());
    const json proposed = json::parse(read_bytes(temp.file("heads.json")));
    QCOMPARE(proposed.dump(), found.at("grouping").dump());
    QCOMPARE(proposed.at("search_heads").size(), found.at("searchers").size());

    // The file is complete, so nothing is read again; cut back to its searchers, the rest comes out the same.
    QCOMPARE(json_of(run_cli(command + QStringList{"--quiet"})).dump(), found.dump());
    json half = json::parse(read_bytes(temp.file("found.json")));
    half["heads"]["readers"] = json::array();
    half["heads"]["complete"] = false;
    write_bytes(temp.file("found.json"), half.dump());
    QCOMPARE(json_of(run_cli(command + QStringList{"--quiet"})).dump(), found.dump());

    QCOMPARE(run_cli(run_demo({text(temp.file("story.txt")), "--preset", "recall", "--config", grouping, "--tokens",
                               "200", "--quiet"}))
                 .code,
             0);
    const CliResult other = run_cli(command + QStringList{"--quiet", "--seed", "2"});
    QVERIFY2(other.code == 2 && other.err.contains("found.json"), other.err.constData());
    const CliResult table = run_cli(QStringList(command.mid(0, command.size() - 1)));
    QVERIFY2(table.out.contains("searchers") && table.out.contains("proposed"), table.out.constData());
    const json unchecked = json_of(run_cli(QStringList{"heads", demo_model(), text(temp.file("story.txt")), "--recall",
                                                       "--documents", "2", "--held-out", "0", "--segments", "4",
                                                       "--needles", "1", "--threads", "1", "--json", "--quiet"}));
    QVERIFY(unchecked.at("complete").get<bool>());
    QCOMPARE(run_cli({"heads", demo_model(), "--recall", "--quiet"}).code, 2);  // of no text
    write_bytes(temp.file("short.txt"), "the cat");
    QCOMPARE(run_cli({"heads", demo_model(), text(temp.file("short.txt")), "--recall", "--quiet"}).code, 3);
  }

  void orders_for_documents_that_can_not_be_made_are_refused() {
    const QStringList recall = {"heads", demo_model(), demo_text(), "--recall", "--quiet", "--threads", "1"};
    const CliResult no_room = run_cli(recall + QStringList{"--segments", "1"});
    QVERIFY2(no_room.code == 2 && no_room.err.contains("Use 2 segments or more"), no_room.err.constData());
    const CliResult long_one = run_cli(recall + QStringList{"--segments", QString::number((qint64{1} << 58) + 1)});
    QVERIFY2(long_one.code == 3 && long_one.err.contains("fewer segments"), long_one.err.constData());
    const CliResult many = run_cli(recall + QStringList{"--needles", "13"});
    QVERIFY2(many.code == 2 && many.err.contains("Use 12 needles or fewer"), many.err.constData());
  }

  void one_process_writes_evidence() {
    const TempDir temp;
    std::string story;
    for (int i = 0; i < 6; ++i) story += read_bytes(demo_text().toStdString()) + " ";
    write_bytes(temp.file("story.txt"), story);
    const QString evidence = text(temp.file("kept.json"));
    const FolderLock writing(evidence.toStdString(), FolderLock::Of::File);
    for (const QStringList& method : {QStringList{text(temp.file("story.txt")), "--recall", "--documents", "3",
                                                  "--held-out", "1", "--segments", "4", "--needles", "1"},
                                      {"--method", "duo", "--tokens", "320", "--passkey-words", "2", "--sinks", "4",
                                       "--recent", "24", "--steps", "2"}}) {
      const CliResult refused = run_cli(QStringList{"heads", demo_model()} + method +
                                        QStringList{"--evidence", evidence, "--quiet", "--threads", "1"});
      QVERIFY2(refused.code == 2 && refused.err.contains("another process writes this file"), refused.err.constData());
    }
    QVERIFY(!QFile::exists(evidence));
  }

  void patterns_of_heads_are_found_and_run_under() {
    const TempDir temp;
    const std::string path = temp.file("patterns.json");
    const QStringList common = {"heads",     demo_model(), demo_text(), "--method", "minference",
                                "--threads", "1",          "--dtype",   "fp32",     "--quiet"};
    const json found =
        json_of(run_cli(common + QStringList{"--tokens", "1100", "--patterns-out", text(path), "--json"}));
    QCOMPARE(found.at("tokens").get<int>(), 1100);
    QCOMPARE(found.at("heads").size(), std::size_t{4 * 8});
    const double seen = found.at("all").at("seen").get<double>();
    QVERIFY(seen > 0 && seen < 1);
    QVERIFY(json::parse(read_bytes(path)) == found.at("patterns"));
    QCOMPARE(read_head_patterns(path).count(), 4 * 8);
    const json run = json_of(run_cli(run_demo(
        {demo_text(), "--policy", "minference", "--head-patterns", text(path), "--tokens", "1200", "--json"})));
    QCOMPARE(run.at("tokens").get<int>(), 1200);

    // By default the demo's text, as much as the model's context has.
    const CliResult table = run_cli({"heads", demo_model(), "--method", "minference", "--dtype", "fp32", "--quiet"});
    QVERIFY2(table.code == 0, table.err.constData());
    QVERIFY2(table.out.startsWith("patterns on 2048 tokens") && table.out.contains("means"), table.out.constData());
  }

  void gates_are_learned_go_on_and_run() {
    const TempDir temp;
    const QString evidence = text(temp.file("kept.json")), grouping = text(temp.file("heads.json")),
                  out = text(temp.file("duo"));
    const QStringList learn = {"heads",      demo_model(), "--method", "duo", "--tokens", "320", "--passkey-words", "2",
                               "--passkeys", "1",          "--sinks",  "4",   "--recent", "24",  "--steps",         "6",
                               "--threads",  "1",          "--dtype",  "fp32"},
                      common = learn + QStringList{"--quiet"};
    const json found = json_of(run_cli(
        common + QStringList{"--evidence", evidence, "--grouping-out", grouping, "--gates-out", out, "--json"}));
    QCOMPARE(found.at("gates").size(), std::size_t{4});
    QCOMPARE(found.at("distances").size(), std::size_t{6});
    for (const json& row : found.at("gates"))
      for (const json& gate : row) QVERIFY(gate.get<double>() >= 0 && gate.get<double>() <= 1);
    QVERIFY(found.at("mean_gate").get<double>() < 1);
    QVERIFY(json::parse(read_bytes(temp.file("heads.json"))) == found.at("proposed"));
    QCOMPARE(json::parse(read_bytes(temp.file("duo/config.json"))).at("recent_size").get<int>(), 24);

    // Its files are read as DuoAttention's, and policy duo runs with what is proposed.
    QCOMPARE(run_cli({"heads", demo_model(), "--from", out + "/full_attention_heads.tsv"}).code, 0);
    QCOMPARE(
        run_cli(run_demo({demo_text(), "--policy", "duo", "--config", grouping, "--tokens", "200", "--quiet"})).code,
        0);

    // The file is complete, so that nothing is learned again; without it, the same is.
    json kept = json::parse(read_bytes(temp.file("kept.json")));
    QCOMPARE(kept.at("gates").at("distances").size(), std::size_t{6});
    QCOMPARE(json_of(run_cli(common + QStringList{"--evidence", evidence, "--json"})).dump(), found.dump());
    QCOMPARE(json_of(run_cli(common + QStringList{"--json"})).dump(), found.dump());
    const CliResult other = run_cli(common + QStringList{"--evidence", evidence, "--seed", "2"});
    QVERIFY2(other.code == 2 && other.err.contains("kept.json"), other.err.constData());
    kept["gates"]["gates"].push_back(1);
    write_bytes(temp.file("kept.json"), kept.dump());
    QCOMPARE(run_cli(common + QStringList{"--evidence", evidence}).code, 3);

    const CliResult table = run_cli(learn + QStringList{demo_text()});
    QVERIFY2(table.code == 0 && table.err.contains("6 steps, each on a text of 320 tokens"), table.err.constData());
    QVERIFY2(table.out.contains("mean gate") && table.out.contains("proposed"), table.out.constData());
    QVERIFY(run_cli(common).out != table.out.constData());  // another haystack
    const QStringList other_settings = {"heads", demo_model(),      "--method", "duo",    "--tokens",
                                        "320",   "--passkey-words", "2",        "--quiet"};
    const CliResult near = run_cli(other_settings + QStringList{"--sinks", "300"});
    QVERIFY2(near.code == 3 && near.err.contains("all of which"), near.err.constData());
    QCOMPARE(run_cli(other_settings + QStringList{"--sparsity", "1.5"}).code, 2);
    const CliResult many = run_cli(other_settings + QStringList{"--passkeys", "21"});
    QVERIFY2(many.code == 3 && many.err.contains("21 passkeys"), many.err.constData());
  }

  void what_suits_another_method_is_refused() {
    const TempDir temp;
    const QString file = text(temp.file("out.json"));
    const QStringList patterns = {"heads", demo_model(), demo_text(), "--method", "minference", "--quiet"};
    for (const QStringList& more : {QStringList{"--recall"},
                                    {"--kinds", "copy"},
                                    {"--from", demo_text()},
                                    {"--against", demo_text()},
                                    {"--grouping-out", file},
                                    {"--tsv-out", file},
                                    {"--scores-out", file}}) {
      const CliResult result = run_cli(patterns + more);
      QVERIFY2(result.code == 2 && result.err.contains(more.front().toUtf8()), result.err.constData());
    }
    for (const QStringList& more : {QStringList{"--recall"},
                                    {"--kinds", "copy"},
                                    {"--from", demo_text()},
                                    {"--against", demo_text()},
                                    {"--patterns-out", file},
                                    {"--tsv-out", file},
                                    {"--scores-out", file}}) {
      const CliResult result = run_cli(QStringList{"heads", demo_model(), "--method", "duo", "--quiet"} + more);
      QVERIFY2(result.code == 2 && result.err.contains(more.front().toUtf8()), result.err.constData());
    }
    for (const QStringList& more : {QStringList{"--kinds", "copy"},
                                    {"--from", demo_text()},
                                    {"--against", demo_text()},
                                    {"--layers", "2"},
                                    {"--heads", "2"},
                                    {"--tsv-out", file},
                                    {"--scores-out", file}}) {
      const CliResult result = run_cli(QStringList{"heads", demo_model(), demo_text(), "--recall", "--quiet"} + more);
      QVERIFY2(result.code == 2 && result.err.contains(more.front().toUtf8()), result.err.constData());
    }
    const CliResult evidence = run_cli({"heads", demo_model(), demo_text(), "--evidence", file});
    QVERIFY2(evidence.code == 2 && evidence.err.contains("--recall"), evidence.err.constData());
    const CliResult gates = run_cli({"heads", demo_model(), "--gates-out", file});
    QVERIFY2(gates.code == 2 && gates.err.contains("--method duo"), gates.err.constData());
    const CliResult none = run_cli({"heads", demo_model(), "--patterns-out", file});
    QVERIFY2(none.code == 2 && none.err.contains("--method minference"), none.err.constData());
    QCOMPARE(run_cli({"heads", demo_model(), "--method", "guess"}).code, 2);
    QCOMPARE(run_cli(patterns + QStringList{"--tokens", "0"}).code, 2);
    QCOMPARE(run_cli(patterns + QStringList{demo_text()}).code, 2);  // of two texts
    const CliResult few = run_cli(patterns + QStringList{"--tokens", "500"});
    QVERIFY2(few.code == 3 && few.err.contains("1024 or more"), few.err.constData());
    QVERIFY(!QFile::exists(file));
  }

  void what_can_not_be_read_is_said() {
    const TempDir temp;
    write_bytes(temp.file("bad.tsv"), "0.1\tx\n");
    const CliResult bad = run_cli({"heads", demo_model(), "--from", text(temp.file("bad.tsv"))});
    QVERIFY2(bad.code == 3 && bad.err.contains("bad.tsv"), bad.err.constData());
    QCOMPARE(run_cli({"heads", demo_model(), "--probes", "0"}).code, 2);
    QCOMPARE(run_cli({"heads", demo_model(), "--kinds", "hay"}).code, 2);
    QCOMPARE(run_cli({"heads", demo_model(), "--kinds", "passage", "--quiet"}).code, 3);  // of no text
    QCOMPARE(run_cli({"heads", demo_model(), "--tokens", "50", "--quiet"}).code, 3);      // less than two needles
    write_bytes(temp.file("short.txt"), "Too short.");
    QCOMPARE(run_cli({"heads", demo_model(), text(temp.file("short.txt")), "--quiet"}).code, 3);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<HeadsCommandTest>};
#include "heads_command_test.moc"
