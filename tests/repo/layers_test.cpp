// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of the repository: the includes that a folder may have, a licence line in each source, lines that fit a screen,
// and nothing that only one machine has.
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <algorithm>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::code_folders;
using carryover::test::read;
using carryover::test::read_files;
using carryover::test::Source;

namespace {

/// Sources that people wrote in any language, at the root too.
QList<Source> all_sources() {
  QList<Source> sources = code() + read_files(code_folders + QStringList{"cmake", "python", "scripts", ".ci"},
                                              {"*.sh", "*.py", "*.cmake", "CMakeLists.txt", "run"});
  for (const char* name : {"lab", "CMakeLists.txt"}) sources.append({name, read(name)});
  return sources;
}

QStringList includes_of(const Source& source) {
  static const QRegularExpression include("^\\s*#\\s*include\\s*[<\"]([^\">]+)[\">]",
                                          QRegularExpression::MultilineOption);
  QStringList found;
  for (auto match = include.globalMatch(source.text); match.hasNext();) found.append(match.next().captured(1));
  return found;
}

const char* const torch = "^(torch|ATen|c10|caffe2)/";
const char* const qt = "^(Q[A-Z][A-Za-z]*(/|$)|Qt|qcustomplot)";

enum class Library { None, Torch, Qt };

/// The includes that a folder may have beside itself and the standard library. Folders stand below all that they may
/// include, so that there is no cycle.
struct Folder {
  QString path;
  QStringList may_include;
  Library library = Library::None;
};

/// Settings, costs and rows of policies, which lie beside the classes that need LibTorch:
/// engine/policies/nsa/nsa_cost.h.
const QString policy_facts = "engine/policies/facts";

/// Values and formulas, without files.
const QStringList values{"engine/base", "engine/families", "engine/config",
                         "engine/cost", policy_facts,      "engine/runs/values"};
/// All that needs no LibTorch, but for campaigns.
const QStringList files =
    values + QStringList{"engine/statistics",   "engine/formats",          "engine/tokenizers",  "engine/data",
                         "engine/checkpoints",  "engine/installed",        "engine/hub",         "engine/bench",
                         "engine/runs/records", "engine/training/records", "engine/heads/choice"};
const QStringList tasks{"engine/tasks/base", "engine/tasks/scores", "engine/tasks/ruler", "engine/tasks"};
const QStringList campaigns = files + tasks +
                              QStringList{"engine/templates", "engine/campaigns/kernel", "engine/campaigns/prompts",
                                          "engine/campaigns/experiments", "engine/campaigns/evaluations"};
/// The parts of a whole run with LibTorch.
const QStringList forward{"engine/runtime", "engine/ops", "engine/decoder", "engine/method", "engine/policies"};
const QStringList engines{"engine/api", "engine/remote"};
/// The parts of panels that are of no subject.
const QStringList parts{"widgets/look", "widgets/controls", "widgets/plot", "widgets/tables"};
/// The states that views show, without a widget, by subject; and the one that all of them share.
const QStringList states{"widgets/campaigns/state", "widgets/heads/state", "widgets/training/state",
                         "widgets/runs/state",      "widgets/text/state",  "widgets/compare/state",
                         "widgets/what_if/state",   "widgets/lab"};
const QStringList subjects{"widgets/inspection", "widgets/what_if", "widgets/heads", "widgets/training",
                           "widgets/campaigns",  "widgets/bench",   "widgets/runs",  "widgets/compare",
                           "widgets/text",       "widgets/panels"};
const QStringList widgets = parts + states + subjects;

const QList<Folder> folders{
    {"kernels", {}},
    {"kernels/reference", {"kernels"}},
    {"kernels/cuda", {"kernels"}},

    {"engine/base", {}},
    {"engine/statistics", {"engine/base"}},
    {"engine/families", {"engine/base"}},
    {"engine/config", {"engine/base", "engine/families"}},
    {"engine/cost", {"engine/base", "engine/families", "engine/config"}},
    {policy_facts, {"engine/base", "engine/families", "engine/config", "engine/cost"}},
    {"engine/formats", {"engine/base"}},
    {"engine/tokenizers", {"engine/base", "engine/formats"}},
    {"engine/tokenizers/absent", {"engine/base", "engine/tokenizers"}},
    {"engine/templates", {"engine/base", "engine/formats"}},
    {"engine/runs/values", {"engine/base", "engine/families", "engine/config"}},
    {"engine/data", {"engine/base", "engine/config", "engine/formats", "engine/tokenizers", "engine/runs/values"}},
    {"engine/checkpoints", {"engine/base", "engine/families", "engine/config", "engine/formats", "engine/tokenizers"}},
    {"engine/installed",
     {"engine/base", "engine/families", "engine/config", "engine/cost", "engine/formats", "engine/checkpoints"}},
    {"engine/hub", {"engine/base", "engine/formats", "engine/installed"}},
    {"engine/hub/absent", {"engine/base", "engine/hub"}},
    {"engine/bench", {"engine/base", "engine/cost", "engine/formats"}},
    {"engine/runs/records", values + QStringList{"engine/formats", "engine/checkpoints"}},
    {"engine/training/records", values + QStringList{"engine/formats", "engine/checkpoints"}},
    {"engine/heads/choice", values + QStringList{"engine/formats", "engine/tokenizers", "engine/data"}},
    {"engine/tasks/base", {"engine/base", "engine/formats", "engine/tokenizers", "engine/data"}},
    {"engine/tasks/scores", {"engine/base", "engine/tasks/base"}},
    {"engine/tasks/ruler", {"engine/base", "engine/formats", "engine/tasks/base"}},
    {"engine/tasks",
     {"engine/base", "engine/formats", "engine/data", "engine/tasks/base", "engine/tasks/scores",
      "engine/tasks/ruler"}},
    {"engine/campaigns/kernel", {"engine/base", "engine/statistics", "engine/formats"}},
    {"engine/campaigns/prompts", files + QStringList{"engine/campaigns/kernel"}},
    {"engine/campaigns/experiments", files + QStringList{"engine/campaigns/kernel"}},
    {"engine/campaigns/evaluations", files + tasks + QStringList{"engine/templates", "engine/campaigns/kernel"}},

    {"engine/runtime", {"engine/base", "engine/runs/values", "kernels"}, Library::Torch},
    {"engine/ops/cpu", {"engine/base", "engine/config", "engine/runtime"}, Library::Torch},
    {"engine/ops/cuda",
     {"engine/base", "engine/runs/values", "engine/ops/cpu", "engine/runtime", "kernels"},
     Library::Torch},
    {"engine/ops",
     {"engine/base", "engine/cost", "engine/ops/cpu", "engine/ops/cuda", "engine/runtime", "kernels"},
     Library::Torch},
    {"engine/decoder", values + QStringList{"engine/checkpoints", "engine/ops", "engine/ops/cpu", "engine/runtime"},
     Library::Torch},
    {"engine/method",
     values + QStringList{"engine/decoder", "engine/ops", "engine/ops/cpu", "engine/ops/cuda", "engine/runtime"},
     Library::Torch},
    {"engine/policies", values + QStringList{"engine/method", policy_facts}, Library::Torch},
    {"engine/runs", values + forward + QStringList{"engine/formats", "engine/runs/records"}, Library::Torch},
    {"engine/inspection", values + forward + QStringList{"engine/runs"}, Library::Torch},
    {"engine/what_if", values + forward + QStringList{"engine/runs", "engine/inspection"}, Library::Torch},
    {"engine/heads", values + forward + QStringList{"engine/heads/choice", "engine/runs", "engine/inspection"},
     Library::Torch},
    {"engine/training", files + forward + QStringList{"engine/ops/cpu", "engine/runs"}, Library::Torch},
    {"engine/api",
     files + QStringList{"engine/runtime", "engine/runs", "engine/inspection", "engine/what_if", "engine/heads",
                         "engine/training"},
     Library::Torch},
    {"engine/remote", files + QStringList{"engine/api"}},
    {"engine/campaigns", campaigns + QStringList{"engine/api"}},

    {"widgets/look", {"engine/base"}, Library::Qt},
    {"widgets/controls", {"engine/base", "widgets/look"}, Library::Qt},
    {"widgets/plot", files + QStringList{"widgets/look"}, Library::Qt},
    {"widgets/tables", {"engine/base", "widgets/look", "widgets/controls"}, Library::Qt},
    {"widgets/campaigns/state", campaigns + QStringList{"widgets/look"}, Library::Qt},
    {"widgets/heads/state", files + QStringList{"widgets/look"}, Library::Qt},
    {"widgets/training/state", files + QStringList{"widgets/look"}, Library::Qt},
    {"widgets/runs/state", files + QStringList{"widgets/look", "widgets/heads/state", "widgets/training/state"},
     Library::Qt},
    {"widgets/text/state", files + QStringList{"widgets/look", "widgets/runs/state"}, Library::Qt},
    {"widgets/compare/state", files + QStringList{"widgets/look", "widgets/heads/state", "widgets/runs/state"},
     Library::Qt},
    {"widgets/what_if/state", files + QStringList{"widgets/look", "widgets/heads/state", "widgets/runs/state"},
     Library::Qt},
    {"widgets/lab", campaigns + parts + states.mid(0, states.size() - 1), Library::Qt},
    {"widgets/inspection", files + parts + states, Library::Qt},
    {"widgets/what_if", files + parts + states, Library::Qt},
    {"widgets/heads", files + parts + states + QStringList{"widgets/what_if"}, Library::Qt},
    {"widgets/training", files + parts + states, Library::Qt},
    {"widgets/campaigns", campaigns + parts + states, Library::Qt},
    {"widgets/bench", files + parts + states, Library::Qt},
    {"widgets/runs", files + parts + states, Library::Qt},
    {"widgets/compare", files + parts + states, Library::Qt},
    {"widgets/text", files + parts + states, Library::Qt},
    {"widgets/panels", files + parts + states + subjects.mid(0, subjects.size() - 1), Library::Qt},

    {"app/serve", files + QStringList{"engine/templates", "engine/api"}},
    {"app/cli", campaigns + engines + QStringList{"engine/campaigns", "app/serve"}},
    {"app/cli/bench", files + engines + QStringList{"engine/campaigns", "app/cli"}},
    {"app/cli/heads", files + tasks + engines + QStringList{"engine/campaigns", "app/cli"}},
    {"app/cli/training", files + engines + QStringList{"engine/campaigns", "app/cli"}},
    {"app/cli/campaigns", campaigns + engines + QStringList{"engine/campaigns", "app/cli", "app/cli/training"}},
    {"app/engine_thread", files + engines + states + QStringList{"widgets/look"}, Library::Qt},
    {"app/controllers",
     campaigns + states + QStringList{"widgets/look", "widgets/training", "widgets/what_if", "app/engine_thread"},
     Library::Qt},
    {"app/window", campaigns + widgets + QStringList{"app/cli", "app/engine_thread", "app/controllers"}, Library::Qt},
    {"app/saved_window", files + engines + widgets + QStringList{"app/engine_thread", "app/window"}, Library::Qt},
    {"app/start",
     files + widgets + QStringList{"app/engine_thread", "app/controllers", "app/window", "app/saved_window"},
     Library::Qt},
    {"app/script", files + widgets + QStringList{"app/cli", "app/window", "app/saved_window", "app/start"},
     Library::Qt},
    {"app",
     {"engine/base", "engine/api", "widgets/look", "app/cli", "app/window", "app/start", "app/script"},
     Library::Qt},
};

constexpr int most_files = 60;  ///< of one folder: more are not read at a glance

/// The path in the table: that of a policy's folder says which of its two kinds a file is.
QString table_path(const QString& file) {
  static const QRegularExpression facts("^engine/policies/(policy_rows|.+_(settings|cost))\\.(h|cpp)$");
  const QString path = file.section('/', 0, -2);
  if (facts.match(file).hasMatch()) return policy_facts;
  return path.startsWith("engine/policies/") && path != policy_facts ? QString("engine/policies") : path;
}

const Folder* folder_of(const QString& file) {
  const QString path = table_path(file);
  const auto found =
      std::find_if(folders.begin(), folders.end(), [&](const Folder& each) { return each.path == path; });
  return found == folders.end() ? nullptr : &*found;
}

/// Says why a file of `folder` may not include `header`; empty if it may.
QString problem_of(const Folder& folder, const QString& header) {
  if (folder.library != Library::Torch && QRegularExpression(torch).match(header).hasMatch())
    return "LibTorch is not for it";
  if (folder.library != Library::Qt && QRegularExpression(qt).match(header).hasMatch()) return "Qt is not for it";
  static const QRegularExpression ours("^(kernels|engine|widgets|app)/");
  if (!ours.match(header).hasMatch()) return {};
  const Folder* other = folder_of(header);
  if (other == nullptr) return "no such folder";
  return other->path == folder.path || folder.may_include.contains(other->path) ? QString() : "a folder above it";
}

}  // namespace

class LayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_folder_stands_below_what_it_includes() {
    for (qsizetype i = 0; i < folders.size(); ++i)
      for (const QString& path : folders[i].may_include) {
        const Folder* other = folder_of(path + "/x");
        QVERIFY2(other != nullptr, qPrintable(path));
        QVERIFY2(other - folders.data() < i, qPrintable(folders[i].path + " stands above " + path));
      }
  }

  void includes_follow_the_folders() {
    QStringList wrong;
    QSet<QString> seen;
    for (const Source& source : code({"app", "engine", "kernels", "widgets"})) {
      const Folder* folder = folder_of(source.path);
      if (folder == nullptr) {
        wrong.append(source.path + " is in a folder that the table lacks");
        continue;
      }
      seen.insert(folder->path);
      for (const QString& header : includes_of(source))
        if (const QString problem = problem_of(*folder, header); !problem.isEmpty())
          wrong.append(source.path + " includes " + header + ": " + problem);
    }
    for (const Source& source : code({"fuzz"}))  // may use any folder, but is built without LibTorch
      for (const QString& header : includes_of(source))
        if (QRegularExpression(torch).match(header).hasMatch()) wrong.append(source.path + " includes " + header);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    for (const Folder& folder : folders) QVERIFY2(seen.contains(folder.path), qPrintable(folder.path + " is empty"));
  }

  void no_folder_is_crowded() {
    QHash<QString, int> sources;
    for (const Source& source : code({"app", "engine", "kernels", "widgets", "tests"}))
      ++sources[source.path.section('/', 0, -2)];
    QStringList crowded;
    for (auto folder = sources.cbegin(); folder != sources.cend(); ++folder)
      if (folder.value() > most_files) crowded.append(QString("%1: %2 files").arg(folder.key()).arg(folder.value()));
    QVERIFY2(crowded.isEmpty(), qPrintable(crowded.join('\n')));
  }

  /// At most one of every two folders may include the other, and a violation in the other direction is found.
  void a_violation_in_either_direction_is_found() {
    for (const Folder& a : folders)
      for (const Folder& b : folders) {
        if (&a == &b) continue;
        const bool forth = problem_of(a, b.path + "/x.h").isEmpty(), back = problem_of(b, a.path + "/x.h").isEmpty();
        QVERIFY2(!(forth && back), qPrintable(a.path + " and " + b.path));
        QCOMPARE(forth, a.may_include.contains(b.path));
      }
    const Folder& cli = *folder_of("app/cli/run.cpp");
    QVERIFY(!problem_of(cli, "QString").isEmpty() && !problem_of(cli, "torch/torch.h").isEmpty());
    QVERIFY(!problem_of(cli, "engine/io/old.h").isEmpty() && problem_of(cli, "vector").isEmpty());
  }

  /// The façade is for who opens engines: the rest of the engine sees the values that cross it.
  void only_users_of_engines_include_the_session() {
    QStringList wrong;
    for (const Source& source : code({"engine", "widgets"}))
      if (includes_of(source).contains("engine/api/session.h") && !source.path.startsWith("engine/api/") &&
          !source.path.startsWith("engine/remote/") && !source.path.startsWith("engine/campaigns/"))
        wrong.append(source.path);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void forbidden_patterns_catch_what_they_should() {
    for (const char* header : {"torch/torch.h", "ATen/core/Tensor.h", "c10/core/Device.h"})
      QVERIFY2(QRegularExpression(torch).match(header).hasMatch(), header);
    for (const char* header : {"QObject", "QtCore/QObject", "QTest", "qcustomplot.h", "QCustomPlot/x.h"})
      QVERIFY2(QRegularExpression(qt).match(header).hasMatch(), header);
    for (const char* header : {"queue", "engine/base/error.h", "kernels/launch.h"})
      QVERIFY2(!QRegularExpression(qt).match(header).hasMatch(), header);
  }

  /// QCustomPlot uses `slots` and `emit` as keywords and takes long to compile: only the plots themselves see it.
  void qcustomplot_stays_behind_the_plots() {
    QStringList wrong;
    for (const Source& source : code({"app", "widgets"}))
      if (includes_of(source).contains("qcustomplot.h") && !source.path.startsWith("widgets/plot/plot_"))
        wrong.append(source.path);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void each_source_names_its_licence_first() {
    QStringList wrong;
    const QList<Source> sources = all_sources();
    QVERIFY(sources.size() > 50);
    for (const Source& source : sources) {
      const QStringList head = source.text.split('\n').mid(0, 3);
      bool named = false;
      for (const QString& line : head) {
        const QString licence = QStringLiteral("SPDX-License-") + "Identifier: GPL-3.0-or-later";
        named |= line == "// " + licence || line == "# " + licence;
        if (!line.startsWith('#')) break;  // a script's first line is its interpreter
      }
      if (!named) wrong.append(source.path);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void lines_fit_a_screen() {
    constexpr int most_columns = 120;
    QStringList wrong;
    for (const Source& source : code()) {
      const QStringList lines = source.text.split('\n');
      for (int i = 0; i < lines.size(); ++i)
        if (lines[i].size() > most_columns)
          wrong.append(QString("%1:%2: %3 columns").arg(source.path).arg(i + 1).arg(lines[i].size()));
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// Absolute paths of somebody's home and the package registries' hosts: each user has their own.
  void nothing_names_one_machine() {
    const QRegularExpression pattern(
        "(^|[\\s\"'=(:])(/root/|/home/[a-z]|/work/)|\\.\\./shared\\b|\\bpypi\\.org|pythonhosted|"
        "\\b(deb|security)\\.debian\\.org");
    QList<Source> sources = all_sources() + read_files({"docs"}, {"*.md"});
    for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakePresets.json"})
      sources.append({name, read(name)});
    QStringList wrong;
    for (const Source& source : sources) {
      if (source.path == "tests/repo/layers_test.cpp") continue;  // holds the pattern itself
      for (const QString& line : source.text.split('\n'))
        if (pattern.match(line).hasMatch()) wrong.append(source.path + ": " + line.trimmed());
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<LayersTest>};
#include "layers_test.moc"
