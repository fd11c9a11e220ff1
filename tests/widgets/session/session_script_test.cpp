// SPDX-License-Identifier: GPL-3.0-or-later
// A whole session as examples/session/session.txt has it, by the real program on the demo, against what it gave before:
// indices equal, numbers to 1e-4, the figure by its page, its words and its looks. CARRYOVER_KEEP_GOLDEN=1 in the
// environment makes this run's output the new reference.
#include <QDir>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/gui_test.h"

namespace {

constexpr int patience_ms = 240'000;
const QString golden = QStringLiteral(CARRYOVER_SOURCE_DIR "/tests/golden/session/");

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray output_of(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  return process.waitForFinished(patience_ms) && process.exitCode() == 0 ? process.readAllStandardOutput()
                                                                         : QByteArray();
}

/// Rows of a CSV without the comments that say where it is from.
QList<QByteArrayList> rows(const QByteArray& csv) {
  QList<QByteArrayList> found;
  for (const QByteArray& line : csv.split('\n'))
    if (!line.isEmpty() && !line.startsWith('#')) found += line.split(',');
  return found;
}

/// Says where two tables differ; empty if they are alike. `exact` columns are compared as text, the others to 1e-4.
QString difference(const QList<QByteArrayList>& a, const QList<QByteArrayList>& b, const QByteArrayList& exact) {
  if (a.size() != b.size()) return QStringLiteral("%1 rows, not %2").arg(a.size()).arg(b.size());
  for (qsizetype row = 0; row < a.size(); ++row) {
    if (a[row].size() != b[row].size()) return QStringLiteral("row %1 has other columns").arg(row);
    for (qsizetype column = 0; column < a[row].size(); ++column) {
      const QByteArray &x = a[row][column], &y = b[row][column];
      const bool alike = row == 0 || exact.contains(a[0][column]) || x.isEmpty() || y.isEmpty()
                             ? x == y
                             : std::abs(x.toDouble() - y.toDouble()) <= 1e-4;
      if (!alike)
        return QStringLiteral("row %1, %2: %3, not %4")
            .arg(row)
            .arg(QString::fromUtf8(a[0][column]), QString::fromUtf8(x), QString::fromUtf8(y));
    }
  }
  return {};
}

QImage rendered(const QString& pdf, const QString& to) {
  output_of(QStringLiteral("pdftoppm"), {QStringLiteral("-r"), QStringLiteral("150"), QStringLiteral("-png"),
                                         QStringLiteral("-singlefile"), pdf, to});
  return QImage(to + QStringLiteral(".png")).convertToFormat(QImage::Format_RGB32);
}

/// Mean difference of all channels, 0 to 1.
double mean_difference(const QImage& a, const QImage& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      sum += std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) + std::abs(qBlue(p) - qBlue(q));
    }
  return sum / (765.0 * a.width() * a.height());
}

}  // namespace

class SessionScriptTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    QProcess program;
    program.setWorkingDirectory(folder_.path());
    program.start(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover"),
                  {QStringLiteral("--script"), QStringLiteral("-")});
    // Double precision: no two scores are so close that another machine would order them differently.
    program.write("set dtype fp64\nopen demo\n");
    program.write(read(QStringLiteral(CARRYOVER_SOURCE_DIR "/examples/session/session.txt")));
    program.closeWriteChannel();
    QVERIFY(program.waitForFinished(patience_ms));
    said_ = program.readAllStandardOutput();
    QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0, program.readAllStandardError());
    if (qEnvironmentVariableIsSet("CARRYOVER_KEEP_GOLDEN")) keep();
  }

  void the_numbers_are_as_before_data() {
    QTest::addColumn<QByteArrayList>("exact");
    QTest::newRow("hits.csv") << QByteArrayList{"segment",  "layer", "head",   "slot",
                                                "position", "kind",  "anchor", "summary"};
    QTest::newRow("nll.csv") << QByteArrayList{"position", "segment"};
  }
  void the_numbers_are_as_before() {
    QFETCH(QByteArrayList, exact);
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    const auto now = rows(read(file(name)));
    QVERIFY(now.size() > 100);
    const QString unlike = difference(now, rows(read(golden + name)), exact);
    QVERIFY2(unlike.isEmpty(), qPrintable(unlike));
  }

  void the_what_ifs_are_as_before() {
    const auto now = nlohmann::json::parse(read(file("what-ifs.json")).toStdString());
    const auto then = nlohmann::json::parse(read(golden + "what-ifs.json").toStdString());
    QCOMPARE(now.size(), std::size_t{2});
    QCOMPARE(then.size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      QVERIFY(now[i]["name"] == then[i]["name"] && now[i]["segment"] == then[i]["segment"]);
      QVERIFY(now[i]["edit"] == then[i]["edit"]);
      for (const char* end : {"mean", "low", "high"})
        QVERIFY(std::abs(now[i]["change"][end].get<double>() - then[i]["change"][end].get<double>()) <= 1e-4);
      QCOMPARE(now[i]["changed_hits"].size(), then[i]["changed_hits"].size());
      for (std::size_t hit = 0; hit < now[i]["changed_hits"].size(); ++hit)
        for (const char* key : {"layer", "head", "position", "kind"})
          QVERIFY(now[i]["changed_hits"][hit][key] == then[i]["changed_hits"][hit][key]);
    }
    QCOMPARE(now[0]["changed_hits"].size(), std::size_t{1});
  }

  void what_was_asked_to_be_said_is() {
    for (const char* part : {"without the best hit", "without any prefix", "common targets, nats", "anchor"})
      QVERIFY2(said_.contains(part), said_);
  }

  void figures_are_a_columns_size_and_say_what_they_show_data() {
    QTest::addColumn<QString>("words");
    QTest::newRow("map.pdf") << "Query segment|anchor|expanded";
    QTest::newRow("compare.pdf") << "A predicts better|nats";
  }
  void figures_are_a_columns_size_and_say_what_they_show() {
    QFETCH(QString, words);
    const QString pdf = file(QTest::currentDataTag());
    const QString info = QString::fromUtf8(output_of("pdfinfo", {pdf}));
    const auto size = QRegularExpression(QStringLiteral("Page size:\\s+([\\d.]+) x ([\\d.]+) pts")).match(info);
    QVERIFY2(size.hasMatch(), qPrintable(info));
    QVERIFY(std::abs(size.captured(1).toDouble() / 72 * 25.4 - 85) < 0.2);
    QVERIFY(std::abs(size.captured(2).toDouble() / 72 * 25.4 - 60) < 0.2);
    const QString text = QString::fromUtf8(output_of("pdftotext", {pdf, "-"}));
    for (const QString& word : words.split(u'|')) QVERIFY2(text.contains(word), qPrintable(text));
  }

  void the_map_looks_as_before() {
    const QImage now = rendered(file("map.pdf"), file("map-now")), then = QImage(golden + "map.png");
    QVERIFY(!now.isNull() && !then.isNull());
    QCOMPARE(now.size(), then.size());
    const double unlike = mean_difference(now, then.convertToFormat(QImage::Format_RGB32));
    QVERIFY2(unlike < 0.01, qPrintable(QString::number(unlike)));
    QImage blank(now.size(), QImage::Format_RGB32);
    blank.fill(Qt::white);
    QVERIFY(mean_difference(now, blank) > 0.02);  // else the bound above would say nothing
  }

  void pictures_are_there() {
    for (const char* name : {"map.png", "prefix.png", "what-if.png", "compare.png"})
      QVERIFY2(QImage(file(name)).width() > 300, name);
  }

  /// libgomp reads its settings when it is loaded, and Qt loads it before main().
  void worker_threads_are_told_not_to_spin() {
    QProcess program;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("GOMP_SPINCOUNT"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover"),
                  {QStringLiteral("--script"), QStringLiteral("-")});
    QVERIFY(program.waitForStarted());
    const QString process = QStringLiteral("/proc/%1/").arg(program.processId());
    QTRY_VERIFY_WITH_TIMEOUT(read(process + QStringLiteral("environ")).contains("GOMP_SPINCOUNT=5000"), 20'000);
    QCOMPARE(read(process + QStringLiteral("comm")), QByteArray("carryover\n"));
    program.write("# nothing\n");
    program.closeWriteChannel();
    QVERIFY(program.waitForFinished(patience_ms));
    QCOMPARE(program.exitCode(), 0);
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }

  /// Without where this machine has its files, and how long it took.
  void keep() {
    QDir().mkpath(golden);
    const auto write = [](const QString& name, const QByteArray& bytes) {
      QFile out(golden + name);
      QVERIFY(out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size());
    };
    for (const QString name : {"hits.csv", "nll.csv"}) {
      QByteArray table;
      for (const QByteArrayList& row : rows(read(file(name)))) table += row.join(',') + '\n';
      write(name, table);
    }
    auto what_ifs = nlohmann::json::parse(read(file("what-ifs.json")).toStdString());
    for (auto& result : what_ifs)
      for (const char* key : {"run", "seconds", "before", "after"}) result.erase(key);
    write("what-ifs.json", QByteArray::fromStdString(what_ifs.dump(1) + "\n"));
    QVERIFY(rendered(file("map.pdf"), file("map-now")).save(golden + "map.png"));
  }

  QTemporaryDir folder_;
  QByteArray said_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionScriptTest>};
#include "session_script_test.moc"
