// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/installed_models.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/engine_thread/post.h"
#include "engine/base/run_control.h"
#include "widgets/controls/fitted_columns.h"
#include "widgets/controls/page_parts.h"
#include "widgets/look/filled_text.h"

namespace carryover {

InstalledModels::InstalledModels(const std::vector<ModelPlace>& places, QWidget* parent)
    : QWidget(parent),
      view_(new QTableView(this)),
      words_(filter_field(filter_, tr("Words that a model's row has"), this)),
      tokens_(new QSpinBox(this)),
      note_(new QLabel(this)),
      control_(std::make_shared<RunControl>()),
      thread_(QStringLiteral("model list")) {
  build_view();
  build_tokens();
  note_->setTextFormat(Qt::PlainText);
  note_->setForegroundRole(QPalette::PlaceholderText);
  note_->setText(tr("Reading…"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* above = new QHBoxLayout;
  above->addWidget(words_, 1);
  auto* label = new QLabel(tr("Memory for"), this);
  label->setBuddy(tokens_);
  above->addWidget(label);
  above->addWidget(tokens_);
  layout->addLayout(above);
  layout->addWidget(view_, 1);
  layout->addWidget(note_);
  later_.setSingleShot(true);
  later_.setInterval(50);
  connect(&later_, &QTimer::timeout, this, &InstalledModels::show_found);
  connect(thread_.get(), &ModelLister::found, this, [this](const InstalledModel& model) {
    found_.push_back(model);
    if (!later_.isActive()) later_.start();
  });
  connect(thread_.get(), &ModelLister::done, this, &InstalledModels::end);
  post(thread_.get(), [places, control = control_](ModelLister& lister) { lister.list(places, control); });
}

InstalledModels::~InstalledModels() {
  control_->request_stop();
}

void InstalledModels::build_view() {
  filter_.setSourceModel(&table_);
  view_->setModel(&filter_);
  prepare_table(*view_, tr("Models on this computer"));
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setTextElideMode(Qt::ElideMiddle);  // names begin alike
  view_->setSortingEnabled(true);
  view_->sortByColumn(-1, Qt::AscendingOrder);  // by place, as they are found
  view_->horizontalHeader()->setMaximumSectionSize(view_->fontMetrics().averageCharWidth() * 40);
  keep_columns_fitted(*view_);
  connect(view_, &QTableView::clicked, this, [this](const QModelIndex& index) { Q_EMIT picked(path_at(index)); });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (view_->hasFocus() && index.isValid()) Q_EMIT picked(path_at(index));
  });
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) { Q_EMIT opened(path_at(index)); });
}

void InstalledModels::build_tokens() {
  tokens_->setRange(1, 1 << 30);
  tokens_->setValue(static_cast<int>(kListedTokens));
  tokens_->setSingleStep(1024);
  tokens_->setGroupSeparatorShown(true);
  tokens_->setSuffix(tr(" tokens"));
  tokens_->setAccessibleName(tr("Length of the text for which memory is told"));
  tokens_->setToolTip(tokens_->accessibleName());
  connect(tokens_, &QSpinBox::valueChanged, this, [this](int tokens) { table_.set_tokens(tokens); });
}

QString InstalledModels::path_at(const QModelIndex& index) const {
  return QString::fromStdString(table_.row(filter_.mapToSource(index).row()).path);
}

void InstalledModels::show_found() {
  table_.set_rows(found_);
}

void InstalledModels::end(const QString& problem) {
  reading_ = false;
  later_.stop();
  show_found();
  const auto opening = std::ranges::count_if(found_, [](const InstalledModel& model) { return model.facts.opens(); });
  const QString count = found_.empty() ? tr("No models on this computer yet.")
                        : opening == std::ssize(found_)
                            ? filled(tr("Found %L1; Carryover opens all."), opening)
                            : filled(tr("Found %L1, of which Carryover opens %L2. A grey one says why not."),
                                     std::ssize(found_), opening);
  note_->setText(problem.isEmpty() ? count : count + QLatin1Char(' ') + problem);
  note_->setToolTip(problem);
}

}  // namespace carryover
