// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>

#include "app/controllers/lab.h"
#include "widgets/text/state/copied_tokens.h"

namespace carryover {

/// The stories of a first look: a token copied from the retrieved prefix, one from the carried tail (both on the demo),
/// the effect of attention sinks, and a number found in a novel (both on the default model).
enum class Story { Retrieval, Carry, Sinks, Novel };

/// A model with the text to run on it, and the adapter that is opened with it outside stories: stories are about the
/// model as it was pretrained. A plain value.
struct StoryModel {
  QString model, text, adapter{};
  bool operator==(const StoryModel&) const = default;
};

/// Tells stories: opens and runs a story's model and text, selects its token, says in a sentence with the run's own
/// numbers what is seen there, and offers the one change that shows why. GUI thread.
class Stories : public QObject {
  Q_OBJECT
 public:
  Stories(Lab& lab, const StoryModel& demo);

  /// Tells that the default model and book are on this machine.
  void set_default_model(const StoryModel& files);
  const StoryModel& default_model() const { return default_; }
  QString why_not(Story story) const;  ///< the reason why it can't be told now; empty: it can

  void tell(Story story);
  void change();  ///< makes the change that `said` offered

 Q_SIGNALS:
  /// Gives rich text, and the offered change: the words of a button, or nothing.
  void said(const QString& text, const QString& change);
  void availability_changed();
  void panel_wanted(const QString& id);  ///< the panel of the story's next step

 private:
  using Step = std::function<void()>;
  enum class Event { Opened, Started, Ran, Changed, Answered };
  using SegmentSettings = std::function<SegmentConfig(const LoadedModel&)>;

  void wait(const QString& why);
  bool shows_demo() const;
  void await(Event event, const Step& then);
  void happened(Event event);
  void say(const QString& sentence, const QString& change, const Step& then);
  void open(const StoryModel& files, const SegmentSettings& settings, std::int64_t segments, const Step& then);
  void run(const QString& text, const Step& then);
  void tell_on_demo(CopySource source);
  void tell_copied(CopySource source);
  void change_segment(const CopiedToken& token, const SegmentEdit& edit, const QString& name);
  void tell_without_sinks();
  void hide_number();
  void ask_number();
  void say_progress();
  void tell_answer();

  Lab& lab_;
  StoryModel demo_, default_;
  QString sentence_;  ///< the last sentence that was said
  Event awaited_ = Event::Opened;
  Step next_;  ///< runs once after the awaited event; none: no event is awaited
  Step change_;
};

}  // namespace carryover
