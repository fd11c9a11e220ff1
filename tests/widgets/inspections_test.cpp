// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/inspections.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

InspectionQuery masses_of(int segment) {
  InspectionQuery query{segment, {}};
  query.parts.masses = true;
  return query;
}

InspectionQuery attention_of(int segment, int layer, int head) {
  InspectionQuery query{segment, {}};
  query.parts.attention = HeadRef{layer, head};
  return query;
}

InspectionQuery search_of(int segment, int layer, int head) {
  InspectionQuery query{segment, {}};
  query.parts.search = HeadRef{layer, head};
  return query;
}

std::shared_ptr<const Inspection> answer_of(int segment) {
  auto answer = std::make_shared<Inspection>();
  answer->segment = segment;
  return answer;
}

const QString a = QStringLiteral("a"), b = QStringLiteral("b"), c = QStringLiteral("c");

}  // namespace

class InspectionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void questions_of_one_segment_become_one() {
    const auto both = merged(masses_of(3), attention_of(3, 1, 2));
    QVERIFY(both && both->parts.masses && both->parts.attention == (HeadRef{1, 2}));
    QVERIFY(covers(*both, masses_of(3)) && covers(*both, attention_of(3, 1, 2)));
    QVERIFY(!covers(masses_of(3), *both) && !covers(*both, masses_of(4)) && !covers(*both, attention_of(3, 1, 1)));
    QVERIFY(!merged(masses_of(3), masses_of(4)));
    QVERIFY(!merged(attention_of(3, 1, 2), attention_of(3, 1, 1)));
    InspectionQuery coarse = attention_of(3, 1, 2);
    coarse.parts.map_columns = 64;
    QVERIFY(!merged(attention_of(3, 1, 2), coarse) && !covers(coarse, attention_of(3, 1, 2)));
    QVERIFY(merged(search_of(3, 6, 0), attention_of(3, 1, 2)));
  }

  void logits_against_another_foil_are_another_question() {
    InspectionQuery plain{3, {}}, foil{3, {}};
    plain.parts.attribution = foil.parts.sources = 7;
    foil.parts.foil = 5;
    QVERIFY(!merged(plain, foil) && merged(masses_of(3), foil)->parts.foil == 5);
    plain.parts.foil = 5;
    const auto both = merged(plain, foil);
    QVERIFY(both && covers(*both, plain) && covers(*both, foil) && covers(*both, {3, {}}));
    plain.parts.foil = 6;
    QVERIFY(!covers(*both, plain));
  }

  void a_token_is_explained_in_one_question_but_its_ablations_come_later() {
    InspectionQuery quick{3, {}}, slow{3, {}};
    quick.parts.attribution = quick.parts.lens = quick.parts.sources = slow.parts.ablations = 7;
    quick.parts.neurons = 20;
    slow.parts.top = 5;
    const auto both = merged(quick, slow);
    QVERIFY(both && covers(*both, quick) && covers(*both, slow) && !covers(quick, slow) && !covers(slow, quick));
    InspectionQuery other = quick;
    other.parts.lens = 8;
    QVERIFY(!covers(quick, other) && !merged(quick, other));
    other = quick;
    other.parts.neurons = 21;
    QVERIFY(!covers(quick, other) && merged(quick, other)->parts.neurons == 21);
    Inspections board;
    board.want(a, quick);
    board.want(b, slow);
    QVERIFY(board.next()->parts.lens && !board.next()->parts.ablations);
    board.deliver(*board.next(), answer_of(3));
    QVERIFY(board.next()->parts.ablations && !board.next()->parts.lens);
  }

  void a_newer_wish_takes_an_older_ones_place() {
    Inspections board;
    QSignalSpy wanted(&board, &Inspections::wanted);
    board.want(a, attention_of(1, 0, 0));
    board.want(a, attention_of(2, 0, 0));
    board.want(a, attention_of(2, 0, 0));  // the same again says nothing
    QCOMPARE(wanted.count(), 2);
    QVERIFY(!board.is_wanted(attention_of(1, 0, 0)) && board.is_wanted(attention_of(2, 0, 0)));
    QCOMPARE(board.next()->segment, 2);
    board.deliver(attention_of(1, 0, 0), answer_of(1));  // comes too late: nobody's answer any more
    QVERIFY(!board.answer(a));
    board.forget(a);
    QVERIFY(!board.next());
  }

  void the_newest_wish_comes_first_and_takes_others_of_its_segment_along() {
    Inspections board;
    board.want(a, attention_of(5, 1, 1));
    board.want(b, masses_of(4));
    board.want(c, search_of(5, 1, 1));
    const auto first = board.next();
    QVERIFY(first && first->segment == 5 && first->parts.search && first->parts.attention && !first->parts.masses);
    board.deliver(*first, answer_of(5));
    QCOMPARE(board.answer(a)->segment, std::int64_t{5});
    QCOMPARE(board.answer(c), board.answer(a));
    QVERIFY(!board.answer(b));
    QCOMPARE(board.next()->segment, 4);
  }

  void what_asks_every_head_comes_after_what_does_not() {
    Inspections board;
    board.want(a, attention_of(5, 1, 1));
    board.want(b, masses_of(5));
    const auto first = board.next();
    QVERIFY(first && first->parts.attention && !first->parts.masses);
    board.deliver(*first, answer_of(5));
    const auto second = board.next();
    QVERIFY(second && second->parts.masses && !second->parts.attention);
  }

  void answers_are_kept_for_going_back_up_to_a_bound() {
    Inspections board;
    for (int segment = 0; segment <= static_cast<int>(Inspections::answers_kept); ++segment) {
      board.want(a, masses_of(segment));
      board.deliver(*board.next(), answer_of(segment));
    }
    board.want(a, masses_of(1));
    QVERIFY(board.answer(a) && !board.next());
    board.want(a, masses_of(0));  // the oldest one is gone
    QVERIFY(!board.answer(a) && board.next());
    board.reset();
    QVERIFY(!board.next());
    board.want(a, masses_of(1));
    QVERIFY(!board.answer(a));
  }

  void a_failure_is_said_once_and_not_tried_again() {
    Inspections board;
    QSignalSpy changed(&board, &Inspections::changed);
    board.want(a, masses_of(1));
    board.fail(*board.next(), QStringLiteral("no model"));
    QCOMPARE(board.problem(a), QStringLiteral("no model"));
    QVERIFY(!board.next());
    QCOMPARE(changed.count(), 1);
    board.want(a, masses_of(2));
    QVERIFY(board.problem(a).isEmpty() && board.next());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<InspectionsTest>};
#include "inspections_test.moc"
