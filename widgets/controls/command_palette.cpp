// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/command_palette.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/fuzzy_match.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

/// The name at the left, shortened where it is too long, and the keys at the right in the muted colour.
class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : current_theme().muted);
    painter->drawText(option.rect.adjusted(0, 0, -margin, 0), Qt::AlignRight | Qt::AlignVCenter,
                      index.data(CommandModel::KeysRole).toString());
    painter->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    return {least_width, option.fontMetrics.height() + 10};  // a row is as wide as the list
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const int keys = option->fontMetrics.horizontalAdvance(index.data(CommandModel::KeysRole).toString());
    const int room = std::max(0, option->rect.width() - keys - 3 * margin);
    option->text = option->fontMetrics.elidedText(option->text, Qt::ElideRight, room);
  }

 private:
  static constexpr int least_width = 100, margin = 8;
};

}  // namespace

CommandModel::CommandModel(std::vector<Command> commands,
                           std::function<std::vector<Command>(const QString&)> from_query, QObject* parent)
    : QAbstractListModel(parent),
      commands_(std::move(commands)),
      shown_(commands_),
      from_query_(std::move(from_query)) {}

void CommandModel::set_query(const QString& query) {
  std::vector<std::pair<int, std::size_t>> fits;
  for (std::size_t i = 0; i < commands_.size(); ++i)
    if (const auto score = fuzzy_score(query, commands_[i].name)) fits.emplace_back(*score, i);
  if (!query.trimmed().isEmpty())
    std::stable_sort(fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  beginResetModel();
  shown_ = from_query_ ? from_query_(query) : std::vector<Command>{};
  for (const auto& [score, i] : fits) shown_.push_back(commands_[i]);
  endResetModel();
}

int CommandModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant CommandModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  if (role == Qt::DisplayRole) return command(index.row()).name;
  return role == KeysRole ? QVariant(command(index.row()).keys) : QVariant();
}

CommandPalette::CommandPalette(std::vector<Command> commands,
                               std::function<std::vector<Command>(const QString&)> from_query, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint),
      model_(std::move(commands), std::move(from_query)),
      query_(new QLineEdit(this)),
      list_(new QListView(this)),
      nothing_(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Commands"));
  query_->setPlaceholderText(tr("A command, a view, “segment 12”, “token 5000”, “layer 3 head 1” …"));
  query_->setAccessibleName(tr("Command"));
  query_->installEventFilter(this);
  list_->setModel(&model_);
  list_->setItemDelegate(new CommandDelegate(list_));
  list_->setAccessibleName(tr("Matching commands"));
  list_->setUniformItemSizes(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setCurrentIndex(model_.index(0));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(query_);
  layout->addWidget(list_);
  layout->addWidget(nothing_, 1, Qt::AlignTop);
  nothing_->setWordWrap(true);
  nothing_->hide();
  connect(query_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_.set_query(text);
    nothing_->setText(tr("No command matches “%1”").arg(text));
    nothing_->setVisible(model_.rowCount() == 0);
    list_->setVisible(model_.rowCount() > 0);
    list_->setCurrentIndex(model_.index(0));
  });
  connect(query_, &QLineEdit::returnPressed, this, &CommandPalette::run_current);
  connect(list_, &QListView::clicked, this, &CommandPalette::run_current);
  connect(list_, &QListView::activated, this, &CommandPalette::run_current);
  if (parent != nullptr) {
    const int width = std::min(620, parent->width() - 40), height = std::min(420, parent->height() - 80);
    resize(width, height);
    move(parent->mapToGlobal(QPoint((parent->width() - width) / 2, 60)));
  }
}

void CommandPalette::run_current() {
  const QModelIndex index = list_->currentIndex();
  if (!index.isValid() || !isVisible()) return;
  const auto run = model_.command(index.row()).run;
  close();  // first: what runs may open another dialog
  run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != query_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int rows = model_.rowCount(), row = list_->currentIndex().row();
  int step = 0;
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
      step = -1;
      break;
    case Qt::Key_Down:
      step = 1;
      break;
    case Qt::Key_PageUp:
      step = -10;
      break;
    case Qt::Key_PageDown:
      step = 10;
      break;
    default:
      return false;
  }
  if (rows > 0) list_->setCurrentIndex(model_.index(std::clamp(row + step, 0, rows - 1)));
  return true;
}

}  // namespace carryover
