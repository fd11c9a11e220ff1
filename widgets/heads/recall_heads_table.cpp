// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/recall_heads_table.h"

#include "engine/heads/choice/head_agreement.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

QString found_text(double share) {
  return percent_text(share, share == 1 ? 0 : 1);
}

std::size_t head_count(const ReaderStep& step) {
  return retrieving_heads(step.readers).size();
}

}  // namespace

SearchersTable::SearchersTable(QObject* parent) : ColumnTable(parent) {
  using Row = const SearcherStep&;
  set_columns({
      figures(tr("Searcher"), tr("Layer and head"), [](Row step) { return qstring(text_of_heads({step.head})); }),
      figures(tr("Found"), tr("Share of the answers in the windows that this head and those above find together"),
              [](Row step) { return found_text(step.found.chosen_by); }),
      figures(tr("Held out"), tr("The same on documents that no head was chosen by"),
              [](Row step) { return found_text(step.found.held_out); }),
      figures(tr("Alone"), tr("Share that the head finds alone"),
              [this](Row step) { return found_text(found_.at(step.head.layer, step.head.head)); }),
  });
}

void SearchersTable::set_heads(const RecallHeads& heads) {
  found_ = heads.found;
  set_rows(heads.searchers);
}

ReadersTable::ReadersTable(QObject* parent) : ColumnTable(parent) {
  using Row = const ReaderStep&;
  const auto layers = [](Row step) {
    return head_count(step) == 0 ? tr("none") : QString::number(step.readers.long_range_layers().size());
  };
  const auto pool = [this](Row step) {
    return head_count(step) == 0 ? QString() : bytes_text(step.entry_bytes * tokens_);
  };
  set_columns({
      figures(tr("Layers"), tr("Layers with heads that read the retrieved tokens"), layers),
      figures(tr("Readers"), tr("Heads that read the retrieved tokens"),
              [](Row step) { return QString::number(head_count(step)); }),
      figures(tr("Pool"), tr("The pool of a document: keys and values of readers and searchers"), pool),
      figures(tr("Loss"), tr("Mean loss of a token of the answers, in nats, with the needle in the prefix"),
              [](Row step) { return decimal_text(step.loss, 3); }),
      figures(tr("Answered"),
              tr("Share of answers whose every token is the most likely one, with the needle in the prefix"),
              [](Row step) { return found_text(step.answered); }),
  });
}

void ReadersTable::set_heads(const RecallHeads& heads, std::int64_t tokens) {
  std::vector<ReaderStep> steps = heads.readers;
  if (!steps.empty()) steps.push_back({Grouping(), heads.loss_without, heads.answered_without, 0});
  tokens_ = tokens;
  set_rows(std::move(steps));
}

}  // namespace carryover
