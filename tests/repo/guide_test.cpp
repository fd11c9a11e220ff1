// SPDX-License-Identifier: GPL-3.0-or-later
// docs/guide.de.md is docs/guide.md in German: the same outline, code, tables, names and links, and the labels of the
// window are quoted in the words that the German window has.
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <vector>

#include "tests/support/german.h"
#include "tests/support/test_program.h"

using namespace carryover::test;

namespace {

struct Section {
  qsizetype level = 0;
  QString title;
  QStringList code;  ///< lines of the indented blocks
  QStringList table_rows;
  QString text;  ///< all but code
};

std::vector<Section> sections_of(const QString& guide) {
  static const QRegularExpression heading("^(#{1,3}) (.+)$");
  std::vector<Section> sections(1);
  for (const QString& line : guide.split('\n')) {
    if (const auto found = heading.match(line); found.hasMatch()) {
      sections.push_back({found.capturedLength(1), found.captured(2), {}, {}, {}});
    } else if (line.startsWith("    ")) {
      sections.back().code += line;
    } else {
      if (line.startsWith('|')) sections.back().table_rows += line;
      sections.back().text += line + '\n';
    }
  }
  return sections;
}

QStringList all(const QString& text, const QRegularExpression& pattern, int group) {
  QStringList found;
  for (auto each = pattern.globalMatch(text); each.hasNext();) found += each.next().captured(group).simplified();
  return found;
}

QStringList sorted(QStringList list) {
  list.sort();
  return list;
}

const QRegularExpression code_span("``.+?``|`[^`]+`", QRegularExpression::DotMatchesEverythingOption);

/// Returns the names in `…`: fields, flags, files.
QStringList names_in(const Section& section) {
  return all(section.text, code_span, 0);
}

/// Returns the texts in *…*: labels of the window and titles, as quoted() writes them.
QStringList labels_in(const Section& section) {
  static const QRegularExpression bold("\\*\\*[^*]+\\*\\*"), label("(?<![*\\\\])\\*(?! )([^*|]+?)\\*");
  QString text = section.text;
  text.remove(code_span).remove(bold);
  QStringList labels = all(text, label, 1);
  std::ranges::transform(labels, labels.begin(), quoted);
  return labels;
}

/// Returns the targets of links and pictures, but for sections of the guide itself.
QStringList links_in(const Section& section) {
  static const QRegularExpression link("\\]\\(([^)#]+)\\)");
  return all(section.text, link, 1);
}

/// Returns the anchor that Markdown viewers give a heading.
QString anchor_of(const QString& title) {
  static const QRegularExpression others("[^\\w -]", QRegularExpression::UseUnicodePropertiesOption);
  return title.toLower().remove(others).replace(' ', '-');
}

/// Returns the labels of an English section whose German the window has and this German section has not.
QStringList foreign_labels(const Section& english, const Section& german_section) {
  const QStringList labels = labels_in(german_section);
  QStringList foreign;
  for (const QString& label : labels_in(english)) {
    const QStringList known = german().values(label);
    const bool quoted_as_shown = std::ranges::any_of(known, [&](const QString& text) { return labels.contains(text); });
    if (!known.isEmpty() && !quoted_as_shown) foreign += QString("*%1* is *%2*").arg(label, known.join("* or *"));
  }
  return foreign;
}

}  // namespace

class GuideTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sections_say_the_same_data() {
    QTest::addColumn<int>("index");
    QCOMPARE(german_.size(), english_.size());
    QVERIFY(english_.size() > 50);
    for (std::size_t i = 1; i < english_.size(); ++i)
      QTest::addRow("%zu, %s", i, qPrintable(english_[i].title)) << static_cast<int>(i);
  }

  void sections_say_the_same() {
    QFETCH(int, index);
    const Section &english = english_[static_cast<std::size_t>(index)],
                  &german_section = german_[static_cast<std::size_t>(index)];
    QCOMPARE(german_section.level, english.level);
    QCOMPARE(german_section.code, english.code);
    QCOMPARE(german_section.table_rows.size(), english.table_rows.size());
    QCOMPARE(sorted(names_in(german_section)), sorted(names_in(english)));
    QCOMPARE(links_in(german_section), links_in(english));
    const QStringList labels = labels_in(german_section);
    QVERIFY2(labels.size() == labels_in(english).size(), qPrintable(labels.join(", ")));
    const QStringList foreign = foreign_labels(english, german_section);
    QVERIFY2(foreign.isEmpty(), qPrintable(foreign.join('\n')));
    const QStringList titles = german().values(english.title);
    QVERIFY2(titles.isEmpty() || titles.contains(german_section.title), qPrintable(titles.join(", ")));
  }

  void links_within_a_guide_lead_to_its_headings() {
    static const QRegularExpression link("\\]\\(#([^)]+)\\)");
    int links = 0;
    for (const auto* guide : {&english_, &german_}) {
      QStringList anchors;
      for (const Section& section : *guide) anchors += anchor_of(section.title);
      for (const Section& section : *guide)
        for (const QString& anchor : all(section.text, link, 1)) {
          QVERIFY2(anchors.contains(anchor), qPrintable(anchor));
          ++links;
        }
    }
    QVERIFY(links >= 10);
  }

  void patterns_catch_what_they_should() {
    const Section section{1, "A", {}, {}, "*Run* and **bold** `x*y*` *Open…*, `a\nb`, [a](b.md), [c](#d)\n* no\n"};
    QCOMPARE(labels_in(section), QStringList({"Run", "Open"}));
    QCOMPARE(names_in(section), QStringList({"`x*y*`", "`a b`"}));
    QCOMPARE(links_in(section), QStringList({"b.md"}));
    QCOMPARE(anchor_of("Köpfe × Schichten"), QString("köpfe--schichten"));
    QCOMPARE(foreign_labels({1, "", {}, {}, "*Hits*"}, {1, "", {}, {}, "*Hits*"}).size(), 1);
    QCOMPARE(foreign_labels({1, "", {}, {}, "*Hits*"}, {1, "", {}, {}, "*Treffer*"}).size(), 0);
    QCOMPARE(foreign_labels({1, "", {}, {}, "*Moby-Dick*"}, {1, "", {}, {}, "*Moby-Dick*"}).size(), 0);
    const auto sections = sections_of("# A\n    code\n|a|\n|-|\ntext\n## B\n");
    QCOMPARE(sections.size(), std::size_t{3});
    QCOMPARE(sections[1].code, QStringList({"    code"}));
    QCOMPARE(sections[1].table_rows.size(), 2);
    QCOMPARE(sections[2].level, 2);
  }

 private:
  const std::vector<Section> english_ = sections_of(read("docs/guide.md")),
                             german_ = sections_of(read("docs/guide.de.md"));
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GuideTest>};
#include "guide_test.moc"
