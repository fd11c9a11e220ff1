// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover export RUN`: figures, data and reports of a finished run, by the program itself and without a display.
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "engine/formats/npy.h"
#include "engine/runs/records/run_reader.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::CliResult;

namespace {

CliResult run_program(const QString& program, const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(display);
  process.setProcessEnvironment(environment);
  process.start(program, arguments);
  return test::finish_cli(process);
}

CliResult run_carryover(const QStringList& arguments) {
  return run_program(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover"), arguments);
}

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class FigureCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    const CliResult result =
        test::run_cli(test::run_demo({test::demo_text(), "--tokens", "700", "--segment-length", "64", "--carry-length",
                                      "16", "--retrieval-length", "16", "--carry-maps", "--out", run_, "--quiet"}));
    QVERIFY2(result.code == 0, result.err.constData());
    stored_ = reopen_run(run_.toStdString());
  }

  void a_figure_has_its_page_labels_and_origin() {
    const QString pdf = file("map.pdf");
    const CliResult result =
        run_carryover({"export", run_, "--figure", "retrieval_map", "--segment", "5", "--size", "85x60mm", "-o", pdf});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY(result.out.contains("written"));
    const QString info = run_program("pdfinfo", {pdf}).out;
    const auto page = QRegularExpression(QStringLiteral("Page size:\\s+([\\d.]+) x ([\\d.]+) pts")).match(info);
    QVERIFY2(page.hasMatch(), qPrintable(info));
    QVERIFY(std::abs(page.captured(1).toDouble() / 72 * 25.4 - 85) < 0.2);
    QVERIFY(std::abs(page.captured(2).toDouble() / 72 * 25.4 - 60) < 0.2);
    const QByteArray text = run_program("pdftotext", {pdf, "-"}).out;
    QVERIFY2(text.contains("Source position (token)") && text.contains("Query segment"), text.constData());
    QVERIFY2(!text.contains("What layer"), "the paper style has no title");
    const QByteArray meta = run_program("pdfinfo", {"-meta", pdf}).out;
    for (const std::string& part : {stored_.description.id, stored_.description.model.weights_hash,
                                    std::string("--figure retrieval_map --segment 5")})
      QVERIFY2(meta.contains(QByteArray::fromStdString(part)), meta.constData());
  }

  /// Values that a run does not keep are computed by its model, which is opened for it.
  void a_figure_against_a_foil_names_it() {
    const QString csv = file("difference.csv");
    const QStringList words{"export", run_, "--figure", "attribution", "--token", "386", "-o", csv, "--foil"};
    const CliResult result = run_carryover(words + QStringList{" May"});
    QVERIFY2(result.code == 0, result.err.constData());
    const QByteArray rows = contents(csv);
    QVERIFY2(rows.contains("--foil ' May'") && rows.contains("\n3,4,"), rows.constData());
    const CliResult wrong = run_carryover(words + QStringList{"May"});
    QVERIFY2(wrong.code != 0 && wrong.err.contains("3 tokens"), wrong.err.constData());
  }

  /// If a run does not keep the values that a plot draws, its model computes them; without the model the plot says what
  /// is missing.
  void what_a_run_does_not_keep_is_computed() {
    for (const char* figure : {"attention", "attribution", "attribution_layers", "carry", "prefix_scores"}) {
      const QString csv = file(figure) + ".csv";
      const CliResult made = run_carryover({"export", run_, "--figure", figure, "--token", "386", "-o", csv});
      QVERIFY2(made.code == 0, made.err.constData());
      QVERIFY2(contents(csv).count('\n') > 10, figure);
    }
    const QString model = file("model"), run = file("run_of_it");
    std::filesystem::copy(test::demo_model().toStdString(), model.toStdString());
    QCOMPARE(test::run_cli({"run", model, test::demo_text(), "--tokens", "700", "--out", run, "--quiet"}).code, 0);
    std::filesystem::remove_all(model.toStdString());
    const CliResult lost =
        run_carryover({"export", run, "--figure", "attention", "--token", "386", "-o", file("lost.csv")});
    QVERIFY(lost.code != 0);
    QVERIFY2(lost.err.contains("is empty") && !lost.err.contains("run a text first"), lost.err.constData());
  }

  /// The command that a figure names makes the same figure.
  void a_figure_is_remade_by_its_own_command() {
    const QString first = file("carry.png"), again = file("again.png");
    QVERIFY(run_carryover({"export", run_, "--figure", "carry", "--segment", "3", "--choose",
                           QStringLiteral("What the map shows=Value norm ‖V‖"), "--view=2,10,0,3", "--dpi", "150", "-o",
                           first})
                .code == 0);
    const QString source = QImage(first).text("Source");
    const QString command = source.mid(source.indexOf("remade by: ") + 11);
    QVERIFY2(command.startsWith("carryover export ") && command.contains("--view=2,10,0,3"), qPrintable(command));
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QStringLiteral(CARRYOVER_BINARY_DIR "/bin:") + environment.value("PATH"));
    shell.setProcessEnvironment(environment);
    shell.setWorkingDirectory(QString::fromStdString(temp_.path().string()));
    shell.start("sh", {"-c", QString(command).replace("-o carry.png", "-o again.png")});
    const CliResult result = test::finish_cli(shell);
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY(QImage(first) == QImage(again));
    QVERIFY(!QImage(first).isNull());
  }

  void other_formats_carry_the_run_too() {
    const QByteArray id = QByteArray::fromStdString(stored_.description.id);
    for (const char* name : {"loss.svg", "loss.csv"}) {
      const CliResult result = run_carryover({"export", run_, "--figure", "loss", "-o", file(name)});
      QVERIFY2(result.code == 0, result.err.constData());
      QVERIFY2(contents(file(name)).contains(id), name);
    }
    const auto width =
        QRegularExpression(QStringLiteral("<svg[^>]* width=\"([\\d.]+)")).match(contents(file("loss.svg")));
    QVERIFY(std::abs(width.captured(1).toDouble() / 72 * 25.4 - 85) < 0.2);
    QCOMPARE(run_carryover({"export", run_, "--figure", "loss", "-o", file("loss.npy"), "--quiet"}).code, 0);
    const NpyArray array = read_npy(file("loss.npy").toStdString());
    QCOMPARE(array.shape, (std::vector<std::int64_t>{11, 3}));
    QVERIFY(contents(file("loss.npy.json")).contains(id));
  }

  /// The published experiment has every policy over one text, with the bytes that it sees beside it.
  void an_experiment_has_a_figure_of_a_text() {
    const QString results = QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/evaluations/experiment-policies.json");
    const QStringList words{"export", results, "--figure", "loss-by-position", "-o"};
    const CliResult first = run_carryover(words + QStringList{file("first.csv")});
    QVERIFY2(first.code == 0, first.err.constData());
    const QByteArray rows = contents(file("first.csv"));
    QVERIFY2(rows.contains("\"streaming, ") && rows.contains("\"full, 755 MB\""), rows.constData());
    QVERIFY(rows.contains("--figure loss-by-position") && rows.contains("Policies side by side"));
    const CliResult named = run_carryover(words + QStringList{file("named.csv"), "--choose", "Text=Dracula"});
    QVERIFY2(named.code == 0, named.err.constData());
    const auto numbers = [](const QByteArray& csv) { return csv.mid(csv.indexOf("\"segmented")); };
    QCOMPARE(numbers(contents(file("named.csv"))), numbers(rows));
    const CliResult part = run_carryover(words + QStringList{file("part.png"), "--view=0,8192,3,4"});
    QVERIFY2(part.code == 0, part.err.constData());
    QVERIFY(QImage(file("part.png")).text("Source").contains("--view=0,8192,3,4"));
    for (const QStringList& wrong : {QStringList{"--choose", "Text=Emma"}, QStringList{"--choose", "Layer=3"}}) {
      const CliResult refused = run_carryover(words + QStringList{file("wrong.csv")} + wrong);
      QVERIFY2(refused.code != 0 && refused.err.contains("Dracula"), refused.err.constData());
    }
    const CliResult other = run_carryover({"export", results, "--figure", "loss", "-o", file("wrong.csv")});
    QVERIFY2(other.code != 0 && other.err.contains("Use one of loss-by-position, frontier, comparisons, lost-sinks"),
             other.err.constData());
  }

  /// The same numbers as the tables of docs/results.md, which come of the same file.
  void an_experiment_has_a_frontier_and_comparisons() {
    const QString results = QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/evaluations/experiment-campaign_final.json");
    const QByteArray page = contents(QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/results.md"));
    const auto rows_of = [&](const QStringList& words) {
      const CliResult result =
          run_carryover(QStringList{"export", results, "-o", file("rows.csv"), "--figure"} + words);
      if (result.code != 0) return QList<QByteArray>{result.err};
      QList<QByteArray> lines = contents(file("rows.csv")).trimmed().split('\n');
      lines.removeIf([](const QByteArray& line) { return line.startsWith('#'); });
      return lines.mid(1);
    };
    const auto number = [](const QByteArray& row, qsizetype from_the_end) {
      const QList<QByteArray> fields = row.split(',');
      return fields[fields.size() - from_the_end].toDouble();
    };
    const QList<QByteArray> frontier = rows_of({"frontier"});
    QVERIFY(frontier.size() > 15);
    for (const QByteArray& row : frontier) {
      const QByteArray recipe = row.mid(1, row.indexOf('"', 1) - 1);
      const QByteArray cells =
          " | " + QByteArray::number(number(row, 2), 'f', 2) + " | " + (number(row, 1) == 1 ? "\u2022 |" : " |");
      const bool listed = std::ranges::any_of(page.split('\n'), [&](const QByteArray& line) {
        return line.startsWith("| " + recipe + " |") && line.endsWith(cells);
      });
      QVERIFY2(listed, row.constData());
    }
    const QList<QByteArray> some = rows_of({"frontier", "--choose", "Recipe=base", "--choose", "Length=8192"});
    QVERIFY(!some.isEmpty() && some.size() < frontier.size());
    for (const QByteArray& row : some) QVERIFY2(row.startsWith("\"as it is\""), row.constData());
    const QList<QByteArray> comparisons = rows_of({"comparisons"});
    QVERIFY(comparisons.size() > 20);
    for (const QByteArray& row : comparisons) {
      const QByteArray title = row.mid(1, row.indexOf('"', 1) - 1);
      const QByteArray books = QByteArray::number(number(row, 1)) + " of " + QByteArray::number(number(row, 2));
      QVERIFY2(page.contains("| " + title + " | " + QByteArray::number(number(row, 6)) + " | ") &&
                   page.contains(" | " + books + " |"),
               row.constData());
    }
    const QByteArray title = comparisons[0].mid(1, comparisons[0].indexOf('"', 1) - 1);
    for (const QByteArray& row : rows_of({"comparisons", "--choose", "Comparison=" + title}))
      QVERIFY2(row.startsWith('"' + title + '"'), row.constData());
    for (const auto& [figure, choice, advice] : {std::tuple("frontier", "Length=7", "16384"),
                                                 {"frontier", "Recipe=none of them", "as it is"},
                                                 {"frontier", "Text=Dracula", "Length=8192"},
                                                 {"comparisons", "Comparison=x", "the same recipe"},
                                                 {"comparisons", "Comparison", "Comparison=TITLE"}}) {
      const QList<QByteArray> refused = rows_of({figure, "--choose", choice});
      QVERIFY2(refused.size() == 1 && refused[0].contains(advice), refused.value(0).constData());
    }
  }

  /// These two are as far apart in the plan as the theme has colours.
  void comparisons_drawn_together_have_colours_of_their_own() {
    const QString results = QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/evaluations/experiment-campaign_final.json");
    const auto colours_of = [&](const QStringList& titles) {
      QStringList words = {"export", results, "--figure", "comparisons", "-o", file("colours.svg")};
      for (const QString& title : titles) words += {"--choose", "Comparison=" + title};
      const CliResult result = run_carryover(words);
      if (result.code != 0) qWarning("%s", result.err.constData());
      QSet<QString> colours;
      static const QRegularExpression colour(QStringLiteral("rgb\\([^)]*\\)"));
      for (const QRegularExpressionMatch& match : colour.globalMatch(QString::fromUtf8(contents(file("colours.svg")))))
        colours.insert(match.captured());
      return colours;
    };
    const QString sinks = "4 sinks and M = 508, S = 512: against M = R = 0, trained by the same recipe",
                  full = "full attention: against M = R = 0, S = 1024, trained by the same recipe";
    const QSet<QString> one = colours_of({sinks});
    QVERIFY(!one.isEmpty());
    QCOMPARE(colours_of({sinks, full}).size(), one.size() + 1);
  }

  /// The figure has the groupings that were measured, with the numbers of docs/results.md.
  void lost_sinks_stand_beside_perplexities() {
    const QString results = QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/evaluations/experiment-smollm2_grouping.json");
    const QByteArray page = contents(QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/results.md"));
    const CliResult result = run_carryover({"export", results, "--figure", "lost-sinks", "-o", file("lost.csv")});
    QVERIFY2(result.code == 0, result.err.constData());
    int points = 0;
    for (const QByteArray& line : contents(file("lost.csv")).split('\n')) {
      if (!line.startsWith('"')) continue;
      const QList<QByteArray> fields = line.split(',');
      const QByteArray perplexity = QByteArray::number(fields.back().toDouble(), 'f', 2);
      const QByteArray percent = QByteArray::number(fields[fields.size() - 2].toDouble(), 'f', 1);
      QVERIFY2(page.contains(" | " + perplexity + " | 12 | 1 | " + percent + " % ["), line.constData());
      ++points;
    }
    QCOMPARE(points, 5);  // the sixth grouping's cells are of an earlier version
  }

  /// Eleven rows, each with its name.
  void rows_of_comparisons_have_all_their_names() {
    const QString results = QStringLiteral(CARRYOVER_SOURCE_DIR "/docs/evaluations/experiment-smollm2_grouping.json");
    const CliResult rows = run_carryover({"export", results, "--figure", "comparisons", "-o", file("rows.csv")});
    QVERIFY2(rows.code == 0, rows.err.constData());
    const CliResult drawn = run_carryover({"export", results, "--figure", "comparisons", "--size", "170x110mm",
                                           "--style", "screen", "-o", file("rows.pdf")});
    QVERIFY2(drawn.code == 0, drawn.err.constData());
    const QByteArray shown = run_program("pdftotext", {file("rows.pdf"), "-"}).out;
    int names = 0;
    for (const QByteArray& line : contents(file("rows.csv")).split('\n'))
      if (line.startsWith('"')) {
        const QByteArray name = line.mid(1, line.indexOf('"', 1) - 1);
        QVERIFY2(shown.contains(name), (name + " is not in\n" + shown).constData());
        ++names;
      }
    QCOMPARE(names, 11);
  }

  void data_read_back_equal() {
    const QString npy = file("hits.npy"), csv = file("hits.csv");
    for (const QString& path : {npy, csv}) {
      const CliResult result = test::run_cli({"export", run_, "--data", "hits", "-o", path});
      QVERIFY2(result.code == 0, result.err.constData());
    }
    const NpyArray records = read_npy(npy.toStdString());
    const QList<QByteArray> lines = contents(csv).split('\n');
    qsizetype line = 0;
    while (lines[line].startsWith("# ")) ++line;
    QCOMPARE(lines[line++], QByteArray("segment,layer,head,slot,position,kind,score,anchor,summary"));
    const auto value = [&](std::int64_t row, std::size_t column) {
      std::size_t offset = static_cast<std::size_t>(row * records.element_bytes());
      for (std::size_t i = 0; i < column; ++i) offset += static_cast<std::size_t>(records.type[i].second[2] - '0');
      return records.bytes.data() + offset;
    };
    std::int64_t row = 0;
    for (int i = 0; i < stored_.segments->count(); ++i) {
      const auto segment = stored_.segments->load(i);
      for (const HeadHits& head : segment->hits)
        for (const Hit& hit : head.hits) {
          std::int64_t position = 0;
          float score = 0;
          std::memcpy(&position, value(row, 4), sizeof position);
          std::memcpy(&score, value(row, 6), sizeof score);
          QCOMPARE(position, hit.position);
          QCOMPARE(static_cast<int>(*value(row, 5)), static_cast<int>(hit.kind));
          const QList<QByteArray> cells = lines[line++].split(',');
          QCOMPARE(cells[4].toLongLong(), hit.position);
          if (hit.kind == HitKind::Padding) {
            QVERIFY(std::isnan(score) && cells[6].isEmpty());
          } else {
            QCOMPARE(score, hit.score);
            QCOMPARE(cells[6].toFloat(), hit.score);
          }
          ++row;
        }
    }
    QVERIFY(row > 100);
    QCOMPARE(records.shape, std::vector<std::int64_t>{row});
  }

  void carry_maps_read_back_equal() {
    QCOMPARE(test::run_cli({"export", run_, "--data", "carry_maps", "-o", file("maps.npy")}).code, 0);
    const std::vector<float> values = npy_floats(read_npy(file("maps.npy").toStdString()), "maps.npy");
    const std::int64_t layers = stored_.description.model.config.layers;
    QCOMPARE(std::ssize(values), 11 * 3 * layers * 16);
    const Map norms = stored_.segments->load(4)->carry_value_norm;
    for (std::int64_t layer = 0; layer < layers; ++layer)
      for (std::int64_t slot = 0; slot < 16; ++slot)
        QCOMPARE(values[static_cast<std::size_t>(((4 * 3 + 1) * layers + layer) * 16 + slot)], norms.at(layer, slot));
  }

  void sinks_read_back_equal() {
    QCOMPARE(test::run_cli({"export", run_, "--data", "sinks", "-o", file("sinks.npy")}).code, 0);
    const NpyArray array = read_npy(file("sinks.npy").toStdString());
    const std::int64_t layers = stored_.description.model.config.layers, columns = std::ssize(kSinkColumns);
    QVERIFY((array.shape == std::vector<std::int64_t>{11, layers, columns}));
    const std::vector<float> values = npy_floats(array, "sinks.npy");
    const Map sinks = stored_.segments->load(4)->sinks;
    QVERIFY(sinks.rows == layers &&
            std::equal(sinks.values.begin(), sinks.values.end(), values.begin() + 4 * layers * columns));
    QCOMPARE(test::run_cli({"export", run_, "--data", "sinks", "-o", file("sinks.csv")}).code, 0);
    const QByteArray csv = contents(file("sinks.csv"));
    QVERIFY(csv.contains("segment,layer,first_norm,") && csv.contains("\n10,"));
    QCOMPARE(test::run_cli({"export", run_, "--data", "segments", "-o", file("segments.csv")}).code, 0);
    QVERIFY(contents(file("segments.csv")).contains(",sink_text_mass,"));
  }

  void sinks_are_figures() {
    const CliResult map = run_carryover({"export", run_, "--figure", "sinks", "-o", file("sinks.pdf")});
    QVERIFY2(map.code == 0, map.err.constData());
    const QByteArray text = run_program("pdftotext", {file("sinks.pdf"), "-"}).out;
    QVERIFY2(text.contains("Share of the attention") && text.contains("Layer"), text.constData());
    const CliResult curves = run_carryover({"export", run_, "--figure", "sink_curves", "--choose",
                                            "What the curves show=Run, by segment", "-o", file("sinks.npy")});
    QVERIFY2(curves.code == 0, curves.err.constData());
    const NpyArray array = read_npy(file("sinks.npy").toStdString());
    QCOMPARE(array.shape[0], std::int64_t{11});
    std::vector<double> values(static_cast<std::size_t>(array.elements()));
    QCOMPARE(array.bytes.size(), values.size() * sizeof(double));
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
    for (int segment = 0; segment < 11; ++segment) {
      const double mass = stored_.outline->segment(segment).record.sinks.value().mass();
      QVERIFY(std::abs(values[static_cast<std::size_t>(segment * array.shape[1] + 1)] - mass) < 1e-5);
    }
  }

  void a_report_holds_pictures_settings_and_numbers() {
    QCOMPARE(run_carryover({"export", run_, "--report", "-o", file("run.html")}).code, 0);
    const QByteArray html = contents(file("run.html"));
    QVERIFY(html.count("data:image/png;base64,") >= 4);
    for (const char* part : {"perplexity", "retrieval_length", "made by", "⟦"}) QVERIFY2(html.contains(part), part);
    QCOMPARE(run_carryover({"export", run_, "--report", "-o", file("run.pdf")}).code, 0);
    const QByteArray text = run_program("pdftotext", {file("run.pdf"), "-"}).out;
    QVERIFY(text.contains("perplexity") && text.contains(QByteArray::fromStdString(stored_.description.id)));
    QVERIFY(run_program("pdfimages", {"-list", file("run.pdf")}).out.count("image") >= 4);
  }

  void a_bench_has_figures_of_its_own() {
    const QString bench = file("bench");
    const CliResult measured = test::run_cli({"bench", "--shape", "tiny", "--contexts", "32,96,300", "--what",
                                              "prefill,decode", "--repeats", "1", "--output", bench, "--quiet"});
    QVERIFY2(measured.code == 0, measured.err.constData());
    for (const char* name : {"prefill-scaling", "latency-memory"}) {
      const QString csv = file(name) + ".csv";
      const CliResult result = run_carryover({"export", bench, "--figure", name, "-o", csv});
      QVERIFY2(result.code == 0, result.err.constData());
      const QByteArray rows = contents(csv);
      QVERIFY2(rows.contains("segmented,full") && rows.contains("# Model: tiny, weights "), rows.constData());
    }
    QVERIFY(contents(file("prefill-scaling.csv")).contains("\n300,"));
    const CliResult wrong = run_carryover({"export", bench, "--figure", "loss", "-o", file("bench.pdf")});
    QVERIFY2(wrong.code == 2 && wrong.err.contains("latency-memory"), wrong.err.constData());
  }

  void an_evaluation_has_three_figures() {
    const QString out = file("evaluation");
    const CliResult made = test::run_cli({"eval", test::demo_model(), "--tasks", "passkey,recall/names", "--lengths",
                                          "256,512", "--policies", "segmented,segmented[retrieval_length=0]",
                                          "--samples", "14", "--limit", "3", "--out", out, "--quiet"});
    QVERIFY2(made.code == 0, made.err.constData());
    const auto figure = [&](const char* name, const QStringList& more) {
      const QString csv = file(name) + ".csv";
      const CliResult result = run_carryover(QStringList{"export", out, "--figure", name, "-o", csv} + more);
      if (result.code != 0) qWarning() << result.err;
      return contents(csv);
    };
    const QByteArray by_length = figure("evaluation", {"--choose", "Task=recall/names"});
    QVERIFY2(by_length.contains("\n\"recall/names\",512,\"segmented[retrieval_length=0]\","), by_length.constData());
    QVERIFY2(by_length.contains("--figure evaluation") && by_length.contains("Task=recall/names"),
             by_length.constData());
    const QByteArray by_bytes = figure("evaluation_frontier", {});
    QCOMPARE(by_bytes.count("\n\"passkey\",\"segmented"), 4);  // a point for each policy and length
    const QByteArray means = figure("evaluation_frontier", {"--choose", "Figure=By KV bytes, mean of tasks"});
    QVERIFY2(means.contains("mean of tasks") && means.count(",\"segmented\",") == 2, means.constData());
    QVERIFY(!figure("evaluation_slices", {"--choose", "Task=recall/names", "--choose", "Policy=segmented"}).isEmpty());
    const CliResult wrong =
        run_carryover({"export", out, "--figure", "evaluation", "--choose", "Task=nothing", "-o", file("nothing.pdf")});
    QVERIFY2(wrong.code == 2 && wrong.err.contains("recall/names"), wrong.err.constData());
    QCOMPARE(run_carryover({"export", out, "--report", "-o", file("nothing.html")}).code, 2);
  }

  void wrong_requests_say_what_is_right_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("part");
    QTest::newRow("figure") << QStringList{"--figure", "rug", "-o", "a.pdf"} << 2 << "retrieval_map";
    QTest::newRow("suffix") << QStringList{"--figure", "loss", "-o", "a.doc"} << 2 << ".pdf";
    QTest::newRow("size") << QStringList{"--figure", "loss", "--size", "1x1mm", "-o", "a.pdf"} << 2 << "85x60mm";
    QTest::newRow("style") << QStringList{"--figure", "loss", "--style", "loud", "-o", "a.pdf"} << 2 << "paper";
    QTest::newRow("segment") << QStringList{"--figure", "loss", "--segment", "99", "-o", "a.pdf"} << 2 << "99";
    QTest::newRow("two things") << QStringList{"--figure", "loss", "--data", "hits", "-o", "a.pdf"} << 2 << "one";
    QTest::newRow("data") << QStringList{"--data", "rug", "-o", "a.csv"} << 2 << "hits, nll";
    QTest::newRow("nothing") << QStringList{"-o", "a"} << 2 << "--figure";
    QTest::newRow("no folder") << QStringList{"--figure", "loss", "-o", "/nowhere/a.pdf"} << 5 << "/nowhere/a.pdf";
  }
  void wrong_requests_say_what_is_right() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, part);
    const CliResult result = run_carryover(QStringList{"export", run_} + arguments);
    QCOMPARE(result.code, code);
    QVERIFY2(result.err.contains(part.toUtf8()), result.err.constData());
  }

  void without_qt_there_are_no_figures() {
    const CliResult result = test::run_cli({"export", run_, "--figure", "loss", "-o", file("none.pdf")});
    QCOMPARE(result.code, 4);
    QVERIFY2(result.err.contains("carryover export"), result.err.constData());
    QVERIFY(!QFile::exists(file("none.pdf")));
  }

 private:
  QString file(const char* name) const { return QString::fromStdString(temp_.file(name)); }
  test::TempDir temp_;
  QString run_ = QString::fromStdString(temp_.file("run"));
  RunContents stored_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<FigureCommandTest>};
#include "figure_command_test.moc"
