// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog that opens a model lists those on this computer: which they are, why one does not open, and how a row is
// taken.
#include "app/window/installed_models.h"

#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <filesystem>

#include "app/window/model_dialog.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

using namespace carryover;
using namespace carryover::test;

class InstalledModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<TempDir>();
    qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(folder_->file("cache")));
    std::filesystem::create_directory(folder_->path() / "models");
    for (const char* name : {"good", "bad"})
      std::filesystem::copy(demo_folder().toStdString(), folder_->path() / "models" / name,
                            std::filesystem::copy_options::recursive);
    std::string config = read_bytes(folder_->path() / "models/bad/config.json");
    const std::string family = "\"llama\"";
    config.replace(config.find(family), family.size(), "\"qwen3_moe\"");
    write_bytes(folder_->path() / "models/bad/config.json", config);
  }
  void cleanup() {
    qunsetenv("CARRYOVER_CACHE");
    folder_.reset();
  }

  void models_are_listed_and_one_that_does_not_open_says_why() {
    InstalledModels list(places(), nullptr);
    QVERIFY(QTest::qWaitFor([&] { return !list.is_reading(); }, patience_ms));
    QCOMPARE(list.table().rowCount(), 2);
    const int good = row_of(list, "good"), bad = row_of(list, "bad");
    const auto cell = [&](int row, int column, int role) { return list.table().index(row, column).data(role); };
    QVERIFY(cell(good, InstalledTable::Family, Qt::DisplayRole).toString().contains(QStringLiteral("LLaMA")));
    QCOMPARE(cell(good, InstalledTable::Program, Qt::DisplayRole).toString(), QStringLiteral("folder"));
    QVERIFY(!cell(good, InstalledTable::Size, Qt::DisplayRole).toString().isEmpty());
    QVERIFY(!cell(good, InstalledTable::Name, Qt::ForegroundRole).isValid());
    const ModelFacts& facts = list.table().row(good).facts;
    const auto memory = [&] { return cell(good, InstalledTable::Memory, Qt::DisplayRole).toString(); };
    QCOMPARE(memory(), bytes_text(facts.memory_for(kListedTokens)));
    list.tokens().setValue(1 << 20);
    QCOMPARE(memory(), bytes_text(facts.memory_for(1 << 20)));
    QVERIFY(memory() != bytes_text(facts.memory_for(kListedTokens)));
    QVERIFY(cell(bad, InstalledTable::Memory, Qt::DisplayRole).toString().isEmpty());
    QCOMPARE(cell(bad, InstalledTable::Name, Qt::ForegroundRole).value<QColor>(), current_theme().muted);
    QVERIFY(cell(bad, InstalledTable::Name, Qt::ToolTipRole).toString().contains(QStringLiteral("mixture of experts")));
    list.words().setText(QStringLiteral("goo"));
    QTRY_COMPARE(list.view().model()->rowCount(), 1);
  }

  void a_row_is_taken_by_a_click_and_opened_by_a_double_click() {
    ModelDialog dialog({}, {}, places());
    QVERIFY(dialog.installed() != nullptr);
    dialog.show();
    InstalledModels& list = *dialog.installed();
    QVERIFY(QTest::qWaitFor([&] { return !list.is_reading(); }, patience_ms));
    const auto point = [&](const char* name) {
      const int row = row_of(list, name);
      return list.view().visualRect(list.view().model()->index(row, 0)).center();
    };
    QTest::mouseClick(list.view().viewport(), Qt::LeftButton, {}, point("bad"));
    QVERIFY(dialog.model().text().endsWith(QStringLiteral("bad")));
    QVERIFY(!dialog.open_button().isEnabled() && dialog.problem().contains(QStringLiteral("mixture of experts")));
    QTest::mouseClick(list.view().viewport(), Qt::LeftButton, {}, point("good"));
    QVERIFY(dialog.model().text().endsWith(QStringLiteral("good")) && dialog.open_button().isEnabled());
    QTest::keyClick(&list.view(), list.view().currentIndex().row() == 0 ? Qt::Key_Down : Qt::Key_Up);
    QVERIFY(dialog.model().text().endsWith(QStringLiteral("bad")));
    QSignalSpy chosen(&dialog, &ModelDialog::chosen);
    QTest::mouseDClick(list.view().viewport(), Qt::LeftButton, {}, point("bad"));
    QCOMPARE(chosen.size(), 0);  // a model that does not open leaves the dialog as it is
    Q_EMIT list.view().activated(list.view().model()->index(row_of(list, "good"), 0));
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().value<ModelRequest>().path, folder_->file("models/good"));
  }

  void a_dialog_that_closes_ends_the_reading() {
    for (int i = 0; i < 20; ++i) InstalledModels(places(), nullptr);
    QApplication::processEvents();
  }

  void another_machine_has_no_list() {
    QVERIFY(ModelDialog({}, QStringLiteral("far"), places()).installed() == nullptr);
    QVERIFY(ModelDialog({}, {}, {}).installed() == nullptr);
  }

 private:
  /// The folder of this test alone, and no program's.
  std::vector<ModelPlace> places() const {
    std::vector<ModelPlace> all = model_places({folder_->file("models")});
    std::erase_if(all, [](const ModelPlace& place) { return place.program != "folder"; });
    return all;
  }
  static int row_of(InstalledModels& list, const char* name) {
    for (int row = 0; row < list.table().rowCount(); ++row)
      if (list.table().row(row).path.ends_with(name)) return row;
    return -1;
  }

  std::unique_ptr<TempDir> folder_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<InstalledModelsTest>};
#include "installed_models_test.moc"
