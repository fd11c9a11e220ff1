// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// Tasks of one origin. A new one is a row in task_table.cpp.
struct TaskFamily {
  std::string name;         ///< "ruler": its tasks are "ruler/…", or this alone
  std::string description;  ///< in a line
  std::string data;         ///< files that --data has to name, in a line; empty: none
  std::vector<std::string> (*tasks)();
  std::unique_ptr<Task> (*make)(const std::string& task);  ///< one of tasks()
};

const std::vector<TaskFamily>& task_families();
/// The family that a task's name begins with. Throws EngineError{Usage} listing what there is.
const TaskFamily& task_family(const std::string& task);
/// Throws EngineError{Usage} listing what there is.
std::unique_ptr<Task> make_task(const std::string& name);
/// Names, and families for all of their tasks ("ruler"), in the order given, each once. Throws as make_task().
std::vector<std::string> expand_tasks(const std::vector<std::string>& names);

}  // namespace carryover
