// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/head_discovery_panel.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/heads/choice/head_agreement.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/heads/head_probe_form.h"
#include "widgets/heads/head_score_map.h"
#include "widgets/heads/state/head_score_files.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr int map_width = 420, list_width = 330;  ///< at first; more goes to the map

QStringList score_files(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile() && is_head_score_file(url.toLocalFile())) paths += url.toLocalFile();
  return paths;
}

}  // namespace

std::vector<PlotView*> HeadDiscoveryPanel::plots() {
  return {map_};
}

HeadDiscoveryPanel::HeadDiscoveryPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Head scores"), parent), form_(new HeadProbeForm(this)) {
  setAcceptDrops(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(build_bar());
  layout->addWidget(build_result(), 1);
  connect(&lab, &LabContext::model_changed, this, &HeadDiscoveryPanel::adopt_model);
  connect(&lab, &LabContext::weights_changed, this, &HeadDiscoveryPanel::forget_profile);
  connect(&lab, &LabContext::config_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  adopt_model();
}

QToolButton* HeadDiscoveryPanel::tool(const QString& icon, const QString& what) {
  auto* button = new QToolButton(this);
  button->setIcon(themed_icon(icon));
  button->setToolTip(what);
  button->setAccessibleName(what);
  button->setAutoRaise(true);
  return button;
}

QLayout* HeadDiscoveryPanel::build_bar() {
  auto* import = tool(QStringLiteral("import"), tr("Import scores: DuoAttention .tsv or retrieval-head .json"));
  export_ = tool(QStringLiteral("export"), tr("Export the scores: DuoAttention .tsv or retrieval-head .json"));
  connect(import, &QToolButton::clicked, this, &HeadDiscoveryPanel::ask_import);
  connect(export_, &QToolButton::clicked, this, &HeadDiscoveryPanel::ask_export);
  WrappingBar* bar = control_bar();
  bar->addWidget(form_, 1);
  bar->addWidget(import);
  bar->addWidget(export_);
  bar->addWidget(sync_toggle());
  return bar;
}

QWidget* HeadDiscoveryPanel::build_result() {
  const auto box = [this](const QString& name, const QString& help) {
    auto* made = new QComboBox(this);
    made->setAccessibleName(name);
    made->setToolTip(help);
    made->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    made->setMinimumContentsLength(10);
    connect(made, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
    return made;
  };
  shown_ = box(tr("Scores"), tr("Scores that are shown and that the proposal is based on"));
  measure_ = box(tr("Measure"), tr("Measure by which heads are scored"));
  measure_->addItem(tr("attention"));
  measure_->setItemData(0, tr("Attention on the token to be copied"), Qt::ToolTipRole);
  measure_->addItem(tr("copies"));
  measure_->setItemData(1, tr("How often the token to be copied gets the most attention"), Qt::ToolTipRole);
  against_ = box(tr("Against"), tr("Scores that the shown ones are compared with"));
  sets_box_ = new QWidget(this);
  auto* choices = new WrappingBar(sets_box_);
  choices->setContentsMargins(6, 0, 6, 4);
  for (QComboBox* each : {shown_, measure_, against_})
    choices->addWidget(labelled(each->accessibleName(), each, nullptr, sets_box_), 1);
  map_ = new HeadScoreMap(context(), this);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(map_);
  split->addWidget(build_proposals());
  split->setStretchFactor(0, 1);
  split->setSizes({map_width, list_width});
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(sets_box_);
  column->addWidget(split, 1);
  return side;
}

QWidget* HeadDiscoveryPanel::build_proposals() {
  const auto number = [this](const QString& name, const QString& help) {
    auto* made = new QSpinBox(this);
    made->setMinimum(1);
    made->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    made->setAccessibleName(name);
    made->setToolTip(help);
    connect(made, &QSpinBox::valueChanged, this, &Panel::request_refresh);
    return made;
  };
  layers_ = number(tr("Layers to propose"), tr("Number of layers, those whose best heads score highest"));
  heads_ = number(tr("Heads to propose"), tr("Number of heads in each of these layers, those that score highest"));
  apply_ = new QPushButton(tr("Apply the proposal"), this);
  apply_->setToolTip(tr("Makes it the grouping of the next run (undo: Ctrl+Z)"));
  connect(apply_, &QPushButton::clicked, this, &HeadDiscoveryPanel::apply_proposal);
  agreement_ = new QLabel(this);
  agreement_->setWordWrap(true);
  agreement_->setAccessibleName(tr("Agreement of two sets of scores"));
  list_ = new QTableView(this);
  prepare_table(*list_, tr("Groupings by scores"));
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setModel(&proposals_);
  list_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list_->horizontalHeader()->setSectionResizeMode(ProposalsTable::Name, QHeaderView::Stretch);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &Panel::request_refresh);
  proposals_box_ = new QWidget(this);
  WrappingBar* row = control_bar();
  row->addWidget(new QLabel(tr("Propose"), this));
  row->addWidget(layers_);
  row->addWidget(new QLabel(tr("layers ×"), this));
  row->addWidget(heads_);
  row->addWidget(new QLabel(tr("heads"), this));
  row->addStretch(1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(6, 4, 6, 6);
  foot->addWidget(agreement_, 1);
  foot->addWidget(apply_, 0, Qt::AlignRight | Qt::AlignTop);
  auto* column = new QVBoxLayout(proposals_box_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(list_, 1);
  column->addLayout(foot);
  return proposals_box_;
}

// Scores are of one model's heads.
void HeadDiscoveryPanel::adopt_model() {
  const auto& model = context().model();
  form_->set_model(model ? &*model : nullptr);
  sets_.clear();
  list_sets(0);
  if (model) {
    const Grouping usual = default_grouping(*model);
    layers_->setMaximum(static_cast<int>(model->layers));
    heads_->setMaximum(static_cast<int>(model->heads));
    layers_->setValue(static_cast<int>(usual.long_range_layers().size()));
    heads_->setValue(static_cast<int>(usual.long_heads(usual.long_range_layers().front()).size()));
  }
  request_refresh();
}

// It is of the weights before a training. What a file says is still what it says.
void HeadDiscoveryPanel::forget_profile() {
  sets_.set_profile({}, {});
  list_sets(0);
}

void HeadDiscoveryPanel::begin() {
  form_->begin();
}
void HeadDiscoveryPanel::end() {
  form_->end();
}

void HeadDiscoveryPanel::show_profile(const HeadProfile& profile, const QString& provenance) {
  form_->end();
  sets_.set_profile(profile, provenance);
  list_sets(0);
}

void HeadDiscoveryPanel::import_file(const QString& path) {
  if (!context().model())
    throw EngineError(Fault::Usage, path.toStdString(), tr("no model is open").toStdString(),
                      tr("Open the model whose heads these are.").toStdString());
  list_sets(sets_.add_file(path, read_head_scores(path, *context().model())));
  context().add_note(tr("Scores of all heads from %1").arg(path));
}

void HeadDiscoveryPanel::export_file(const QString& path) {
  if (!scores())
    throw EngineError(Fault::Usage, path.toStdString(), tr("no head has been scored yet").toStdString(),
                      tr("Profile the model first.").toStdString());
  write_head_scores(*scores(), *context().model(), path);
}

// The other one of two is what they are held against; a file, where there is one.
void HeadDiscoveryPanel::list_sets(std::size_t shown) {
  const QSignalBlocker shown_quiet(shown_), against_quiet(against_);
  shown_->clear();
  against_->clear();
  against_->addItem(tr("nothing"));
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    shown_->addItem(sets_.at(i).name);
    against_->addItem(sets_.at(i).name);
  }
  shown_->setCurrentIndex(sets_.empty() ? -1 : static_cast<int>(shown));
  const std::size_t file = sets_.first_file().value_or(0);
  const std::size_t other = file != shown ? file : 0;
  against_->setCurrentIndex(sets_.size() < 2 || other == shown ? 0 : static_cast<int>(other) + 1);
  request_refresh();
}

const HeadScoreSet* HeadDiscoveryPanel::shown_set() const {
  const int index = shown_->currentIndex();
  return index < 0 ? nullptr : &sets_.at(static_cast<std::size_t>(index));
}

HeadMeasure HeadDiscoveryPanel::measure() const {
  return measure_->currentIndex() == 1 ? HeadMeasure::Copies : HeadMeasure::Attention;
}

const HeadScores* HeadDiscoveryPanel::scores() const {
  const HeadScoreSet* set = shown_set();
  return set ? &set->of(measure()) : nullptr;
}

Grouping HeadDiscoveryPanel::proposal() {
  return propose_grouping(*scores(), *context().model(), layers_->value(), heads_->value());
}

void HeadDiscoveryPanel::apply_proposal() {
  if (!scores()) return;
  SegmentConfig config = context().config();
  config.grouping = proposal();
  context().edit_config(config, tr("grouping by head scores"));
}

QString HeadDiscoveryPanel::source_folder() {
  return {};  // a run's folder has no scores: the provenance names the command
}

void HeadDiscoveryPanel::refresh() {
  const HeadScoreSet* set = shown_set();
  sets_box_->setVisible(set != nullptr);
  proposals_box_->setVisible(set != nullptr);
  export_->setEnabled(set != nullptr);
  if (!set) {
    proposals_.set_rows({});
    return map_->show_nothing(
        context().model() ? tr("No head has been scored yet. Press Profile, or drop scores here: DuoAttention's "
                               "full_attention_heads.tsv, or retrieval-head .json.")
                          : tr("Open a model to see which of its heads retrieve."));
  }
  measure_->setEnabled(!set->imported());
  map_->show_scores(*scores(), set->name, set->imported() ? tr("Score") : measure_->currentText(), set->provenance);
  show_proposals();
  map_->show_selection();
  show_agreement();
  map_->request_replot();
}

void HeadDiscoveryPanel::show_proposals() {
  proposals_.set_rows(list_proposals(*scores(), *context().model(), context().config().grouping, proposal()));
  apply_->setEnabled(proposal() != context().config().grouping);
  const auto selected = list_->selectionModel()->selectedRows();
  const int chosen = selected.isEmpty() ? -1 : selected.front().row();
  map_->show_groupings(proposals_.row(ProposalsTable::Current), proposals_.row(ProposalsTable::Proposed),
                       chosen >= ProposalsTable::FirstPreset ? &proposals_.row(chosen) : nullptr);
}

void HeadDiscoveryPanel::show_agreement() {
  const int index = against_->currentIndex() - 1;
  agreement_->setVisible(index >= 0);
  if (index < 0) return;
  const HeadScoreSet& other = sets_.at(static_cast<std::size_t>(index));
  const auto correlation = rank_correlation(*scores(), other.of(measure()));
  const std::size_t count = std::max<std::size_t>(1, retrieving_heads(proposal()).size());
  agreement_->setText(filled(tr("Against %1: Spearman's ρ %2; of the %3 best heads, %4 % are the same"), other.name,
                             correlation ? decimal_text(*correlation, 2) : QStringLiteral("–"), count,
                             QString::number(100 * top_overlap(*scores(), other.of(measure()), count), 'f', 0)));
}

void HeadDiscoveryPanel::import_all(const QStringList& paths) {
  for (const QString& path : paths) {
    try {
      import_file(path);
    } catch (const EngineError& error) {
      Q_EMIT failed(error);
    }
  }
}

void HeadDiscoveryPanel::ask_import() {
  import_all(
      QFileDialog::getOpenFileNames(this, tr("Import scores of heads"), {}, tr("Scores of heads (*.tsv *.json)")));
}

void HeadDiscoveryPanel::ask_export() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export the scores"), QStringLiteral("full_attention_heads.tsv"),
                                   tr("DuoAttention (*.tsv);;Retrieval heads (*.json)"));
  if (path.isEmpty()) return;
  try {
    export_file(path);
  } catch (const EngineError& error) {
    Q_EMIT failed(error);
  }
}

// Other files are the window's.
void HeadDiscoveryPanel::dragEnterEvent(QDragEnterEvent* event) {
  if (!score_files(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void HeadDiscoveryPanel::dropEvent(QDropEvent* event) {
  import_all(score_files(*event->mimeData()));
  event->acceptProposedAction();
}

}  // namespace carryover
