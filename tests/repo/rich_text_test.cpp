// SPDX-License-Identifier: GPL-3.0-or-later
// Text that the window shows may come from a model, a text or a path. Labels, tooltips and message boxes show it as
// plain text, because the window's style says so of every label (LabStyle::polish()). This test forbids the ways around
// it: a label or view that takes or guesses rich text, and a widget with a style of its own.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

/// A use that only the files listed may have. Those compose rich text, and escape each part that comes from outside.
struct Forbidden {
  const char* use;
  QStringList but_in;
};

const std::vector<Forbidden>& forbidden() {
  static const std::vector<Forbidden> all{
      {"Qt::(Rich|Auto|Markdown)Text\\b", {"widgets/look/lab_style.cpp", "widgets/look/markup.cpp"}},
      {"\\bset_markup\\(",
       {"widgets/look/markup.cpp", "widgets/look/markup.h", "app/start/start_panel.cpp",
        "widgets/inspection/attribution_panel.cpp", "widgets/heads/head_grid_panel.cpp",
        "widgets/what_if/what_if_delta.cpp", "widgets/what_if/what_if_panel.cpp"}},
      {"\\bsetHtml\\(", {"app/window/lab_toolbar.cpp", "widgets/text/ask_panel.cpp", "widgets/panels/lab_report.cpp"}},
      {"\\bsetMarkdown\\(", {"app/start/guide.cpp"}},
      {"\\bfromHtml\\(", {"widgets/look/markup.cpp", "app/main.cpp"}},
      {"\\b(insertHtml|appendHtml|mightBeRichText|convertFromPlainText|setWhatsThis)\\(", {}},
      {"\\bQ(TextEdit|ErrorMessage|WhatsThis|StaticText|GraphicsTextItem)\\b", {}},
      {"\\bsetStyle\\(", {"widgets/look/theme.cpp"}},
      // Names are action_text() there, so that an & in one is no shortcut.
      {"\\baddAction\\((path|name|title|folder|file|model\\b|QDir|QFileInfo|qstring|QString::from)", {}},
  };
  return all;
}

/// A tooltip is plain: what is escaped for it would be seen with its entities.
QStringList escaped_tooltips(const QString& source) {
  static const QRegularExpression tip(QStringLiteral("(setToolTip|ToolTipRole|showText)[^;]*toHtmlEscaped"));
  QStringList found;
  for (auto all = tip.globalMatch(source); all.hasNext();) found += all.next().captured();
  return found;
}

QString without_comments(QString text) {
  static const QRegularExpression comment(QStringLiteral("//[^\n]*"));
  return text.remove(comment);
}

}  // namespace

class RichTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nothing_shows_foreign_text_as_rich_text() {
    QStringList problems;
    for (const Source& source : code({"app", "widgets"})) {
      const QString text = without_comments(source.text);
      for (const Forbidden& each : forbidden())
        if (text.contains(QRegularExpression(QLatin1String(each.use))) && !each.but_in.contains(source.path))
          problems += source.path + QStringLiteral(": ") + QLatin1String(each.use);
      for (const QString& tip : escaped_tooltips(text)) problems += source.path + QStringLiteral(": ") + tip;
    }
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
  }

  void the_files_that_may_compose_rich_text_still_do() {
    for (const Forbidden& each : forbidden())
      for (const QString& path : each.but_in)
        QVERIFY2(carryover::test::read(path).contains(QRegularExpression(QLatin1String(each.use))), qPrintable(path));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RichTextTest>};
#include "rich_text_test.moc"
