// SPDX-License-Identifier: GPL-3.0-or-later
// The settings panel shows a configuration whole: what is changed in it changes, and nothing else does.
#include "widgets/panels/config_panel.h"

#include <QComboBox>
#include <QTest>
#include <QUndoStack>

#include "tests/support/gui_test.h"
#include "tests/support/random_config.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"

using namespace carryover;

namespace {

QComboBox* choice_of(ConfigPanel& panel, const QString& name) {
  for (QComboBox* box : panel.findChildren<QComboBox*>())
    if (box->findText(name) >= 0) return box;
  return nullptr;
}

void choose(QComboBox& box, int index) {
  box.setCurrentIndex(index);
  Q_EMIT box.activated(index);
}

}  // namespace

class ConfigPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_choice_of_pool_keys_changes_them_alone_and_is_undone() {
    LabContext lab;
    ConfigPanel panel(lab);
    panel.show();
    const ModelConfig model = test::synthetic_model().config;
    QComboBox* box = choice_of(panel, QStringLiteral("int8"));
    QVERIFY(box && !box->toolTip().isEmpty());
    QCOMPARE(box->count(), static_cast<int>(kPoolKeys.size()));
    std::mt19937 random(5);
    for (int i = 0; i < 12; ++i) {
      SegmentConfig config = test::random_segment_config(random, model);
      config.rope.reset();
      lab.set_model(model, config);
      test::settle();
      QCOMPARE(box->currentText().toStdString(), std::string(pool_keys_name(config.pool_keys)));
      SegmentConfig other = config;
      other.pool_keys = kPoolKeys[(static_cast<std::size_t>(config.pool_keys) + 1) % kPoolKeys.size()];
      choose(*box, box->findText(QString::fromUtf8(pool_keys_name(other.pool_keys).data())));
      QVERIFY(lab.config() == other);
      lab.undo_stack().undo();
      test::settle();
      QVERIFY(lab.config() == config);
      QCOMPARE(box->currentText().toStdString(), std::string(pool_keys_name(config.pool_keys)));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ConfigPanelTest>};
#include "config_panel_test.moc"
