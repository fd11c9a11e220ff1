// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/prompts_panel.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/campaigns/prompts_form.h"
#include "widgets/controls/page_parts.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr qsizetype longest_name = 100;  ///< of a name in the status

}  // namespace

PromptsPanel::PromptsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Prompt sets"), parent), lab_(lab), form_(new PromptsForm(this)), said_(new QLabel(this)) {
  said_->setTextFormat(Qt::PlainText);
  said_->setWordWrap(true);
  said_->setAccessibleName(tr("State of the prompt set"));
  auto* open = new QToolButton(this);
  open->setText(tr("Open…"));
  open->setToolTip(tr("Open the folder of a prompt set that has been run, or follow one that is running"));
  connect(open, &QToolButton::clicked, this, [this] {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of a prompt set"), folder_);
    if (!folder.isEmpty()) Q_EMIT open_wanted(folder);
  });
  form_->setContentsMargins(6, 4, 6, 0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 4, 6, 4);
  bar->setSpacing(6);
  bar->addWidget(said_, 1);
  bar->addWidget(open);
  bar->addWidget(filter_field(filter_, tr("Show only examples that contain all of these words"), this));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(form_);
  column->addLayout(bar);
  column->addWidget(build_tables(), 1);
  connect(&lab, &LabContext::config_changed, this, &Panel::request_refresh);  // what it says of a question pass
  request_refresh();
}

QWidget* PromptsPanel::build_tables() {
  const auto table = [this](QAbstractItemModel& model, const QString& name) {
    auto* view = new QTableView(this);
    prepare_table(*view, name);
    view->setModel(&model);
    view->horizontalHeader()->setResizeContentsPrecision(50);  // rows that a width is chosen by; there may be many
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view->horizontalHeader()->setStretchLastSection(true);
    return view;
  };
  filter_.setSourceModel(&examples_);
  examples_view_ = table(filter_, tr("Examples of the prompt set"));
  examples_view_->setSortingEnabled(true);
  examples_view_->sortByColumn(-1, Qt::AscendingOrder);  // as in the file
  add_table_action(*examples_view_, tr("Open as a run"), Qt::Key_Return, [this] { open_selected(false); });
  add_table_action(*examples_view_, tr("Open with its control as B"), {}, [this] { open_selected(true); });
  add_copy_actions(*examples_view_);
  connect(examples_view_, &QTableView::doubleClicked, this, [this] { open_selected(false); });
  slices_view_ = table(slices_, tr("Means over the examples of each tag, with 95 % intervals"));
  add_copy_actions(*slices_view_);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->setChildrenCollapsible(false);
  split_->addWidget(examples_view_);
  split_->addWidget(slices_view_);
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 1);
  return split_;
}

/// Beside each other where the panel is wide and low, as in the lower row.
void PromptsPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  const Qt::Orientation orientation = width() > 2 * height() ? Qt::Horizontal : Qt::Vertical;
  if (split_->orientation() == orientation) return;
  split_->setOrientation(orientation);
  const int all = orientation == Qt::Horizontal ? width() : height(),
            slices = orientation == Qt::Horizontal ? all / 2 : all / 3;
  split_->setSizes({all - slices, slices});
}

QString PromptsPanel::folder_of(const QModelIndex& index, bool of_control) const {
  const QModelIndex source = filter_.mapToSource(index);
  if (!source.isValid()) return {};
  const PromptReport::Example& example = examples_.row(source.row());
  const std::string& folder = of_control ? example.against_folder : example.folder;
  return folder.empty() || !example.error.empty() ? QString() : folder_ + u'/' + QString::fromStdString(folder);
}

void PromptsPanel::open_selected(bool with_control) {
  const QModelIndex current = examples_view_->currentIndex();
  const QString folder = folder_of(current, false), against = folder_of(current, true);
  if (folder.isEmpty()) return;
  if (with_control && !against.isEmpty())
    Q_EMIT pair_wanted(folder, against);
  else
    Q_EMIT example_wanted(folder);
}

void PromptsPanel::set_report(const QString& folder, const std::shared_ptr<const PromptReport>& report) {
  folder_ = folder;
  report_ = report;
  problem_.clear();
  examples_.set_report(report);
  slices_.set_rows(report ? report->slices : std::vector<PromptReport::Slice>());
  request_refresh();
}

void PromptsPanel::set_progress(const QString& what) {
  progress_ = what;
  form_->set_running(!what.isEmpty());
  request_refresh();
}

void PromptsPanel::set_problem(const QString& problem) {
  problem_ = problem;
  request_refresh();
}

QString PromptsPanel::said() const {
  if (!problem_.isEmpty()) return problem_;
  QString text = progress_;
  if (report_) {
    if (!text.isEmpty()) text += QStringLiteral(" · ");
    const auto failed = std::ranges::count_if(report_->examples, [](const auto& each) { return !each.error.empty(); });
    text += tr("%1 examples with %2, policy %3")
                .arg(count_text(std::ssize(report_->examples)),
                     model_name(report_->model, report_->model_path, report_->adapter).left(longest_name).simplified(),
                     shown_text(report_->policy, longest_name));
    if (!report_->against.empty()) text += tr(", against %1").arg(shown_text(report_->against, longest_name));
    if (failed > 0) text += tr("; %1 failed").arg(count_text(failed));
    if (!report_->complete && progress_.isEmpty()) text += tr("; not all were run: Run continues");
  }
  if (text.isEmpty())
    text =
        tr("A prompt set is a file with a text on each line. Each text is run separately. The tables show its loss, "
           "the distance of its hits, whether its target was read, and means over all examples and over each tag.");
  if (lab_.config().question_pass && lab_.config().retrieval_length > 0)
    text += u'\n' + tr("The question pass does not apply to prompt sets: each segment reads what the queries of the "
                       "previous segment found. To ask questions, use Ask or Evaluate.");
  return text;
}

void PromptsPanel::refresh() {
  said_->setText(said());
  said_->setToolTip(folder_);
}

}  // namespace carryover
