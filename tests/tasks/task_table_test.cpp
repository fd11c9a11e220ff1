// SPDX-License-Identifier: GPL-3.0-or-later
// The list of tasks: each is made under its own name, families stand for all of theirs, and what isn't there is refused
// with what there is.
#include "engine/tasks/task_table.h"

#include <QTest>
#include <algorithm>
#include <set>

#include "engine/tasks/scores/metric_table.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class TaskTableTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void each_task_is_made_under_its_name() {
    std::set<std::string> families, tasks;
    for (const TaskFamily& family : task_families()) {
      QVERIFY2(families.insert(family.name).second, family.name.c_str());
      QVERIFY(!family.description.empty());
      for (const std::string& name : family.tasks()) {
        QVERIFY2(tasks.insert(name).second, name.c_str());
        QVERIFY2(name == family.name || name.starts_with(family.name + "/"), name.c_str());
        QCOMPARE(task_family(name).name, family.name);
        const auto task = make_task(name);
        QCOMPARE(task->info().name, name);
        QVERIFY2(!task->info().metric.empty(), name.c_str());
        QVERIFY2(std::ranges::find(metrics(), task->info().metric, &Metric::name) != metrics().end(), name.c_str());
        QVERIFY2(task->info().kind != TaskKind::Perplexity || !is_share(task->info().metric), name.c_str());
        QVERIFY2(!task->info().needs_data || !family.data.empty(), name.c_str());
        QVERIFY2(task->info().kind != TaskKind::Generation || task->info().max_new_tokens > 0, name.c_str());
      }
    }
    for (const char* family : {"ruler", "longbench", "longbench_e", "longbench_v2", "babilong", "needle", "passkey",
                               "recall", "ppl", "file"})
      QVERIFY2(families.contains(family), family);
    QVERIFY(tasks.size() > 40);
  }

  void families_stand_for_their_tasks() {
    for (const TaskFamily& family : task_families())
      if (!family.tasks().empty()) QVERIFY(expand_tasks({family.name}) == family.tasks());
    const std::vector<std::string> ppl = task_family("ppl").tasks();
    QVERIFY(ppl.size() == 3);
    // In the order given, each once.
    const auto expanded = expand_tasks({ppl[1], "passkey", "ppl", "passkey", ppl[2]});
    QVERIFY((expanded == std::vector<std::string>{ppl[1], "passkey", ppl[0], ppl[2]}));
    QVERIFY(expand_tasks({}).empty());
  }

  void files_are_named_by_path() {
    const TempDir folder;
    write_bytes(folder.path() / "own.jsonl", R"({"prompt": "a", "answers": ["b"]})");
    const std::string name = "file:" + folder.file("own.jsonl");
    QCOMPARE(task_family(name).name, "file");
    QCOMPARE(make_task(name)->info().name, name);
    QVERIFY(expand_tasks({name, name}) == std::vector<std::string>{name});
    QCOMPARE(unlike(Fault::Io, "none", [&] { expand_tasks({"file:" + folder.file("none")}); }), "");
  }

  void what_is_not_there_is_refused_with_what_is() {
    for (const auto& [name, advice] : {std::pair{"", "ruler"},
                                       {"rulers", "Did you mean ruler?"},
                                       {"ruler/", "ruler/"},
                                       {"ppl/disjont", "Did you mean ppl/disjoint?"},
                                       {"recall/", "recall/names"},
                                       {"needle/grids", "needle/grid"},
                                       {"file", "file:PATH"},
                                       {"file:", "file:PATH"},
                                       {"file/x", "file:PATH"},
                                       {"passkey/x", "passkey"},
                                       {"longbench/none", "longbench/"},
                                       {"babilong/qa99", "babilong/"}}) {
      const std::string asked = name;
      QCOMPARE(unlike(Fault::Usage, advice, [&] { make_task(asked); }), "");
      QCOMPARE(unlike(Fault::Usage, advice, [&] { expand_tasks({"passkey", asked}); }), "");
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TaskTableTest>};
#include "task_table_test.moc"
