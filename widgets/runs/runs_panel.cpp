// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/runs_panel.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/distinct_names.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

/// A column is no wider by itself, and names no narrower.
constexpr std::array<int, RunLibraryTable::ColumnCount> column_characters = {26, 14, 24, 14, 40, 20, 12, 12, 12, 22};
constexpr int name_characters = 30, least_plot_height = 120;
constexpr double gigabyte = 1e9;

QToolButton* action_button(QAction* action, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  return button;
}

}  // namespace

RunsPanel::RunsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Runs"), parent), table_(lab.library()), losses_(new PlotView(QStringLiteral("runs_loss"), this)) {
  build_plot();
  auto* split = new QSplitter(Qt::Vertical, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_table());
  split->addWidget(losses_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(split, 1);
  layout->addWidget(build_notice());
  setFocusProxy(view_);
  RunLibrary& library = lab.library();
  const auto changed = [this] {
    update_actions();
    request_refresh();
  };
  for (const auto signal : {&RunLibrary::added, &RunLibrary::removed_from, &RunLibrary::run_changed})
    connect(&library, signal, this, changed);
  for (const auto signal : {&RunLibrary::reset, &RunLibrary::removed_changed, &RunLibrary::limit_changed})
    connect(&library, signal, this, changed);
  update_actions();
  update_notice();
}

void RunsPanel::build_plot() {
  losses_->set_title(tr("Loss of the ticked runs"));
  losses_->set_axes(tr("Tokens read"), tr("NLL (nats)"));
  losses_->set_integer_axes(true, false);
  losses_->set_empty_text(tr("Tick runs in the list to compare them"));
  losses_->setMinimumHeight(least_plot_height);
  losses_->hide();
}

QWidget* RunsPanel::build_table() {
  auto* side = new QWidget(this);
  view_ = new QTableView(side);
  filter_.setSourceModel(&table_);
  view_->setModel(&filter_);
  prepare_table(*view_, tr("Runs of this session"));
  view_->setTextElideMode(Qt::ElideMiddle);  // names of runs begin alike
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  prepare_columns();
  view_->setSortingEnabled(true);
  view_->sortByColumn(RunLibraryTable::Made, Qt::DescendingOrder);
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPanel::update_actions);
  connect(&filter_, &QAbstractItemModel::rowsInserted, this, &RunsPanel::update_actions);
  add_table_actions();
  connect(view_, &QTableView::activated, this, [this] { open_->trigger(); });
  auto* bar = control_bar();
  add_buttons(bar);
  put_bar_above(side, bar, view_);
  return side;
}

void RunsPanel::prepare_columns() {
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  view_->horizontalHeader()->setSectionsMovable(true);
  view_->setColumnWidth(RunLibraryTable::Name, limit_of(RunLibraryTable::Name));
  for (int column = 0; column < RunLibraryTable::ColumnCount; ++column)
    widths_[static_cast<std::size_t>(column)] = view_->columnWidth(column);
  view_->viewport()->installEventFilter(this);
}

int RunsPanel::limit_of(int column) const {
  return view_->fontMetrics().averageCharWidth() * column_characters[static_cast<std::size_t>(column)];
}

bool RunsPanel::sized_by_hand(int column) const {
  return view_->columnWidth(column) != widths_[static_cast<std::size_t>(column)];
}

/// As wide as what they show.
void RunsPanel::fit_columns() {
  for (int column = 0; column < RunLibraryTable::ColumnCount; ++column) {
    if (column == RunLibraryTable::Name || sized_by_hand(column)) continue;
    view_->resizeColumnToContents(column);
    const int most = std::max(limit_of(column), view_->horizontalHeader()->sectionSizeHint(column));
    if (view_->columnWidth(column) > most) view_->setColumnWidth(column, most);
    widths_[static_cast<std::size_t>(column)] = view_->columnWidth(column);
  }
  fit_names();
}

/// Names get what the other columns leave free; where that is little, the table scrolls.
void RunsPanel::fit_names() {
  if (sized_by_hand(RunLibraryTable::Name)) return;
  const int others = view_->horizontalHeader()->length() - view_->columnWidth(RunLibraryTable::Name);
  view_->setColumnWidth(RunLibraryTable::Name,
                        std::max(limit_of(RunLibraryTable::Name), view_->viewport()->width() - others));
  widths_[RunLibraryTable::Name] = view_->columnWidth(RunLibraryTable::Name);
}

bool RunsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_->viewport() && event->type() == QEvent::Resize) fit_names();
  return Panel::eventFilter(watched, event);
}

void RunsPanel::add_table_actions() {
  open_ = add_table_action(*view_, tr("&Open"), {}, [this] {
    if (const QStringList places = selected_places(); places.size() == 1) Q_EMIT open_wanted(places.front());
  });
  open_->setToolTip(tr("Show the selected run in all views"));
  compare_ = add_table_action(*view_, tr("&Compare A | B"), QKeySequence(Qt::Key_C), [this] { compare_ticked(); });
  compare_->setToolTip(
      tr("Show the two ticked runs side by side in Compare. A is the shown run, or else the one ticked last; B is the "
         "other"));
  rename_ = add_table_action(*view_, tr("&Rename"), QKeySequence(Qt::Key_F2), [this] { edit(RunLibraryTable::Name); });
  tags_ = add_table_action(*view_, tr("&Tags…"), QKeySequence(Qt::Key_T), [this] { edit(RunLibraryTable::Tags); });
  tags_->setToolTip(tr("Your own words, separated by commas"));
  resume_ = add_table_action(*view_, tr("Re&sume"), {}, [this] {
    if (const QStringList places = selected_places(); places.size() == 1) Q_EMIT resume_wanted(places.front());
  });
  resume_->setToolTip(
      tr("Continue a run after its last segment, a training from its newest checkpoint, or an experiment"));
  remove_ = add_table_action(*view_, tr("&Delete"), QKeySequence::Delete,
                             [this] { Q_EMIT remove_wanted(selected_places()); });
  remove_->setToolTip(
      tr("Delete the selected runs. The window deletes runs of this session when it closes; until then you can undo "
         "it. Other folders only leave the list."));
  take_back_ =
      add_table_action(*view_, tr("&Undo delete"), QKeySequence(Qt::Key_U), [this] { Q_EMIT take_back_wanted(); });
  add_copy_actions(*view_);
}

void RunsPanel::add_buttons(WrappingBar* bar) {
  QLineEdit* words = filter_field(
      filter_, tr("Show only runs that contain all of these words in name, kind, tags, policy or model"), this);
  words->setMaximumWidth(QWIDGETSIZE_MAX);  // as wide as there is room
  connect(words, &QLineEdit::textChanged, this, &RunsPanel::update_actions);
  bar->addWidget(words, 1);
  for (QAction* action : {open_, compare_, remove_}) bar->addWidget(action_button(action, this));
}

QWidget* RunsPanel::build_notice() {
  auto* notice = new QWidget(this);
  auto* bar = new WrappingBar(notice);
  bar->setContentsMargins(6, 2, 6, 2);
  const auto label = [&](const QString& name) {
    auto* made = new QLabel(notice);
    made->setTextFormat(Qt::PlainText);
    made->setAccessibleName(name);
    bar->addWidget(made);
    return made;
  };
  const auto button = [&](const QString& text, const QString& help, auto slot) {
    auto* made = new QToolButton(notice);
    made->setText(text);
    made->setToolTip(help);
    connect(made, &QToolButton::clicked, this, slot);
    bar->addWidget(made);
    return made;
  };
  disk_ = label(tr("Disk used by the runs of this session"));
  button(tr("Limit…"), tr("Disk space that the runs of this session may use before a warning"),
         [this] { ask_limit(); });
  make_room_ = button({}, tr("Delete the oldest runs without a tag until the limit is met; you can undo it"),
                      [this] { remove_oldest(); });
  removed_ = label(tr("Deleted runs"));
  undo_ = button(tr("Undo"), tr("Take back the run that was deleted last"), [this] { Q_EMIT take_back_wanted(); });
  forget_ = button(tr("Delete for good"), tr("Free their disk space now; this can't be undone"),
                   [this] { context().library().forget_removed(); });
  return notice;
}

std::vector<int> RunsPanel::selected_rows() const {
  std::vector<int> rows;
  for (const QModelIndex& index : view_->selectionModel()->selectedRows()) {
    const int row = filter_.mapToSource(index).row();
    if (row >= 0 && row < table_.rowCount()) rows.push_back(row);
  }
  return rows;
}

QStringList RunsPanel::selected_places() const {
  QStringList places;
  for (const int row : selected_rows()) places += table_.index(row, 0).data(RunLibraryTable::place_role).toString();
  return places;
}

/// The run on show is A, so that nothing has to be read again for it.
void RunsPanel::compare_ticked() {
  const RunLibrary& library = context().library();
  const std::vector<int> ticked = library.ticked_runs();
  if (ticked.size() != 2) return;
  QString a = library.run(ticked[1]).place, b = library.run(ticked[0]).place;
  if (table_.shown() == b) std::swap(a, b);
  Q_EMIT compare_wanted(a, b);
}

void RunsPanel::edit(int column) {
  const QModelIndex current = view_->currentIndex();
  if (!current.isValid()) return;
  const QModelIndex cell = current.siblingAtColumn(column);
  view_->setCurrentIndex(cell);
  view_->edit(cell);
}

void RunsPanel::ask_limit() {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setInputMode(QInputDialog::DoubleInput);
  dialog->setWindowTitle(tr("Disk for runs"));
  dialog->setLabelText(tr("Limit in GB; 0: none. Above it you get a warning; nothing is deleted automatically."));
  dialog->setDoubleRange(0, 1e6);
  dialog->setDoubleDecimals(1);
  dialog->setDoubleValue(static_cast<double>(context().library().limit()) / gigabyte);
  connect(dialog, &QInputDialog::doubleValueSelected, this,
          [this](double value) { context().library().set_limit(std::llround(value * gigabyte)); });
  dialog->open();
}

void RunsPanel::remove_oldest() {
  const RunLibrary& library = context().library();
  QStringList places;
  for (const int row : library.removal_candidates()) places += library.run(row).place;
  Q_EMIT remove_wanted(places);
}

void RunsPanel::update_actions() {
  const RunLibrary& library = context().library();
  const std::vector<int> rows = selected_rows();
  const bool one = rows.size() == 1;
  open_->setEnabled(one);
  for (QAction* action : {rename_, tags_}) action->setEnabled(one);
  resume_->setEnabled(one && library.run(rows.front()).resumable);
  remove_->setEnabled(!rows.empty());
  compare_->setEnabled(library.ticked_runs().size() == 2);
  take_back_->setEnabled(!library.removed().empty());
}

void RunsPanel::update_notice() {
  const RunLibrary& library = context().library();
  const QString used = bytes_text(library.disk_bytes());
  disk_->setText(library.limit() == 0 ? tr("Disk: %1").arg(used)
                                      : tr("Disk: %1 of %2").arg(used, bytes_text(library.limit())));
  const std::vector<int> oldest = library.removal_candidates();
  std::int64_t bytes = 0;
  for (const int row : oldest) bytes += library.run(row).bytes;
  make_room_->setVisible(!oldest.empty());
  make_room_->setText(filled(tr("Delete the oldest: %1 (%2)"), oldest.size(), bytes_text(bytes)));
  const auto& removed = library.removed();
  for (QWidget* widget : std::initializer_list<QWidget*>{removed_, undo_, forget_})
    widget->setVisible(!removed.empty());
  const QString name = removed.size() == 1 ? removed.front().name : QString();
  const int width = removed_->fontMetrics().averageCharWidth() * name_characters;
  const QString what = name.isEmpty() ? QString::number(removed.size())
                                      : removed_->fontMetrics().elidedText(name, Qt::ElideMiddle, width);
  removed_->setText(tr("Deleted: %1").arg(what));
  removed_->setToolTip(name);
}

void RunsPanel::refresh() {
  fit_columns();
  update_notice();
  draw_losses();
}

void RunsPanel::draw_losses() {
  const RunLibrary& library = context().library();
  const std::vector<int> ticked = library.ticked_runs();
  std::vector<NamedRun> named;
  for (const int row : ticked)
    named.push_back({library.run(row).name, library.run(row).model, library.run(row).details});
  const std::vector<QString> names = distinct_names(named);
  losses_->setVisible(!ticked.empty());
  losses_->clear_curves();
  QStringList provenance;
  std::size_t used = 0;
  for (std::size_t i = 0; i < ticked.size(); ++i) {
    const ListedRun& run = library.run(ticked[i]);
    if (!run.losses) continue;
    if (used == curves_.size()) curves_.push_back(losses_->add_curve(names[i], {series_colour(used)}));
    const int curve = curves_[used++];
    losses_->set_curve_name(curve, names[i]);
    losses_->set_curve_visible(curve, true);
    for (const QPointF& point : *run.losses) losses_->append(curve, point.x(), point.y());
    provenance += run.details;
  }
  for (; used < curves_.size(); ++used) losses_->set_curve_visible(curves_[used], false);
  losses_->set_provenance(provenance.join(QStringLiteral("\n\n")));
  if (losses_->following()) losses_->fit();
  losses_->request_replot();
}

}  // namespace carryover
