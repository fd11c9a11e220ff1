// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/task_table.h"

#include <algorithm>

#include "engine/base/translated_text.h"
#include "engine/tasks/babilong.h"
#include "engine/tasks/base/made_text.h"
#include "engine/tasks/file_tasks.h"
#include "engine/tasks/longbench.h"
#include "engine/tasks/longbench_v2.h"
#include "engine/tasks/needle_tasks.h"
#include "engine/tasks/perplexity_tasks.h"
#include "engine/tasks/recall_tasks.h"
#include "engine/tasks/ruler/ruler.h"

namespace carryover {

namespace {

std::vector<std::string> no_task_names() {
  return {};
}

}  // namespace

const std::vector<TaskFamily>& task_families() {
  static const std::vector<TaskFamily> families{
      {"ruler", TEXT("RULER: needles, variable tracking, common and frequent words, questions"),
       TEXT("for essays and questions a folder of RULER's downloads, or a data set that it made"), ruler_task_names,
       make_ruler_task},
      {"longbench", TEXT("LongBench: questions, summaries, few-shot, code"), TEXT("a folder of LongBench's files"),
       longbench_task_names, make_longbench_task},
      {"longbench_e", TEXT("LongBench-E: thirteen of its sets, evenly over lengths"),
       TEXT("a folder of LongBench's files"), longbench_e_task_names, make_longbench_e_task},
      {"longbench_v2", TEXT("LongBench v2: questions of four choices"),
       TEXT("a folder with LongBench v2's data.json and prompts/0shot.txt"), longbench_v2_task_names,
       make_longbench_v2_task},
      {"babilong", TEXT("BABILong: facts of bAbI in long texts"), TEXT("a folder of BABILong's files"),
       babilong_task_names, make_babilong_task},
      {"needle", TEXT("a sentence in a long text, by depth"),
       TEXT("a text or a folder of texts; without it small talk"), needle_task_names, make_needle_task},
      {"passkey", TEXT("a number in sentences that repeat, by depth"), "", passkey_task_names, make_passkey_task},
      {"recall", TEXT("pairs of a key and a value, by distance in segments"), "", recall_task_names, make_recall_task},
      {"ppl", TEXT("perplexity by three conventions"), TEXT("a text or a folder of texts"), perplexity_task_names,
       make_perplexity_task},
      {"file", "file:PATH: samples of your own, as lm-evaluation-harness scores them", "", no_task_names,
       make_file_task}};
  return families;
}

const TaskFamily& task_family(const std::string& task) {
  const std::string name = task.substr(0, task.find_first_of("/:"));
  const auto found = std::ranges::find(task_families(), name, &TaskFamily::name);
  if (found != task_families().end()) return *found;
  std::vector<std::string> names;
  for (const TaskFamily& family : task_families()) names.push_back(family.name);
  refuse_task_name(task, names);
}

std::unique_ptr<Task> make_task(const std::string& name) {
  const TaskFamily& family = task_family(name);
  const std::vector<std::string> tasks = family.tasks();
  if (!tasks.empty() && std::ranges::find(tasks, name) == tasks.end()) refuse_task_name(name, tasks);
  return family.make(name);
}

std::vector<std::string> expand_tasks(const std::vector<std::string>& names) {
  std::vector<std::string> expanded;
  const auto add = [&expanded](const std::string& name) {
    if (std::ranges::find(expanded, name) == expanded.end()) expanded.push_back(name);
  };
  for (const std::string& name : names) {
    const TaskFamily& family = task_family(name);
    const std::vector<std::string> tasks = family.tasks();
    if (name == family.name && !tasks.empty()) {
      for (const std::string& task : tasks) add(task);
    } else {
      if (std::ranges::find(tasks, name) == tasks.end()) make_task(name);  // a file of samples, or none: throws
      add(name);
    }
  }
  return expanded;
}

}  // namespace carryover
