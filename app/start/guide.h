// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <QString>
#include <vector>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace carryover {

/// A heading of the guide with the text under it, up to the next heading.
struct GuideSection {
  QString title;
  int level = 1;     ///< 1 to 3, by number of #
  QString markdown;  ///< with the heading; without pictures, which the window shows itself
};
/// Returns the guide that the program was built with, in the window's language, in the order of the file.
/// docs/guide.de.md has the headings of docs/guide.md in the same order (tests/repo/guide_test.cpp), so that an index
/// means the same in both.
const std::vector<GuideSection>& guide_sections();
/// Returns the section about a panel by its id, or the one of this English heading: an index into guide_sections().
int guide_section_of(const QString& panel_or_heading);

/// The guide beside its table of contents, searched as one types. Not modal. GUI thread.
class GuideWindow : public QDialog {
  Q_OBJECT
 public:
  explicit GuideWindow(QWidget* parent = nullptr);
  void show_section(int index);
  int shown_section() const;

 private:
  void filter(const QString& text);

  QLineEdit* search_;
  QListWidget* contents_;
  QTextBrowser* page_;
};

}  // namespace carryover
