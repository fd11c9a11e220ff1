// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/text_panel.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <random>
#include <tuple>

#include "engine/tokenizers/tokenizer.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "widgets/look/theme.h"
#include "widgets/text/state/text_search.h"
#include "widgets/text/token_layout.h"
#include "widgets/text/token_view.h"

using namespace carryover;

namespace {

void begin(RunModel& run, const std::string& text) {
  const auto tokenizer = std::make_shared<test::PlainByteTokenizer>();
  RunRequest request = test::synthetic_request(1);
  request.ids = std::make_shared<const std::vector<std::int32_t>>(tokenizer->encode(text, false));
  run.begin(test::synthetic_model(), request, tokenizer);
}

std::string prose(std::size_t bytes) {
  std::mt19937 random(3);
  std::string text;
  while (text.size() < bytes) {
    for (std::uint32_t letters = 1 + random() % 9; letters > 0; --letters)
      text += static_cast<char>('a' + random() % 26);
    text += random() % 9 == 0 ? '\n' : ' ';
  }
  return text;
}

QString text_of(TokenLayout& layout) {
  QString text;
  for (int block = 0; block < layout.block_count(); ++block)
    for (const TokenLine& line : layout.lines(block))
      for (const TokenPiece& piece : line)
        text += piece.text == QStringLiteral("↵") ? QStringLiteral("\n") : piece.text;
  return text;
}

}  // namespace

class TextPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void lines_hold_the_whole_text_once_within_the_width() {
    for (const std::string& text : {prose(9000), std::string("Ünïcödé 漢字 🙂🙂\nпривет\n"),
                                    std::string(3000, 'x'), std::string("\n\n\na")}) {
      RunModel run;
      begin(run, text);
      TokenLayout layout;
      layout.reset(&run);
      for (const double width : {120.0, 431.0}) {
        layout.set_metrics(QApplication::font(), width);
        QCOMPARE(text_of(layout), QString::fromStdString(text));
        for (int block = 0; block < layout.block_count(); ++block)
          for (const TokenLine& line : layout.lines(block))
            if (line.size() > 1 && line.back().text != QStringLiteral("↵"))
              QVERIFY(line.back().x + line.back().width <= width + 0.5);
      }
    }
  }

  void places_and_tokens_agree() {
    RunModel run;
    begin(run, prose(6000));
    TokenLayout layout;
    layout.reset(&run);
    layout.set_metrics(QApplication::font(), 400);
    for (std::int64_t token = 0; token < run.token_count(); token += 37) {
      const LinePlace place = layout.place_of_token(token);
      const TokenLine& line = layout.lines(place.block)[static_cast<std::size_t>(place.line)];
      QVERIFY(line.front().token <= token && line.back().token >= token);
      const LinePlace below = layout.moved(place, 5);
      if (below != layout.moved(place, 4)) QCOMPARE(layout.moved(below, -5), place);  // not stopped by the end
    }
  }

  void a_million_tokens_are_not_laid_out_to_be_shown() {
    RunModel run;
    begin(run, prose(1'000'000));
    TokenView view(run);
    view.resize(700, 500);
    view.reset();
    view.show();
    QVERIFY(!view.grab().isNull());
    QVERIFY(view.findChildren<QWidget*>().size() < 20);
    view.show_token(777'777, false);
    const QRect box = view.token_rect(777'777);
    QVERIFY(!box.isEmpty());
    QCOMPARE(view.token_at(box.center()), std::int64_t{777'777});
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
    QVERIFY(!view.token_rect(run.token_count() - 1).isEmpty());
    view.verticalScrollBar()->setValue(0);
    QVERIFY(!view.token_rect(0).isEmpty());
  }

  /// The lines above are estimates until they are laid out, so that a place and the bar's value for it differ.
  void the_wheel_moves_by_lines_from_where_a_token_was_shown() {
    RunModel run;
    begin(run, prose(400'000));
    TokenView view(run);
    view.resize(700, 500);
    view.reset();
    view.show();
    test::settle();
    for (const std::int64_t token : {300'000, 1'000, 399'000, 200'123}) {
      view.show_token(token, false);
      const QRect before = view.token_rect(token);
      QVERIFY(!before.isEmpty());
      QWheelEvent notch(QPointF(100, 100), view.viewport()->mapToGlobal(QPointF(100, 100)), {}, QPoint(0, 120),
                        Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
      QApplication::sendEvent(view.viewport(), &notch);
      const QRect after = view.token_rect(token);
      QVERIFY2(!after.isEmpty(), qPrintable(QString::number(token)));
      const int moved = after.top() - before.top();
      QVERIFY2(moved > 0 && moved < view.viewport()->height() / 2, qPrintable(QString::number(moved)));
    }
  }

  void a_token_that_is_chosen_again_is_shown_again() {
    LabContext lab;
    TextPanel panel(lab);
    panel.resize(800, 600);
    panel.show();
    begin(lab.run(), prose(60'000));
    auto& view = *panel.findChild<TokenView*>();
    view.reset();
    test::settle();
    Selection selection;
    selection.token = 40'000;
    lab.select(selection);
    test::settle();
    QVERIFY(!view.token_rect(40'000).isEmpty());
    view.show_token(10, true);
    QVERIFY(view.token_rect(40'000).isEmpty());
    lab.select(selection);
    QVERIFY(!view.token_rect(40'000).isEmpty());
  }

  void search_finds_what_a_plain_search_finds_both_ways_and_around() {
    RunModel run;
    std::string text = prose(60'000);
    text.replace(41'000, 6, "Needle");
    text.replace(8'191, 6, "nEEdle");  // across a slice's edge
    begin(run, text);
    TextSearch search(run);
    QSignalSpy found(&search, &TextSearch::found), missed(&search, &TextSearch::not_found);
    const auto find = [&](std::int64_t start, bool forward) {
      found.clear();
      search.find(QStringLiteral("needle"), start, forward);
      return found.wait(5000) ? found.at(0).at(0).toLongLong() : -1;
    };
    QCOMPARE(find(-1, true), 8'191);
    QCOMPARE(find(8'191, true), 41'000);
    QCOMPARE(find(41'000, true), 8'191);
    QCOMPARE(find(41'000, false), 8'191);
    QCOMPARE(find(8'191, false), 41'000);
    search.find(QStringLiteral("no such words"), 0, true);
    QVERIFY(missed.wait(5000));
  }

  void hits_and_carry_are_painted_and_clicks_select() {
    LabContext lab;
    TextPanel panel(lab);
    panel.resize(800, 600);
    panel.show();
    RunRequest request = test::synthetic_request(4);
    const auto tokenizer = std::make_shared<test::PlainByteTokenizer>();
    request.ids =
        std::make_shared<const std::vector<std::int32_t>>(tokenizer->encode(prose(1024).substr(0, 1024), false));
    lab.run().begin(test::synthetic_model(), request, tokenizer);
    for (int segment = 0; segment < 4; ++segment) lab.run().append(test::synthetic_snapshot(lab.run(), segment));
    auto* view = panel.findChild<TokenView*>();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    lab.select_segment(3);
    QTRY_VERIFY(view->is_marked(lab.run().hit_counts(3).front().first));
    const std::int64_t hit = lab.run().hit_counts(3).front().first;
    view->show_token(hit, true);
    const QRect box = view->token_rect(hit);
    QVERIFY(!box.isEmpty());
    QVERIFY(view->viewport()->grab().toImage().pixelColor(box.left() + 1, box.top() + 2) != current_background(*view));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, box.center());
    QCOMPARE(lab.selected().token, hit);
    QCOMPARE(lab.selected().segment, 3);  // a hit is looked at from its reader
  }

  void the_tooltip_counts_the_prefix_that_heads_read() {
    LabContext lab;
    TextPanel panel(lab);
    panel.resize(800, 600);
    panel.show();
    auto* view = panel.findChild<TokenView*>();
    const auto told = [&](PrefixParts local, PrefixParts long_range, std::int64_t token) {
      RunRequest request = test::synthetic_request(2);
      request.config.sink_length = 4;
      request.config.local_reads = local;
      request.config.long_reads = long_range;
      test::synthetic_run(lab.run(), 2, 2, request);
      test::settle();
      view->show_token(token, true);
      QHelpEvent help(QEvent::ToolTip, view->token_rect(token).center(), {});
      QApplication::sendEvent(view->viewport(), &help);
      return QToolTip::text();
    };
    const auto positions = [](const char* local, const char* prefix, const char* far, const char* far_prefix) {
      return TextPanel::tr(
                 "RoPE position where nothing is retrieved: %1 for local heads (prefix %2), %3 for "
                 "long-range heads (prefix %4)")
          .arg(QLatin1String(local), QLatin1String(prefix), QLatin1String(far), QLatin1String(far_prefix));
    };
    const std::int64_t token = 266;  // the segment's token 10, after sinks of 4 and a carry of 32
    for (const auto& [local, long_range, wanted] :
         {std::tuple(PrefixParts::SinksCarry, PrefixParts::SinksRetrieved, positions("46", "36", "14", "4")),
          {PrefixParts::Sinks, PrefixParts::SinksRetrievedCarry, positions("14", "4", "46", "36")},
          {PrefixParts::None, PrefixParts::RetrievedCarry, positions("10", "0", "42", "32")}}) {
      const QString tip = told(local, long_range, token);
      QVERIFY2(tip.contains(wanted), qPrintable(tip));
    }
    const QString first = told(PrefixParts::SinksCarry, PrefixParts::SinksRetrieved, 10);
    QVERIFY2(first.contains(positions("10", "0", "10", "0")), qPrintable(first));
  }

 private:
  static QColor current_background(const TokenView& view) { return view.palette().color(QPalette::Base); }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TextPanelTest>};
#include "text_panel_test.moc"
