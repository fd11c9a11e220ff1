// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/ask_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

AskPanel::AskPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Ask"), parent),
      lab_(lab),
      question_(new QLineEdit(this)),
      ask_(new QPushButton(tr("Ask"), this)),
      why_not_(new QLabel(this)),
      probability_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      remove_(new QPushButton(tr("Remove"), this)),
      only_(new QPushButton(tr("Only this one"), this)),
      answers_(new QTextBrowser(this)),
      view_(new QTableView(this)) {
  question_->setClearButtonEnabled(true);
  question_->setAccessibleName(tr("Question about the text"));
  why_not_->setForegroundRole(QPalette::PlaceholderText);
  progress_->setAccessibleName(tr("Progress of the question"));
  progress_->setTextVisible(false);
  progress_->setRange(0, 1000);
  progress_->setFixedSize(110, 8);
  progress_->hide();
  answers_->setAccessibleName(tr("Answers"));
  answers_->setOpenLinks(false);
  view_->setModel(&table_);
  prepare_table(*view_, tr("Passages that the question retrieved"));
  for (const int column : {PassagesTable::Change, PassagesTable::TokenChange}) view_->setColumnHidden(column, true);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(PassagesTable::Text, QHeaderView::Stretch);
  add_copy_actions(*view_);
  probability_->setWordWrap(true);
  probability_->setAccessibleName(tr("Probability of the answer"));
  remove_->setToolTip(tr("Probability of the answer without the passage"));
  only_->setToolTip(tr("Probability of the answer with only this passage"));
  connect(remove_, &QPushButton::clicked, this, [this] { ask_again(true); });
  connect(only_, &QPushButton::clicked, this, [this] { ask_again(false); });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { show_buttons(); });
  auto* passages = new QWidget(this);
  WrappingBar* below = control_bar();
  below->addWidget(probability_, 1);
  below->addWidget(remove_);
  below->addWidget(only_);
  put_bar_above(passages, below, view_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(answers_);
  split->addWidget(passages);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 1);
  WrappingBar* bar = control_bar();
  bar->addWidget(question_, 1);
  bar->addWidget(ask_);
  bar->addWidget(progress_);
  bar->addWidget(why_not_);
  put_bar_above(this, bar, split);
  connect(question_, &QLineEdit::returnPressed, this, &AskPanel::ask);
  connect(question_, &QLineEdit::textChanged, this, &Panel::request_refresh);
  connect(ask_, &QPushButton::clicked, this, [this] {
    if (lab_.questions().running())
      lab_.questions().ask_cancel();
    else
      ask();
  });
  connect(&lab.questions(), &Questions::changed, this, &Panel::request_refresh);
  connect(&lab.questions(), &Questions::progressed, this, &AskPanel::show_progress);
  connect(&lab.questions(), &Questions::hits_changed, this, &AskPanel::show_passages);
  connect(&lab.questions(), &Questions::shown, this, [this](int id) {
    catch_up();
    answers_->scrollToAnchor(QString::number(id));
  });
  const auto ask_another = [this] {  // one text's positions are not of another's
    show_passages();
    request_refresh();
  };
  connect(&lab.run(), &RunModel::reset, this, ask_another);
  connect(&lab.document(), &OpenDocument::changed, this, ask_another);
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) { select_passage(index.row()); });
}

void AskPanel::ask() {
  const Questions& questions = lab_.questions();
  if (question_->text().trimmed().isEmpty() || questions.running() || !questions.unavailable().isEmpty()) return;
  lab_.questions().ask(question_->text().trimmed());
}

/// Selects the passage in the run on show, if that reads the same text: a document's text may be another one.
void AskPanel::select_passage(int row) {
  const auto &shown = lab_.run().request().ids, &asked = lab_.asked().request().ids;
  if (shown != asked && (!shown || !asked || *shown != *asked)) return;
  context().select_token(table_.rows()[static_cast<std::size_t>(row)].passage.anchor);
}

void AskPanel::refresh() {
  const Questions& questions = lab_.questions();
  const bool running = questions.running();
  ask_->setText(running ? tr("Cancel") : tr("Ask"));
  ask_->setEnabled(running || (questions.unavailable().isEmpty() && !question_->text().trimmed().isEmpty()));
  show_progress();
  probability_->setText(probabilities());
  show_buttons();
  const QString document = lab_.document().label();
  question_->setPlaceholderText(
      document.isEmpty() ? tr("A question about the text, or the beginning of a sentence that answers it")
                         : tr("A question about %1, or the beginning of a sentence that answers it").arg(document));
  const QString asked = run_provenance(lab_.asked());
  QString page;
  for (auto question = questions.all().rbegin(); question != questions.all().rend(); ++question) {
    const bool done = !running || question != questions.all().rbegin();
    const QString of =
        question->provenance == asked ? QString() : tr("Asked about %1").arg(question->run).toHtmlEscaped();
    page += QStringLiteral("<p><a name=\"%1\"></a><b>%2</b><br/>%3</p>%4<hr/>")
                .arg(QString::number(question->id), question->text.toHtmlEscaped(), of, answers_to(*question, done));
  }
  answers_->setHtml(page);
}

QString AskPanel::answers_to(const Question& question, bool done) const {
  const QString no_answer =
      question.complete ? tr("The model generated an empty answer.") : tr("The question was not answered.");
  const auto said = [&](const QString& answer) {
    return done && answer.trimmed().isEmpty() ? QStringLiteral("<i>%1</i>").arg(no_answer) : answer.toHtmlEscaped();
  };
  if (!question.retrieves) return QStringLiteral("<p>%1</p>").arg(said(question.answer));
  return QStringLiteral("<p>%1<br/>%2</p><p><i>%3</i><br/>%4</p>")
      .arg(tr("With retrieval:"), said(question.answer), tr("Without retrieval:"), said(question.without_retrieval));
}

void AskPanel::show_progress() {
  const Questions& questions = lab_.questions();
  const bool known = questions.running() && !questions.doing().isEmpty();
  progress_->setVisible(known);
  progress_->setValue(static_cast<int>(1000 * questions.progress()));
  const QString doing = known ? questions.doing() + u'…' : tr("answering…");
  why_not_->setText(questions.running() ? doing : questions.unavailable());
}

const Question* AskPanel::current() const {
  const auto& all = lab_.questions().all();
  return all.empty() || all.back().provenance != run_provenance(lab_.asked()) ? nullptr : &all.back();
}

QString AskPanel::probabilities() const {
  if (current() == nullptr || current()->probability < 0) return {};
  const Question& last = *current();
  if (!last.retrieves)
    return tr("“%1”: probability %2. Nothing is retrieved: the presets in Settings turn retrieval on")
        .arg(last.scored, probability_text(last.probability));
  if (last.probability_without < 0)
    return tr("“%1”: probability %2").arg(last.scored, probability_text(last.probability));
  return tr("“%1”: probability %2, without retrieval %3")
      .arg(last.scored, probability_text(last.probability), probability_text(last.probability_without));
}

void AskPanel::show_buttons() {
  const Questions& questions = lab_.questions();
  const Question* last = current();
  const bool ready = view_->currentIndex().isValid() && !questions.running() && questions.unavailable().isEmpty() &&
                     last != nullptr && last->probability >= 0 && !last->hits.empty() && last->hits.front().shared;
  remove_->setEnabled(ready);
  only_->setEnabled(ready && table_.rowCount() > 1);
}

void AskPanel::ask_again(bool remove) {
  const auto row = static_cast<std::size_t>(view_->currentIndex().row());
  if (row >= table_.rows().size() || lab_.questions().running()) return;
  std::vector<Passage> all;
  for (const PassageRow& each : table_.rows()) all.push_back(each.passage);
  lab_.questions().ask_without(remove ? positions_of(all[row]) : positions_of_others(all, row));
}

/// A question of a session may be anybody's: its positions need not be in the text.
bool AskPanel::fits(const HeadHits& hits) const {
  const std::int64_t tokens = lab_.asked().token_count();
  return std::ranges::all_of(hits.hits, [tokens](const Hit& hit) {
    return hit.position >= 0 && hit.position < tokens && hit.anchor < tokens;
  });
}

void AskPanel::show_passages() {
  std::vector<PassageRow> rows;
  if (current() != nullptr && !current()->hits.empty() && fits(current()->hits.front())) {
    const Question& last = *current();
    const std::vector<Passage> all = passages_of(last.hits.front());
    for (std::size_t i = 0; i < all.size(); ++i) {
      PassageRow row{all[i], lab_.asked().segment_of_token(all[i].first), passage_text(lab_.asked(), all[i]), NAN, NAN};
      if (const auto* without = last.find(positions_of(all[i]))) row.without = without->probability;
      if (const auto* alone = last.find(positions_of_others(all, i))) row.alone = alone->probability;
      rows.push_back(std::move(row));
    }
  }
  const int current = view_->currentIndex().row();
  table_.set_rows(std::move(rows));
  if (current >= 0 && current < table_.rowCount()) view_->selectRow(current);
  probability_->setText(probabilities());
  show_buttons();
}

}  // namespace carryover
