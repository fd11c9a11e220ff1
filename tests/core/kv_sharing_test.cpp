// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/kv_sharing.h"

#include <QTest>

#include "engine/config/grouping.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;

class KvSharingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_query_head_reads_its_own_kv_head() {
    std::mt19937 random(5);
    for (int i = 0; i < 500; ++i) {
      const std::int64_t size = test::draw(random, 1, 4);
      std::vector<int> heads;
      for (int head = 0; head < 4 * size; ++head)
        if (test::draw(random, 0, 1) == 1) heads.push_back(head);
      if (heads.empty()) continue;
      const KvSharing sharing = share_kv(heads, size);
      QCOMPARE(std::ssize(sharing.kv_rows) * sharing.r, std::ssize(heads));
      for (std::size_t j = 0; j < heads.size(); ++j)
        QCOMPARE(sharing.kv_rows[j / static_cast<std::size_t>(sharing.r)], heads[j] / static_cast<int>(size));
      QVERIFY(sharing.even || sharing.r == 1);
    }
  }

  void groups_that_view_hold_the_layers_own_rows_and_others_their_copies() {
    const ModelConfig model = test::tiny_config(1, 8, 4);
    const auto held = [&](std::vector<int> heads) { return held_kv_rows(model, Grouping({0}, {heads}), 0); };
    QCOMPARE(held({}), 4);
    QCOMPARE(held({6, 7}), 4);
    QCOMPARE(held({0, 2, 4, 6}), 4);      // both groups see all four
    QCOMPARE(held({0, 3, 4}), 4 + 5);     // heads 1, 2, 5, 6, 7 read 0, 1, 2, 3, 3
    QCOMPARE(held({0, 1, 4, 5}), 2 + 2);  // 0 and 2, 1 and 3
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<KvSharingTest>};
#include "kv_sharing_test.moc"
