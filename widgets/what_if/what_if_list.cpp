// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/what_if_list.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QUndoCommand>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/warning_box.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/plot/plot_export.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {

WhatIfList::WhatIfList(LabContext& context, QWidget* parent)
    : QWidget(parent), context_(context), table_(context), view_(new QTableView(this)) {
  prepare_table(*view_, tr("What-ifs"));
  view_->setModel(&table_);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  view_->setColumnWidth(WhatIfTable::Name, view_->fontMetrics().averageCharWidth() * 24);
  view_->horizontalHeader()->setStretchLastSection(true);
  WrappingBar* bar = control_bar();
  const auto button = [&](const QString& text, const QString& tip, auto slot) {
    auto* made = new QPushButton(text, this);
    made->setToolTip(tip);
    made->setEnabled(false);
    bar->addWidget(made);
    connect(made, &QPushButton::clicked, this, slot);
    return made;
  };
  again_ = button(tr("Edit again"), {}, [this] {
    if (const WhatIfResult* result = context_.what_ifs().shown_result()) context_.what_ifs().set_draft(result->edit);
  });
  remove_ = button(tr("Remove"), tr("Remove this what-if from the list"), [this] { remove_current(); });
  export_ = button(tr("Export…"), tr("Export the list as CSV (one line per token) or JSON (everything)"),
                   [this] { ask_and_export(); });
  bar->addStretch(1);
  put_bar_above(this, bar, view_);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) { context_.what_ifs().show(index.isValid() ? index.row() : -1); });
  connect(&context.what_ifs(), &WhatIfs::shown_changed, this, &WhatIfList::show_current);
  show_current();
}

void WhatIfList::show_current() {
  const int shown = context_.what_ifs().shown();
  if (shown < table_.rowCount() && view_->currentIndex().row() != shown) view_->selectRow(shown);
  remove_->setEnabled(shown >= 0);
  again_->setEnabled(context_.what_ifs().shown_in_run() != nullptr);
  again_->setToolTip(shown >= 0 && !again_->isEnabled() ? tr("It belongs to another run: open that run first")
                                                        : tr("Fill the form with the changes of this what-if"));
  export_->setEnabled(table_.rowCount() > 0);
}

namespace {

class WhatIfRemoval : public QUndoCommand {
 public:
  WhatIfRemoval(WhatIfs& what_ifs, int index)
      : QUndoCommand(WhatIfList::tr("delete %1").arg(what_ifs.results()[static_cast<std::size_t>(index)].name)),
        what_ifs_(what_ifs),
        id_(what_ifs.id(index)) {}
  void redo() override {
    if (const int index = what_ifs_.index_of(id_); index >= 0) removed_ = what_ifs_.take(index);
  }
  void undo() override {
    if (removed_) what_ifs_.put_back(*removed_);
    removed_.reset();
  }

 private:
  WhatIfs& what_ifs_;
  int id_;
  std::optional<RemovedWhatIf> removed_;
};

}  // namespace

void WhatIfList::remove_current() {
  WhatIfs& what_ifs = context_.what_ifs();
  if (const int shown = what_ifs.shown(); shown >= 0) context_.undo_stack().push(new WhatIfRemoval(what_ifs, shown));
}

namespace {

/// Returns the provenance of each run that the results belong to.
QString provenance_of(const std::vector<WhatIfResult>& results) {
  QStringList runs;
  for (const WhatIfResult& result : results)
    if (!runs.contains(result.provenance)) runs += result.provenance;
  return runs.join(QStringLiteral("\n\n"));
}

}  // namespace

void export_what_ifs(LabContext& context, const QString& path) {
  const auto& results = context.what_ifs().results();
  if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
    return write_csv(path, what_if_csv(results), {WhatIfList::tr("What-ifs"), provenance_of(results)});
  nlohmann::json list = nlohmann::json::array();
  for (const WhatIfResult& result : results) list.push_back(what_if_json(result));
  write_file_atomically(path.toStdString(), list.dump(2) + "\n");
}

void WhatIfList::ask_and_export() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export the what-ifs"), QStringLiteral("what-ifs.json"),
                                                    tr("JSON (*.json);;CSV (*.csv)"));
  if (path.isEmpty()) return;
  showing_errors(this, tr("What-ifs"), [&] { export_what_ifs(context_, path); });
}

}  // namespace carryover
