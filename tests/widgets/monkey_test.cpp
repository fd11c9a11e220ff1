// SPDX-License-Identifier: GPL-3.0-or-later
// Random clicks, wheel, keys and drops on the window with the demo. No setting changes without a click or a key,
// nothing crashes or breaks an invariant, and what was worked is kept. The same seed does the same again:
//   widgets_tests monkey --seed 7 --events 100000 --sessions 20
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QMetaProperty>
#include <QMimeData>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <QTextStream>
#include <QWheelEvent>
#include <map>
#include <optional>
#include <random>

#include "app/start/application.h"
#include "engine/formats/output_file.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/settle.h"
#include "widgets/lab/notebook.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Wanted {
  std::uint32_t seed = 1;
  int sessions = 1, events = 250;
  bool told = false;  ///< every event, on standard error
};
Wanted wanted;

/// The text in a spin box is no value of its own: one that is no number yet becomes the box's value when it loses
/// focus.
bool holds_value(const QWidget* widget) {
  if (qobject_cast<const QScrollBar*>(widget) != nullptr || qobject_cast<const QTabBar*>(widget) != nullptr ||
      qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) != nullptr)
    return false;
  return qobject_cast<const QComboBox*>(widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
         qobject_cast<const QAbstractSlider*>(widget) != nullptr ||
         qobject_cast<const QAbstractButton*>(widget) != nullptr || qobject_cast<const QLineEdit*>(widget) != nullptr;
}

/// Everything that is set: the settings of the next run, and each control of each window.
struct Settings {
  explicit Settings(const LabContext& lab) {
    const RunOptions& options = lab.run_options();
    of_run = (lab.model() ? QString::fromStdString(nlohmann::json(lab.config()).dump()) : QString()) +
             QStringLiteral(" %1 %2 %3 %4")
                 .arg(QString::fromStdString(options.policy))
                 .arg(static_cast<int>(options.dtype))
                 .arg(static_cast<int>(options.device))
                 .arg(options.token_limit);
    for (const QWidget* window : QApplication::topLevelWidgets())
      for (const QWidget* widget : window->findChildren<QWidget*>())
        if (holds_value(widget)) controls[widget] = value_of(*widget);
  }

  static QString value_of(const QWidget& widget) {
    if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return QString::number(box->currentIndex());
    return widget.metaObject()->userProperty().read(&widget).toString();
  }

  /// The first that is another one now; empty: none. Controls that came or went are nobody's settings.
  QString changed_in(const Settings& after) const {
    if (of_run != after.of_run) return of_run + QStringLiteral(" → ") + after.of_run;
    for (const auto& [widget, value] : controls)
      if (const auto found = after.controls.find(widget); found != after.controls.end() && found->second != value)
        return QStringLiteral("%1 '%2' %3: %4 → %5")
            .arg(QLatin1String(widget->metaObject()->className()), widget->accessibleName(), widget->objectName(),
                 value, found->second);
    return {};
  }

  QString of_run;
  std::map<const QWidget*, QString> controls;
};

/// One person's hands, as far as they are random.
class Monkey {
 public:
  Monkey(Home& home, std::uint32_t seed) : home_(home), seed_(seed) {
    const QString text = home_.folder + QStringLiteral("/dropped.txt");
    write_file_atomically(text.toStdString(), "One day, a little girl dropped a text into a window. It was read.\n");
    drops_ = {text, demo_folder() + QStringLiteral("/text.txt"), home_.folder, home_.folder + QStringLiteral("/none")};
  }

  QStringList problems, trace;
  bool ended() const { return !home_.window.isVisible(); }

  /// Modal dialogs and menus run loops of their own, from which the next steps come.
  void go(int events) {
    left_ = events;
    QEventLoop loop;
    loop_ = &loop;
    next();
    loop.exec();
    close_all();
  }

 private:
  int upto(int count) { return static_cast<int>(random_() % static_cast<std::uint32_t>(std::max(1, count))); }

  void next() {
    if (resting_) return void(QTimer::singleShot(1, loop_, [this] { next(); }));
    if (left_-- <= 0 || ended()) {
      close_all();
      QTimer::singleShot(0, loop_, &QEventLoop::quit);
      return;
    }
    QTimer::singleShot(1, loop_, [this] { next(); });  // a timer, not an event that settling would send at once
    if (auto* files = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) return files->reject();
    step();
  }

  void close_all() {
    for (int i = 0; i < 50; ++i) {
      QWidget* open = QApplication::activePopupWidget();
      if (open == nullptr) open = QApplication::activeModalWidget();
      if (open == nullptr) return;
      open->close();
      if (auto* dialog = qobject_cast<QDialog*>(open)) dialog->reject();
    }
  }

  /// Returns a window that a hand could reach: a modal or popped up one takes everything.
  QWidget* place() {
    if (QWidget* popup = QApplication::activePopupWidget()) return popup;
    if (QWidget* modal = QApplication::activeModalWidget()) return modal;
    QWidgetList windows;
    for (QWidget* window : QApplication::topLevelWidgets())
      if (window->isVisible() && !window->inherits("QTipLabel") && window->windowType() != Qt::Popup) windows += window;
    std::ranges::sort(windows, {}, [](const QWidget* window) {
      return std::tuple(window->metaObject()->className(), window->windowTitle());
    });
    if (windows.isEmpty()) return &home_.window;
    return upto(3) > 0 ? &home_.window : windows[upto(static_cast<int>(windows.size()))];
  }

  void step() {
    random_.seed(seed_ + 7919 * static_cast<std::uint32_t>(trace.size()));  // a step does not depend on those before
    QPointer<QWidget> top = place();
    const QPoint at(upto(top->width()), upto(top->height()));
    QPointer<QWidget> target = top->childAt(at);
    if (target == nullptr) target = top;
    const QPoint local = target->mapFrom(top, at);
    const int kind = upto(100);
    note(kind, *target, local);
    if (kind < 40) {
      click(target, local, upto(8) == 0 ? Qt::ShiftModifier : Qt::NoModifier);
    } else if (kind < 44) {
      click(target, local, {});
      mouse(target, QEvent::MouseButtonDblClick, local, Qt::LeftButton, {});
      mouse(target, QEvent::MouseButtonRelease, local, Qt::NoButton, {});
    } else if (kind < 47) {
      QContextMenuEvent menu(QContextMenuEvent::Mouse, local, target->mapToGlobal(local));
      QApplication::sendEvent(target, &menu);
    } else if (kind < 52) {
      drag(target, local);
    } else if (kind < 74) {
      wheel(target, local);
    } else if (kind < 80) {
      hover(target, local);
    } else if (kind < 98) {
      key();
    } else {
      drop(upto(static_cast<int>(drops_.size())));
    }
    rest();
  }

  /// Waits until everything that follows from the step is done, so that the next one finds the same in every run of
  /// this seed. A job that takes longer is left alone for some steps, since hands do not wait either, and then stopped:
  /// one that was paused would take all the time that there is.
  void rest() {
    resting_ = true;
    Lab& lab = home_.window.lab();
    const auto idle = [&] { return ended() || lab.runs.why_engine_is_busy().isEmpty(); };
    settle();
    if (QTest::qWaitFor(idle, longest_rest_ms)) {
      busy_steps_ = 0;
    } else if (++busy_steps_ == most_busy_steps) {
      busy_steps_ = 0;
      lab.stop_engine();
      (void)QTest::qWaitFor(idle, longest_rest_ms);
    }
    settle();
    resting_ = false;
  }

  void note(int kind, const QWidget& target, const QPoint& at) {
    trace += QStringLiteral("%1 %2 '%3' %4,%5")
                 .arg(kind)
                 .arg(QLatin1String(target.metaObject()->className()), target.accessibleName())
                 .arg(at.x())
                 .arg(at.y());
    if (wanted.told) QTextStream(stderr) << trace.size() << ": " << trace.last() << Qt::endl;
  }

  /// Checks that an event that moves the pointer or the wheel over something sets nothing.
  template <typename Act>
  void sets_nothing(const char* what, const Act& act) {
    const Settings before(home_.lab());
    const QString told = trace.last();
    act();
    const QString changed = before.changed_in(Settings(home_.lab()));
    if (changed.isEmpty()) return;
    problems += QStringLiteral("event %1, %2 (%3): %4").arg(trace.size()).arg(QLatin1String(what), told, changed);
  }

  /// The widget that an event is for, which may be gone after any event.
  using Target = QPointer<QWidget>;

  static void mouse(const Target& target, QEvent::Type type, const QPoint& at, Qt::MouseButtons held,
                    Qt::KeyboardModifiers with) {
    if (target == nullptr) return;
    const bool move = type == QEvent::MouseMove;
    QMouseEvent event(type, QPointF(at), QPointF(target->mapToGlobal(at)), move ? Qt::NoButton : Qt::LeftButton, held,
                      with);
    QSpontaneKeyEvent::setSpontaneous(&event);
    qApp->notify(target, &event);
  }

  static void click(const Target& target, const QPoint& at, Qt::KeyboardModifiers with) {
    mouse(target, QEvent::MouseButtonPress, at, Qt::LeftButton, with);
    mouse(target, QEvent::MouseButtonRelease, at, Qt::NoButton, with);
  }

  void wheel(const Target& target, const QPoint& at) {
    const int turned = (upto(2) == 0 ? 120 : -120) * (1 + upto(4));
    sets_nothing("wheel", [&] {
      // A control that was clicked or typed in takes the wheel.
      for (QWidget* each = target; each != nullptr; each = each->parentWidget())
        if (each->hasFocus() && holds_value(each)) each->clearFocus();
      if (target == nullptr) return;
      QWheelEvent event(at, target->mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                        false);
      QSpontaneKeyEvent::setSpontaneous(&event);  // else Qt offers it to no parent
      qApp->notify(target, &event);
    });
  }

  void hover(const Target& target, const QPoint& at) {
    sets_nothing("move", [&] {
      mouse(target, QEvent::MouseMove, at, Qt::NoButton, {});
      if (target == nullptr) return;
      QHelpEvent help(QEvent::ToolTip, at, target->mapToGlobal(at));
      QApplication::sendEvent(target, &help);
    });
  }

  void drag(const Target& target, QPoint at) {
    mouse(target, QEvent::MouseButtonPress, at, Qt::LeftButton, {});
    for (int i = 0; i < 3; ++i) {
      at += QPoint(upto(60) - 30, upto(40) - 20);
      mouse(target, QEvent::MouseMove, at, Qt::LeftButton, {});
    }
    mouse(target, QEvent::MouseButtonRelease, at, Qt::NoButton, {});
  }

  void key() {
    static const std::vector<std::pair<Qt::Key, Qt::KeyboardModifiers>> keys{
        {Qt::Key_Tab, {}},
        {Qt::Key_Backtab, Qt::ShiftModifier},
        {Qt::Key_Return, {}},
        {Qt::Key_Escape, {}},
        {Qt::Key_Up, {}},
        {Qt::Key_Down, {}},
        {Qt::Key_Left, {}},
        {Qt::Key_Right, {}},
        {Qt::Key_Space, {}},
        {Qt::Key_Backspace, {}},
        {Qt::Key_Delete, {}},
        {Qt::Key_Home, {}},
        {Qt::Key_End, {}},
        {Qt::Key_PageDown, {}},
        {Qt::Key_PageUp, {}},
        {Qt::Key_F5, {}},
        {Qt::Key_F6, {}},
        {Qt::Key_P, {}},
        {Qt::Key_U, {}},
        {Qt::Key_Plus, {}},
        {Qt::Key_1, {}},
        {Qt::Key_7, {}},
        {Qt::Key_A, {}},
        {Qt::Key_X, {}},
        {Qt::Key_Comma, {}},
        {Qt::Key_Minus, {}},
        {Qt::Key_Z, Qt::ControlModifier},
        {Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier},
        {Qt::Key_A, Qt::ControlModifier},
        {Qt::Key_V, Qt::ControlModifier},
        {Qt::Key_K, Qt::ControlModifier}};
    QWidget* target = QApplication::focusWidget();
    if (target == nullptr) target = place();
    const auto& [key, with] = keys[static_cast<std::size_t>(upto(static_cast<int>(keys.size())))];
    QTest::keyClick(target, key, with);
  }

  void drop(int which) {
    if (QApplication::activeModalWidget() != nullptr || QApplication::activePopupWidget() != nullptr) return;
    QMimeData data;
    if (which == 0)
      data.setText(QStringLiteral("A text that was dropped. ") + QString::number(upto(9)));
    else
      data.setUrls({QUrl::fromLocalFile(drops_[which])});
    const QPoint at(home_.window.width() / 2, home_.window.height() / 2);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&home_.window, &enter);
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&home_.window, &event);
  }

  static constexpr int longest_rest_ms = 400, most_busy_steps = 20;
  int busy_steps_ = 0;  ///< since the engine had nothing to do
  Home& home_;
  std::uint32_t seed_;
  std::mt19937 random_;
  bool resting_ = false;
  QStringList drops_;
  int left_ = 0;
  QEventLoop* loop_ = nullptr;
};

/// The work that somebody would miss.
struct Work {
  QString notes;
  qsizetype bookmarks, runs;
  bool operator==(const Work&) const = default;
};

Work work_in(Home& home) {
  const Notebook& book = home.lab().notebook();
  return {book.text(), static_cast<qsizetype>(book.bookmarks().size()), home.lab().library().count()};
}

QString told(const Work& work) {
  return QStringLiteral("%1 bookmarks, %2 runs, notes '%3'").arg(work.bookmarks).arg(work.runs).arg(work.notes);
}

}  // namespace

class MonkeyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void random_hands_break_and_lose_nothing() {
    for (int session = 0; session < wanted.sessions; ++session) {
      const std::uint32_t seed = wanted.seed + static_cast<std::uint32_t>(session);
      const QStringList problems = play(seed, wanted.events, nullptr);
      if (wanted.sessions > 1) qInfo("seed %u: %lld problems", seed, static_cast<long long>(problems.size()));
      QVERIFY2(problems.isEmpty(), qPrintable(QStringLiteral("seed %1:\n").arg(seed) + problems.join(u'\n')));
    }
  }

  void the_seed_says_what_is_done() {
    QStringList once, again;
    play(wanted.seed, 40, &once);
    play(wanted.seed, 40, &again);
    QVERIFY(!once.isEmpty());
    QCOMPARE(once, again);
  }

 private:
  static QStringList play(std::uint32_t seed, int events, QStringList* trace) {
    const TempDir folder;
    const QString here = QDir::currentPath();
    QDir::setCurrent(QString::fromStdString(folder.path().string()));  // of what is saved without a path
    QStringList problems;
    std::optional<Work> before;
    {
      Home home(folder);
      auto* application = static_cast<Application*>(QApplication::instance());
      application->set_reporter([&problems](const ErrorReport& report) {
        if (report.fault == Fault::Internal) problems += report.where + QStringLiteral(": ") + report.problem;
      });
      open_demo(home.window, 600);
      run_to_the_end(home.window);
      home.lab().notebook().set_text(QStringLiteral("what was found so far"));
      home.window.setAnimated(false);
      for (const Qt::UIEffect effect : {Qt::UI_AnimateMenu, Qt::UI_AnimateCombo, Qt::UI_AnimateTooltip})
        QApplication::setEffectEnabled(effect, false);
      home.window.activateWindow();
      settle();
      Monkey monkey(home, seed);
      monkey.go(events);
      problems += monkey.problems;
      if (trace != nullptr) *trace = monkey.trace;
      if (!monkey.ended()) before = rest(home);
      application->set_reporter({});
    }
    if (before) come_back(folder, *before, problems);
    QDir::setCurrent(here);
    return problems;
  }

  /// Returns the work that is there once everything that was begun has ended.
  static Work rest(Home& home) {
    home.window.lab().stop_engine();
    const bool quiet =
        QTest::qWaitFor([&] { return home.window.lab().runs.why_engine_is_busy().isEmpty(); }, patience_ms);
    if (!quiet) qWarning("the engine is still busy");
    settle();
    home.keeper.keep_now();
    return work_in(home);
  }

  /// The next window has what this one had.
  static void come_back(const TempDir& folder, const Work& before, QStringList& problems) {
    Home home(QString::fromStdString(folder.path().string()), false);
    QSignalSpy opened(&home.keeper, &SessionKeeper::session_opened);
    if (!home.keeper.begin(true) || (opened.isEmpty() && !opened.wait(patience_ms))) {
      problems += QStringLiteral("nothing came back of: ") + told(before);
      return;
    }
    settle();
    const Work after = work_in(home);
    if (!(after == before)) problems += QStringLiteral("%1 came back of %2").arg(told(after), told(before));
  }
};

namespace {

/// Takes the monkey's own arguments, and leaves those of Qt Test.
int run_monkey(int argc, char** argv) {
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const QByteArray word = argv[i];
    const auto number = [&] { return i + 1 < argc ? QByteArray(argv[++i]).toInt() : 0; };
    if (word == "--seed")
      wanted.seed = static_cast<std::uint32_t>(number());
    else if (word == "--events")
      wanted.events = number();
    else if (word == "--sessions")
      wanted.sessions = number();
    else if (word == "--tell")
      wanted.told = true;
    else
      rest.push_back(argv[i]);
  }
  if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
    qputenv("QTEST_FUNCTION_TIMEOUT", "100000000");  // long ones
  rest.push_back(nullptr);
  return in_window<MonkeyTest, Application>(static_cast<int>(rest.size()) - 1, rest.data());
}

}  // namespace

static const carryover::test::TestFile these_tests{__FILE__, run_monkey};
#include "monkey_test.moc"
