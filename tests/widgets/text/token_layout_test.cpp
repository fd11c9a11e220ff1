// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens are where Qt puts their letters: in scripts that join letters, that are read from right to left, and in
// clusters of several characters or bytes.
#include "widgets/text/token_layout.h"

#include <QApplication>
#include <QTest>
#include <QTextLayout>
#include <algorithm>

#include "tests/support/byte_tokenizer.h"
#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "widgets/text/token_view.h"

using namespace carryover;

namespace {

constexpr double width = 900;
constexpr double close_enough = 0.02;

/// A token for each of these pieces of text.
class PieceTokenizer : public Tokenizer {
 public:
  explicit PieceTokenizer(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::int64_t vocabulary() const override { return std::ssize(pieces_); }
  std::optional<std::int32_t> bos() const override { return std::nullopt; }
  std::optional<std::int32_t> eos() const override { return std::nullopt; }
  std::vector<std::int32_t> encode(std::string_view, bool = false) const override { return {}; }
  std::string bytes(std::int32_t id) const override { return pieces_[static_cast<std::size_t>(id)]; }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += bytes(id);
    return text;
  }

 private:
  std::vector<std::string> pieces_;
};

void begin(RunModel& run, const std::shared_ptr<const Tokenizer>& tokenizer, std::vector<std::int32_t> ids) {
  RunRequest request = test::synthetic_request(1);
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  run.begin(test::synthetic_model(), request, tokenizer);
}

void begin(RunModel& run, const std::vector<std::string>& pieces) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < pieces.size(); ++i) ids.push_back(static_cast<std::int32_t>(i));
  begin(run, std::make_shared<PieceTokenizer>(pieces), std::move(ids));
}

void begin_bytes(RunModel& run, const QString& text) {
  const auto tokenizer = std::make_shared<test::PlainByteTokenizer>();
  begin(run, tokenizer, tokenizer->encode(text.toStdString()));
}

struct Box {
  double left, right;
};

/// A grapheme cluster of a line that is laid out by Qt alone.
struct Cluster {
  int begin, end;
  Box box;
};
std::vector<Cluster> clusters_of(const QString& text) {
  QTextLayout layout(text, QApplication::font());
  layout.setTextOption(QTextOption(text.isRightToLeft() ? Qt::AlignRight : Qt::AlignLeft));
  layout.setCursorMoveStyle(Qt::VisualMoveStyle);  // of each letter its own place, also where the direction changes
  layout.beginLayout();
  QTextLine line = layout.createLine();
  line.setLineWidth(width);
  layout.endLayout();
  std::vector<Cluster> clusters;
  for (int at = 0; at < text.size();) {
    const int next = layout.nextCursorPosition(at);
    const double enter = line.cursorToX(at, QTextLine::Leading), leave = line.cursorToX(at, QTextLine::Trailing);
    clusters.push_back({at, next, {std::min(enter, leave), std::max(enter, leave)}});
    at = next;
  }
  return clusters;
}

/// Returns the box that the tokens cover together.
Box covered(const TokenLine& line, std::int64_t first, std::int64_t last) {
  Box box{1e9, -1e9};
  for (const TokenPiece& piece : line)
    if (piece.token >= first && piece.token < last)
      box = {std::min(box.left, piece.x), std::max(box.right, piece.x + piece.width)};
  return box;
}

}  // namespace

class TokenLayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tokens_are_where_qt_puts_their_letters_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("arabic") << QStringLiteral("مرحبا بالعالم");
    QTest::newRow("hebrew") << QStringLiteral("שלום עולם");
    QTest::newRow("hebrew and latin") << QStringLiteral("abc שלום 123 עולם. xyz");
    QTest::newRow("latin in arabic") << QStringLiteral("مرحبا Hello بالعالم 42");
    QTest::newRow("devanagari") << QStringLiteral("नमस्ते दुनिया");
    QTest::newRow("thai") << QStringLiteral("ไทยภาษา");
    QTest::newRow("family") << QStringLiteral("a 👩‍👩‍👧‍👦 b 🇩🇪 c");
    QTest::newRow("combining marks") << QStringLiteral("e\u0301 a\u0308o n\u0303\u0323 x");
    QTest::newRow("override") << QStringLiteral("Hello \u202e reversed \u202c end");
    QTest::newRow("ligatures") << QStringLiteral("office ffi fl");
    QTest::newRow("latin") << QStringLiteral("Plain text, as it always was.");
  }

  void tokens_are_where_qt_puts_their_letters() {
    QFETCH(QString, text);
    RunModel run;
    begin_bytes(run, text);
    TokenLayout layout;
    layout.reset(&run);
    layout.set_metrics(QApplication::font(), width);
    QCOMPARE(layout.lines(0).size(), std::size_t{1});
    const TokenLine& line = layout.lines(0).front();
    double seen = 0;
    for (const Cluster& cluster : clusters_of(text)) {
      const auto first = text.left(cluster.begin).toUtf8().size(), last = text.left(cluster.end).toUtf8().size();
      const Box box = covered(line, first, last);
      // Within a ligature a cluster has its share, which Qt tells for where reading enters it alone.
      const bool within = box.left >= cluster.box.left - close_enough && box.right <= cluster.box.right + close_enough;
      QVERIFY2(within, qPrintable(QStringLiteral("%1: %2 to %3 of %4 to %5")
                                      .arg(cluster.begin)
                                      .arg(box.left)
                                      .arg(box.right)
                                      .arg(cluster.box.left)
                                      .arg(cluster.box.right)));
      // Each byte of the cluster has an equal share for each of the cluster's characters.
      for (auto token = first; token < last; ++token) QVERIFY(covered(line, token, token + 1).left >= box.left);
      seen += box.right - box.left;
    }
    // Together they are the line, and none is on another.
    std::vector<Box> boxes;
    double all = 0;
    for (const TokenPiece& piece : line) {
      boxes.push_back({piece.x, piece.x + piece.width});
      all += piece.width;
    }
    std::ranges::sort(boxes, {}, [](const Box& box) { return std::pair(box.left, box.right); });
    for (std::size_t i = 1; i < boxes.size(); ++i) QVERIFY(boxes[i].left >= boxes[i - 1].right - close_enough);
    QVERIFY(std::abs(all - seen) < 0.5);
  }

  void hebrew_is_read_from_the_right() {
    RunModel run;
    begin(run, {"שלום", " ", "עולם"});
    TokenLayout layout;
    layout.reset(&run);
    layout.set_metrics(QApplication::font(), width);
    const TokenLine& line = layout.lines(0).front();
    QCOMPARE(line.size(), std::size_t{3});
    const std::vector<TokenPiece> pieces(line.begin(), line.end());
    QVERIFY(pieces[0].x > pieces[1].x && pieces[1].x > pieces[2].x);
    QVERIFY(std::abs(pieces[0].x + pieces[0].width - width) < close_enough);  // begins at the right
  }

  void a_token_across_a_change_of_direction_has_a_box_on_each_side() {
    RunModel run;
    begin(run, {"abc ש", "לום"});
    TokenLayout layout;
    layout.reset(&run);
    layout.set_metrics(QApplication::font(), width);
    const TokenLine& line = layout.lines(0).front();
    const std::vector<TokenPiece> pieces(line.begin(), line.end());
    QCOMPARE(pieces.size(), std::size_t{3});
    QVERIFY(pieces[0].token == 0 && pieces[1].token == 0 && pieces[2].token == 1);
    QVERIFY(std::abs(pieces[0].x) < close_enough);
    const double end_of_latin = pieces[0].x + pieces[0].width;
    QVERIFY(std::abs(pieces[2].x - end_of_latin) < close_enough);  // the rest of the word comes first from the left
    QVERIFY(std::abs(pieces[1].x - (pieces[2].x + pieces[2].width)) < close_enough);
    QCOMPARE(pieces[0].text + pieces[1].text + pieces[2].text, QStringLiteral("abc שלום"));
  }

  void tokens_of_one_cluster_share_its_width() {
    RunModel run;
    begin(run, {"x", "\xf0\x9f", "\x99\x82", "e", "\xcc\x81", "y"});  // 🙂 in two tokens, é of two characters
    TokenLayout layout;
    layout.reset(&run);
    layout.set_metrics(QApplication::font(), width);
    const TokenLine& line = layout.lines(0).front();
    const std::vector<TokenPiece> pieces(line.begin(), line.end());
    QCOMPARE(pieces.size(), std::size_t{6});
    for (const int first : {1, 3}) {
      const TokenPiece &one = pieces[static_cast<std::size_t>(first)],
                       &other = pieces[static_cast<std::size_t>(first) + 1];
      QVERIFY(one.width > 1 && std::abs(one.width - other.width) < close_enough);
      QVERIFY(std::abs(one.x + one.width - other.x) < close_enough);
    }
  }

  void colours_change_no_letter() {
    RunModel run;
    begin(run, {"مر", "ح", "با ", "بالع", "الم"});
    TokenView view(run);
    view.resize(600, 200);
    view.reset();
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const QImage dimmed = view.grab().toImage();  // nothing has run yet: all of one colour
    // A part is shown in another colour: ink stays where it was.
    run.append(test::synthetic_snapshot(run, 0));
    TokenMarks marks;
    marks.shown_begin = 1;
    marks.shown_end = 3;
    view.set_marks(marks);
    const QImage coloured = view.grab().toImage();
    QCOMPARE(coloured.size(), dimmed.size());
    int ink = 0, moved = 0;
    const QColor paper = dimmed.pixelColor(dimmed.width() / 2, dimmed.height() - 20);
    for (int y = 0; y < dimmed.height() - 20; ++y)
      for (int x = 120; x < dimmed.width() - 20; ++x) {
        const bool was = dimmed.pixelColor(x, y) != paper, is = coloured.pixelColor(x, y) != paper;
        ink += was ? 1 : 0;
        moved += was != is ? 1 : 0;
      }
    QVERIFY(ink > 100);
    QCOMPARE(moved, 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TokenLayoutTest>};
#include "token_layout_test.moc"
