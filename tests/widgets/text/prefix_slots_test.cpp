// SPDX-License-Identifier: GPL-3.0-or-later
// The slots of a head's prefix as the Prefix panel draws them, against the positions that the engine's attention saw.
#include "widgets/runs/state/prefix_slots.h"

#include <QTest>

#include "engine/api/engine_library.h"
#include "engine/config/recall_preset.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::vector<Hit> hits_read_by(const RunModel& run, int segment, HeadRef head) {
  const auto hits = run.hits(segment, head.layer, head.head);
  return hits ? hits->hits : std::vector<Hit>();
}

}  // namespace

class PrefixSlotsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void are_what_attention_sees_data() {
    QTest::addColumn<QString>("preset");
    QTest::addColumn<int>("sinks");
    QTest::newRow("paper") << "paper" << 0;
    QTest::newRow("sinks") << "paper" << 3;
    QTest::newRow("recall") << "recall" << 4;
  }
  void are_what_attention_sees() {
    QFETCH(const QString, preset);
    QFETCH(const int, sinks);
    MainWindow window;
    open_demo(window, 512);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().loader.model().has_value(), patience_ms);
    SegmentConfig config = window.lab().context.config();
    if (preset == "recall") {
      config.search_heads = {{3, 2}, {3, 4}};
      config = recall_preset(window.lab().loader.model()->info.config, config);
      config.segment_length = 64;
      config.retrieval_length = 32;
      config.carry_length = 16;
    }
    config.sink_length = sinks;
    window.lab().context.set_config(config);
    run_to_the_end(window);
    const RunModel& run = window.lab().context.run();
    QVERIFY(run.segment_count() >= 4);
    const auto session = load_session({demo_folder().toStdString(), DType::Float32, Device::Cpu, 0, false, {}},
                                      [](double, const std::string&) {});
    for (int segment = 0; segment < run.segment_count(); ++segment)
      for (const HeadRef head : {HeadRef{1, 0}, HeadRef{3, 0}, HeadRef{3, 3}}) {
        RunControl control;
        InspectionParts parts;
        parts.attention = head;
        const Inspection seen = session->inspect({run.request(), segment, parts}, control);
        std::vector<std::int64_t> positions;
        for (const PrefixSlot& slot : prefix_slots(run, segment, head, hits_read_by(run, segment, head)))
          positions.push_back(slot.position);
        QVERIFY2(positions == seen.attention->prefix_positions,
                 qPrintable(QString("segment %1, layer %2, head %3: %4 slots, %5 seen")
                                .arg(segment)
                                .arg(head.layer)
                                .arg(head.head)
                                .arg(positions.size())
                                .arg(seen.attention->prefix_positions.size())));
      }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PrefixSlotsTest>};
#include "prefix_slots_test.moc"
