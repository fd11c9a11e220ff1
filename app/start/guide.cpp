// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/guide.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSplitter>
#include <QTextBrowser>
#include <algorithm>
#include <map>

#include "app/window/panel_registry.h"
#include "engine/base/error.h"
#include "widgets/look/icons.h"
#include "widgets/look/screen_size.h"

namespace carryover {
namespace {

constexpr auto english_guide = QT_TRANSLATE_NOOP("GuideWindow", ":/docs/guide.md");

std::vector<GuideSection> read_sections(const QString& path) {
  load_resources();
  QFile file(path);
  CARRYOVER_CHECK(file.open(QIODevice::ReadOnly));
  static const QRegularExpression heading(QStringLiteral("^(#{1,3}) (.+)$"));
  static const QRegularExpression picture(QStringLiteral("^!\\[[^\\]]*\\]\\([^)]*\\)$"));
  std::vector<GuideSection> sections;
  bool code = false;
  for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n')) {
    if (line.startsWith(QStringLiteral("```"))) code = !code;
    const auto found = heading.match(line);
    if (!code && found.hasMatch())
      sections.push_back({found.captured(2), static_cast<int>(found.capturedLength(1)), {}});
    if (!sections.empty() && !picture.match(line).hasMatch()) sections.back().markdown += line + u'\n';
  }
  return sections;
}

const std::vector<GuideSection>& sections_of(const QString& path) {
  static std::map<QString, std::vector<GuideSection>> read;
  const auto found = read.find(path);
  return found != read.end() ? found->second : read.emplace(path, read_sections(path)).first->second;
}

}  // namespace

const std::vector<GuideSection>& guide_sections() {
  return sections_of(QCoreApplication::translate("GuideWindow", english_guide));  // a catalogue names its own
}

int guide_section_of(const QString& panel_or_heading) {
  const auto entry = std::ranges::find(panel_registry(), panel_or_heading, &PanelEntry::id);
  const QString& title = entry == panel_registry().end() ? panel_or_heading : entry->guide;
  const QString english = QLatin1String(english_guide);
  const auto& sections = sections_of(english);
  int window = 0;
  for (int i = 0; i < static_cast<int>(sections.size()); ++i) {
    const GuideSection& section = sections[static_cast<std::size_t>(i)];
    if (section.title == QStringLiteral("The window")) window = i;
    if (section.level == 3 && section.title.compare(title, Qt::CaseInsensitive) == 0) return i;
  }
  return window;
}

GuideWindow::GuideWindow(QWidget* parent)
    : QDialog(parent), search_(new QLineEdit(this)), contents_(new QListWidget(this)), page_(new QTextBrowser(this)) {
  setWindowTitle(tr("Guide"));
  resize(size_on_screen(*this, {860, 600}));
  search_->setPlaceholderText(tr("Search the guide"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Search the guide"));
  contents_->setAccessibleName(tr("Contents"));
  page_->setAccessibleName(tr("Page of the guide"));
  page_->setOpenLinks(false);
  for (const GuideSection& section : guide_sections())
    contents_->addItem(QString(2 * (section.level - 1), u' ') + section.title);
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(search_);
  column->addWidget(contents_);
  auto* splitter = new QSplitter(this);
  splitter->addWidget(side);
  splitter->addWidget(page_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({250, 610});
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(splitter);
  connect(search_, &QLineEdit::textChanged, this, &GuideWindow::filter);
  connect(contents_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) page_->setMarkdown(guide_sections()[static_cast<std::size_t>(row)].markdown);
  });
  contents_->setCurrentRow(0);
}

void GuideWindow::show_section(int index) {
  search_->clear();
  contents_->setCurrentRow(index);
  show();
  raise();
  activateWindow();
}

int GuideWindow::shown_section() const {
  return contents_->currentRow();
}

void GuideWindow::filter(const QString& text) {
  int first = -1;
  for (int i = 0; i < contents_->count(); ++i) {
    const bool fits = guide_sections()[static_cast<std::size_t>(i)].markdown.contains(text, Qt::CaseInsensitive);
    contents_->item(i)->setHidden(!fits);
    if (fits && first < 0) first = i;
  }
  if (first >= 0 && contents_->currentItem() != nullptr && contents_->currentItem()->isHidden())
    contents_->setCurrentRow(first);
}

}  // namespace carryover
