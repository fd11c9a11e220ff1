// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/script_what_if.h"

#include <nlohmann/json.hpp>

#include "app/script/script.h"
#include "app/window/script_selection.h"
#include "engine/base/error.h"
#include "widgets/lab/shown.h"
#include "widgets/what_if/patching.h"

namespace carryover {
namespace {

/// Takes the words of an edit one after the other.
class EditWords {
 public:
  EditWords(LabContext& context, const QStringList& words) : context_(context), words_(words) {
    result_.plan.segment = shown_segment(context);
    if (result_.plan.segment < 0)
      refuse(QStringLiteral("what-if"), tr("nothing has been run"), tr("Run a text first."));
  }

  WordedWhatIf read() {
    while (next_ < words_.size()) read_part(take());
    const QString obstacle = patch_obstacle(context_, result_.plan.segment, edit_);
    if (!obstacle.isEmpty()) refuse(QStringLiteral("patch"), obstacle, tr("Pin a run that corresponds."));
    if (edit_.config) edit_.config->validate(context_.run().model().config, "what-if");
    result_.plan.edits = {edit_};
    if (result_.name.isEmpty()) result_.name = edit_text(edit_, context_.run().request().config);
    return result_;
  }

 private:
  QString take() {
    if (next_ == words_.size()) refuse(words_.last(), tr("has no value"), tr("Write the value after the name."));
    return words_[next_++];
  }

  std::int64_t position(const QString& what) {
    const QString word = take();
    bool ok = false;
    const std::int64_t position = word.toLongLong(&ok);
    if (!ok || position < 0 || position >= context_.run().token_count())
      refuse(what, tr("“%1” is not a token of the run").arg(word), tr("Count from 0."));
    return position;
  }

  SlotRef slot(const QString& what) {
    const Selection& selected = context_.selected();
    if (selected.layer < 0 || selected.head < 0)
      refuse(what, tr("no head is selected"), tr("Select layer and head first."));
    const QString& word = next_ < words_.size() ? words_[next_] : QString();
    if (word != QStringLiteral("top-hit") && word != QStringLiteral("selected"))
      return slot_read_by(context_.run(), {selected.layer, selected.head}, position(what));
    take();
    if (word == QStringLiteral("top-hit")) select_by_words(context_, {QStringLiteral("token"), word});
    if (context_.selected().token < 0) refuse(what, tr("no token is selected"), tr("Select one first."));
    return slot_read_by(context_.run(), {selected.layer, selected.head}, context_.selected().token);
  }

  void read_prefix() {
    const QString word = take();
    const auto source = prefix_source(word.toStdString());
    if (!source)
      refuse(QStringLiteral("prefix"), tr("can't be “%1”").arg(word),
             tr("Use search, off, random, recent, constant, sinks or oracle."));
    edit_.prefix = *source;
  }

  void read_patch(const QString& what) {
    const QString word = take();
    if (word == QStringLiteral("carry")) {
      edit_.patch_carry = true;
      return;
    }
    const auto heads = selected_heads(what, word, tr("Use carry, head or layer."));
    edit_.patched_heads.insert(edit_.patched_heads.end(), heads.begin(), heads.end());
  }

  void read_zero(const QString& what) {
    const auto heads = selected_heads(what, take(), tr("Use head or layer."));
    edit_.zeroed_heads.insert(edit_.zeroed_heads.end(), heads.begin(), heads.end());
  }

  /// Returns the selected head, or all heads of the selected layer, as `word` says.
  std::vector<HeadRef> selected_heads(const QString& what, const QString& word, const QString& advice) const {
    const Selection& selected = context_.selected();
    const bool whole = word == QStringLiteral("layer");
    if (!whole && word != QStringLiteral("head")) refuse(what, tr("can't be “%1”").arg(word), advice);
    if (selected.layer < 0 || (!whole && selected.head < 0))
      refuse(what, tr("no head is selected"), tr("Select layer and head first."));
    return heads_to_patch(context_.run().model().config, selected.layer, whole ? -1 : selected.head);
  }

  void read_part(const QString& what) {
    if (what == QStringLiteral("no-carry")) {
      edit_.no_carry = true;
    } else if (what == QStringLiteral("no-sinks")) {
      edit_.no_sinks = true;
    } else if (what == QStringLiteral("prefix")) {
      read_prefix();
    } else if (what == QStringLiteral("drop")) {
      edit_.dropped.push_back(slot(what));
    } else if (what == QStringLiteral("drop-tokens")) {
      const std::int64_t first = position(what);
      const auto held = slots_at(context_.run(), result_.plan.segment, {{first, position(what) + 1}});
      edit_.dropped.insert(edit_.dropped.end(), held.begin(), held.end());
    } else if (what == QStringLiteral("add")) {
      edit_.added.push_back(slot(what));
    } else if (what == QStringLiteral("ban")) {
      const std::int64_t first = position(what);
      edit_.banned.push_back({first, position(what) + 1});
    } else if (what == QStringLiteral("zero")) {
      read_zero(what);
    } else if (what == QStringLiteral("patch")) {
      read_patch(what);
    } else if (what == QStringLiteral("name")) {
      result_.name = take();
    } else {
      if (!edit_.config) edit_.config = context_.run().request().config;
      update_from_json(*edit_.config, {{what.toStdString(), json_of_word(take())}}, "what-if");
    }
  }

  LabContext& context_;
  const QStringList& words_;
  qsizetype next_ = 0;
  SegmentEdit edit_;
  WordedWhatIf result_;
};

}  // namespace

WordedWhatIf what_if_of_words(LabContext& context, const QStringList& words) {
  return EditWords(context, words).read();
}

}  // namespace carryover
