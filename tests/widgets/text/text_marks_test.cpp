// SPDX-License-Identifier: GPL-3.0-or-later
// The text's colours by unit and by what-if, and the stretch of tokens that is marked in it.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>
#include <array>
#include <vector>

#include "engine/tokenizers/tokenizer.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "widgets/lab/lab_context.h"
#include "widgets/look/theme.h"
#include "widgets/text/text_panel.h"
#include "widgets/text/token_view.h"

using namespace carryover;

namespace {

constexpr int segment_length = 64;

/// A text of two sentences a line by the demo's tokens, run in two segments.
void read_text(LabContext& lab) {
  const std::string demo = CARRYOVER_SOURCE_DIR "/resources/demo";
  const auto tokenizer = Tokenizer::load(demo);
  std::string text;
  for (int line = 0; line < 30; ++line) text += "The fog was thick. We drank our tea.\n";
  RunRequest request = test::synthetic_request(2, segment_length);
  auto ids = tokenizer->encode(text);
  ids.resize(2 * segment_length);
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  lab.run().begin(test::synthetic_model(), request, tokenizer);
  for (int segment = 0; segment < 2; ++segment) lab.run().append(test::synthetic_snapshot(lab.run(), segment));
  lab.select_segment(1);
}

/// A what-if that makes the tokens of [first, last) worse by 2 nats.
WhatIfResult worse(const TokenRange& range) {
  WhatIfOutcome before, after;
  for (std::int64_t token = segment_length + 1; token < 2 * segment_length; ++token) {
    before.target_nll.push_back(1);
    after.target_nll.push_back(range.contains(token) ? 3.F : 1.F);
  }
  WhatIfResult result;
  result.name = QStringLiteral("worse");
  result.segment = 1;
  result.first_token = segment_length;
  compare(result, RunModel(), before, after);
  return result;
}

QColor colour_of(TokenView& view, std::int64_t token) {
  const QRect box = view.token_rect(token);
  return view.viewport()->grab().toImage().pixelColor(box.left() + box.width() - 2, box.top() + 2);
}

/// An entry of a context menu.
struct Entry {
  QString text, tip;
  bool enabled = false;
};

/// Returns the entries of the menu that a right click on the token opens.
std::vector<Entry> entries_at(QWidget& panel, TokenView& view, std::int64_t token) {
  const QPoint at = view.token_rect(token).center();
  QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
  QApplication::sendEvent(view.viewport(), &event);
  std::vector<Entry> entries;
  auto* menu = panel.findChild<QMenu*>();
  if (menu == nullptr) return entries;
  for (const QAction* action : menu->actions())
    if (!action->isSeparator()) entries.push_back({action->text(), action->toolTip(), action->isEnabled()});
  menu->close();
  test::settle();
  return entries;
}

Entry entry_with(const std::vector<Entry>& entries, const char* words) {
  for (const Entry& entry : entries)
    if (entry.text.contains(QLatin1String(words))) return entry;
  return {QStringLiteral("none"), {}, false};
}

QComboBox* choice(QWidget& panel, const QString& first) {
  for (QComboBox* box : panel.findChildren<QComboBox*>())
    if (box->itemText(0) == first) return box;
  return nullptr;
}

}  // namespace

class TextMarksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void a_what_if_colours_the_text_by_unit() {
    LabContext lab;
    read_text(lab);
    TextPanel panel(lab);
    panel.resize(800, 500);
    panel.show();
    test::settle();
    auto* view = panel.findChild<TokenView*>();
    auto* colour = choice(panel, TextPanel::tr("Colour: hits"));
    auto* unit = choice(panel, TextPanel::tr("By token"));
    const int change = colour->findText(TextPanel::tr("Colour: Δ loss of the what-if"));
    const auto offered = [&] { return colour->model()->flags(colour->model()->index(change, 0)) & Qt::ItemIsEnabled; };
    QVERIFY(!offered());
    const std::int64_t token = segment_length + 20;
    const TextUnits units(lab.run());
    const TokenRange sentence = units.around(token, TextUnit::Sentence), line = units.around(token, TextUnit::Line);
    QVERIFY(line.last - line.first > sentence.last - sentence.first && sentence.last - sentence.first > 2);
    lab.what_ifs().append(worse({token, token + 1}));
    QVERIFY(offered());
    colour->setCurrentIndex(change);
    view->show_token(segment_length, true);
    const QColor plain = current_theme().surface;
    const std::int64_t neighbour = token + 1 < sentence.last ? token + 1 : token - 1;
    const auto colours = [&](TextUnit by) {
      unit->setCurrentIndex(static_cast<int>(by));
      test::settle();
      return std::array{colour_of(*view, token), colour_of(*view, neighbour), colour_of(*view, line.last + 3)};
    };
    const auto by_token = colours(TextUnit::Token);
    QVERIFY(by_token[0] != plain && by_token[0] != by_token[1] && by_token[1] == by_token[2]);
    const auto by_sentence = colours(TextUnit::Sentence);
    QCOMPARE(by_sentence[0], by_sentence[1]);
    QVERIFY(by_sentence[0] != by_sentence[2] && by_sentence[0] != by_token[0]);  // a mean is paler
    const auto by_segment = colours(TextUnit::Segment);
    QVERIFY(by_segment[0] == by_segment[1] && by_segment[1] == by_segment[2]);
    // Another run: nothing of it is coloured by that what-if.
    read_text(lab);
    QVERIFY(!offered() && colour->currentIndex() == 0);
  }

  void tokens_are_marked_by_dragging_and_by_key() {
    LabContext lab;
    read_text(lab);
    TextPanel panel(lab);
    panel.resize(800, 500);
    panel.show();
    test::settle();
    auto* view = panel.findChild<TokenView*>();
    view->show_token(segment_length, true);
    const std::int64_t first = segment_length + 5;
    const auto middle = [&](std::int64_t token) { return view->token_rect(token).center(); };
    QTest::mousePress(view->viewport(), Qt::LeftButton, {}, middle(first));
    QVERIFY(view->marked_range() == TokenRange{});
    QMouseEvent move(QEvent::MouseMove, middle(first + 6), view->viewport()->mapToGlobal(middle(first + 6)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view->viewport(), &move);
    QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, middle(first + 6));
    QVERIFY(view->marked_range() == (TokenRange{first, first + 7}));
    QCOMPARE(lab.selected().token, first);
    QTest::keyClick(view, Qt::Key_Left, Qt::ShiftModifier);
    QVERIFY(view->marked_range() == (TokenRange{first, first + 6}));
    QTest::keyClick(view, Qt::Key_Right);
    QVERIFY(view->marked_range() == TokenRange{} && lab.selected().token == first + 1);
    QTest::keyClick(view, Qt::Key_Left, Qt::ShiftModifier);
    QTest::keyClick(view, Qt::Key_Left, Qt::ShiftModifier);
    QVERIFY(view->marked_range() == (TokenRange{first - 1, first + 2}));
  }

  void the_menu_makes_a_what_if_of_the_marked_tokens() {
    LabContext lab;
    read_text(lab);
    lab.select({1, 3, 2, 12});
    TextPanel panel(lab);
    panel.resize(800, 500);
    panel.show();
    test::settle();
    auto* view = panel.findChild<TokenView*>();
    view->set_marked_range({10, 14});
    Q_EMIT view->menu_wanted(panel.mapToGlobal(QPoint(50, 50)));
    auto* menu = panel.findChild<QMenu*>();
    QVERIFY(menu);
    for (QAction* action : menu->actions())
      if (!action->isSeparator()) action->trigger();
    QVERIFY(lab.what_ifs().draft().banned == (std::vector<TokenRange>{{10, 14}}));
    QCOMPARE(lab.what_ifs().draft().added.size(), std::size_t{4});
    QVERIFY(lab.what_ifs().draft().added.front() == (SlotRef{3, 2, 10}));
    QString text;
    for (int token = 10; token < 14; ++token) text += lab.run().token_text(token);
    QCOMPARE(QApplication::clipboard()->text(), text);
    menu->close();
  }

  /// As in other programs: the menu is of what is under the pointer, and not of what was selected before.
  void a_right_click_takes_the_token_under_the_pointer() {
    LabContext lab;
    read_text(lab);
    TextPanel panel(lab);
    panel.resize(800, 500);
    panel.show();
    test::settle();
    auto* view = panel.findChild<TokenView*>();
    view->show_token(0, true);
    const std::vector<Entry> retrieved = entries_at(panel, *view, 12);
    QCOMPARE(lab.selected().token, std::int64_t{12});
    QCOMPARE(lab.selected().segment, 1);  // whose what-ifs they are
    for (const Entry& entry : retrieved) QVERIFY(!entry.text.contains(QStringLiteral("-1")));
    QVERIFY(entry_with(retrieved, "Exclude token 12 from all heads").enabled);
    QVERIFY(!entry_with(retrieved, "to the selected head").enabled);
    QCOMPARE(entry_with(retrieved, "to the selected head").tip, TextPanel::tr("Select a head first"));

    lab.select_head(3, 2);
    const Entry far = entry_with(entries_at(panel, *view, 62), "Exclude token 62");  // which no head has
    QVERIFY(!far.enabled);
    QCOMPARE(far.tip, TextPanel::tr("No head retrieved %1 for segment %2").arg(QStringLiteral("token 62")).arg(1));
    QVERIFY(entry_with(entries_at(panel, *view, 62), "Add token 62 to layer 3, head 2").enabled);
    const std::vector<Entry> own = entries_at(panel, *view, segment_length + 3);
    QCOMPARE(lab.selected().token, std::int64_t{segment_length + 3});
    QVERIFY(!entry_with(own, "Exclude").enabled && !entry_with(own, "Add").enabled);

    view->set_marked_range({10, 14});
    QVERIFY(entry_with(entries_at(panel, *view, 11), "Exclude 4 tokens").enabled);
    QCOMPARE(lab.selected().token, std::int64_t{segment_length + 3});
    entries_at(panel, *view, 20);
    QVERIFY(view->marked_range() == TokenRange{} && lab.selected().token == 20);
  }

  void keys_start_at_the_selected_segment() {
    LabContext lab;
    read_text(lab);
    TextPanel panel(lab);
    panel.resize(800, 500);
    panel.show();
    test::settle();
    auto* view = panel.findChild<TokenView*>();
    QCOMPARE(lab.selected().token, std::int64_t{-1});
    QTest::keyClick(view, Qt::Key_Right);
    QVERIFY(lab.selected().token == segment_length && lab.selected().segment == 1);
    QTest::keyClick(view, Qt::Key_Right);
    QCOMPARE(lab.selected().token, std::int64_t{segment_length + 1});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TextMarksTest>};
#include "text_marks_test.moc"
