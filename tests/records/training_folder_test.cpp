// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/training_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "engine/formats/output_file.h"
#include "engine/formats/whole_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/test_program.h"
#include "tests/support/training_records.h"

using namespace carryover;
using carryover::test::range;
using carryover::test::steps_of;
using carryover::test::TempDir;
using carryover::test::unlike;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::set<std::string> listing(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TrainingFolder create(const TempDir& temp) {
  return TrainingFolder::create(test::training_plan_in(temp), {{"processor", "a test's"}});
}

/// A checkpoint of two files that must belong together.
void fill(const std::string& directory, std::int64_t step, std::size_t bytes = 1000) {
  fs::create_directory(fs::path(directory) / "adapter");
  for (const char* name : {"state", "adapter/weights"}) {
    OutputFile file((fs::path(directory) / name).string());
    file.append(std::to_string(step) + " ");
    file.append(std::string(bytes, 'x'));
  }
}

std::string save(TrainingFolder& folder, std::int64_t step, std::int64_t keep = 2, std::size_t bytes = 1000) {
  return folder.save_checkpoint(step, keep, [&](const std::string& directory) { fill(directory, step, bytes); });
}

/// The step that a whole checkpoint says it is of; −1 where its files are not whole or not of one step.
std::int64_t step_of(const std::string& path, std::size_t bytes = 1000) {
  const std::string state = test::read_bytes(fs::path(path) / "state");
  const std::string weights = test::read_bytes(fs::path(path) / "adapter" / "weights");
  const std::int64_t step = std::stoll(state);
  return state == weights && state.size() == std::to_string(step).size() + 1 + bytes ? step : -1;
}

template <typename Record>
std::vector<json> json_of(const std::vector<Record>& records) {
  return {records.begin(), records.end()};
}

}  // namespace

class TrainingFolderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_reads_back();
  void a_used_folder_is_refused();
  void a_second_holder_is_refused();
  void the_newest_checkpoints_are_kept();
  void a_checkpoint_is_whole_or_not_there();
  void a_folder_takes_the_place_of_another();
  void resuming_drops_newer_lines_data();
  void resuming_drops_newer_lines();
  void leftovers_are_removed();
  void links_in_a_folder_are_refused_data();
  void links_in_a_folder_are_refused();
  void checkpoints_of_an_older_version_stay();
  void what_cannot_be_resumed_is_named();
  void killed_at_any_moment();
  void a_full_disk_leaves_whole_files();
};

void TrainingFolderTest::a_run_reads_back() {
  const TempDir temp;
  std::mt19937 random(1);
  std::vector<StepRecord> steps;
  std::vector<ValidationRecord> validations;
  TrainingFolder folder = create(temp);
  QCOMPARE(folder.directory(), temp.file("run"));
  for (std::int64_t step = 1; step <= 20; ++step) {
    steps.push_back(test::random_step(step, random));
    if (step == 5) steps.back().loss = std::numeric_limits<double>::quiet_NaN();
    folder.append(steps.back());
    if (step % 6 == 0) folder.append(validations.emplace_back(test::random_validation(step, random)));
    const StoredTraining run = read_training_folder(temp.file("run"));  // whole after each line
    QCOMPARE(steps_of(run.steps), range(1, step));
  }
  save(folder, 10);
  save(folder, 20);
  QVERIFY(read_training_folder(temp.file("run")).final_folder.empty());
  QCOMPARE(folder.save_final([](const std::string& d) { fill(d, 20); }), temp.file("run/final"));

  const StoredTraining run = read_training_folder(temp.file("run"));
  QVERIFY(plan_json(run.plan) == plan_json(test::training_plan_in(temp)));
  QVERIFY(json_of(run.steps) == json_of(steps));
  QVERIFY(json_of(run.validations) == json_of(validations));
  QCOMPARE(run.checkpoints,
           (std::vector<std::string>{temp.file("run/checkpoints/step-10"), temp.file("run/checkpoints/step-20")}));
  QCOMPARE(run.final_folder, temp.file("run/final"));
  QVERIFY(json::parse(test::read_bytes(temp.file("run/config.json")))["environment"]["processor"] == "a test's");
  fs::rename(temp.file("run"), temp.file("moved"));
  QCOMPARE(read_training_folder(temp.file("moved")).plan.output_dir, temp.file("moved"));
}

void TrainingFolderTest::a_used_folder_is_refused() {
  const TempDir temp;
  { create(temp); }
  const auto before = listing(temp.file("run"));
  QCOMPARE(unlike(Fault::Usage, "already holds a run", [&] { create(temp); }), "");
  QCOMPARE(listing(temp.file("run")), before);

  for (const char* name : {"config.json", "metrics.jsonl"}) {  // of another program
    const TempDir other;
    fs::create_directory(other.file("run"));
    test::write_bytes(other.file("run/") + name, "{}");
    QCOMPARE(unlike(Fault::Usage, name, [&] { create(other); }), "");
    QCOMPARE(listing(other.file("run")), std::set<std::string>{name});
  }
  test::write_bytes(temp.file("file"), "x");
  TrainingPlan plan = test::training_plan_in(temp);
  for (const std::string& place : {temp.file("file"), temp.file("file/run"), std::string("/proc/run")}) {
    plan.output_dir = place;
    QCOMPARE(unlike(Fault::Io, place, [&] { TrainingFolder::create(plan, {}); }), "");
  }
}

void TrainingFolderTest::a_second_holder_is_refused() {
  const TempDir temp;
  {
    TrainingFolder folder = create(temp);
    save(folder, 1);
    QCOMPARE(unlike(Fault::Usage, "another process", [&] { TrainingFolder::resume(temp.file("run")); }), "");
    QCOMPARE(unlike(Fault::Usage, "another process", [&] { create(temp); }), "");
    TrainingFolder moved = std::move(folder);
    QCOMPARE(unlike(Fault::Usage, "another process", [&] { TrainingFolder::resume(temp.file("run")); }), "");
  }
  TrainingFolder::resume(temp.file("run"));
}

void TrainingFolderTest::the_newest_checkpoints_are_kept() {
  const TempDir temp;
  TrainingFolder folder = create(temp);
  QVERIFY(!TrainingFolder::newest_checkpoint(temp.file("run")));
  std::vector<std::int64_t> saved;
  std::mt19937 random(2);
  for (std::int64_t step = 1; step < 120; step += 1 + static_cast<std::int64_t>(random() % 9)) {
    const std::int64_t keep = 1 + static_cast<std::int64_t>(random() % 4);
    const std::string path = save(folder, step, keep);
    saved.push_back(step);
    if (std::ssize(saved) > keep) saved.erase(saved.begin(), saved.end() - keep);
    QCOMPARE(TrainingFolder::newest_checkpoint(temp.file("run")), path);
    QCOMPARE(step_of(path), step);
    std::vector<std::int64_t> found;
    for (const std::string& each : read_training_folder(temp.file("run")).checkpoints) found.push_back(step_of(each));
    QCOMPARE(found, saved);
    QCOMPARE(listing(temp.file("run/checkpoints")).size(), saved.size());
  }
}

void TrainingFolderTest::a_checkpoint_is_whole_or_not_there() {
  const TempDir temp;
  TrainingFolder folder = create(temp);
  save(folder, 1, 1);
  const auto failing = [&](const std::string& directory) {
    fill(directory, 2);
    QVERIFY(!fs::exists(temp.file("run/checkpoints/step-2")));
    throw EngineError(Fault::OutOfMemory, "the checkpoint", "does not fit");
  };
  QCOMPARE(unlike(Fault::OutOfMemory, "does not fit", [&] { folder.save_checkpoint(2, 1, failing); }), "");
  QCOMPARE(listing(temp.file("run/checkpoints")), std::set<std::string>{"step-1"});
  QCOMPARE(unlike(Fault::OutOfMemory, "does not fit", [&] { folder.save_final(failing); }), "");
  QVERIFY(!fs::exists(temp.file("run/final")));
  QCOMPARE(TrainingFolder::newest_checkpoint(temp.file("run")), temp.file("run/checkpoints/step-1"));
  save(folder, 2, 1);
  QCOMPARE(listing(temp.file("run/checkpoints")), std::set<std::string>{"step-2"});
}

void TrainingFolderTest::a_folder_takes_the_place_of_another() {
  const TempDir temp;
  TrainingFolder folder = create(temp);
  save(folder, 3, 2, 10);
  QCOMPARE(step_of(save(folder, 3, 2, 20), 20), 3);
  folder.save_final([](const std::string& d) { test::write_bytes(fs::path(d) / "old", "x"); });
  folder.save_final([](const std::string& d) { fill(d, 9); });
  QCOMPARE(step_of(temp.file("run/final")), 9);
  QVERIFY(!fs::exists(temp.file("run/final/old")));
  QCOMPARE(listing(temp.file("run/checkpoints")), std::set<std::string>{"step-3"});
}

void TrainingFolderTest::resuming_drops_newer_lines_data() {
  QTest::addColumn<int>("checkpoint");
  QTest::addColumn<int>("last");
  QTest::addColumn<QString>("tail");
  QTest::newRow("nothing newer") << 8 << 8 << "";
  QTest::newRow("half a line") << 8 << 8 << "{\"step\":9,\"tok";
  QTest::newRow("newer lines") << 4 << 9 << "";
  QTest::newRow("newer lines and half a line") << 4 << 9 << "{\"step\":";
  QTest::newRow("zeros, as after a power cut") << 6 << 6 << QString(40, QChar(u'\0'));
  QTest::newRow("an older step's half line") << 6 << 6 << "{\"step\":6}";
  QTest::newRow("before the first step") << 0 << 3 << "";
}

void TrainingFolderTest::resuming_drops_newer_lines() {
  QFETCH(int, checkpoint);
  QFETCH(int, last);
  QFETCH(QString, tail);
  const TempDir temp;
  std::mt19937 random(3);
  std::string expected;
  {
    TrainingFolder folder = create(temp);
    if (checkpoint == 0) save(folder, 0);
    for (std::int64_t step = 1; step <= last; ++step) {
      folder.append(test::random_step(step, random));
      if (step % 2 == 0) folder.append(test::random_validation(step, random));
      if (step == checkpoint) {
        save(folder, step);
        expected = test::read_bytes(temp.file("run/metrics.jsonl"));
      }
    }
  }
  const std::string written = test::read_bytes(temp.file("run/metrics.jsonl"));
  test::write_bytes(temp.file("run/metrics.jsonl"), written + tail.toStdString());
  TrainingFolder folder = TrainingFolder::resume(temp.file("run"));
  QCOMPARE(test::read_bytes(temp.file("run/metrics.jsonl")), expected);
  for (std::int64_t step = checkpoint + 1; step <= 12; ++step) folder.append(test::random_step(step, random));
  const StoredTraining run = read_training_folder(temp.file("run"));
  QCOMPARE(steps_of(run.steps), range(1, 12));
  QCOMPARE(std::ssize(run.validations), checkpoint / 2);
  std::size_t event_files = 0;
  for (const std::string& name : listing(temp.file("run"))) event_files += name.starts_with("events.out.tfevents.");
  QCOMPARE(event_files, std::size_t{2});
}

void TrainingFolderTest::leftovers_are_removed() {
  const TempDir temp;
  {
    TrainingFolder folder = create(temp);
    save(folder, 5);
  }
  const auto before = listing(temp.file("run"));
  // A kill leaves these: a checkpoint half written, one half removed, a final folder half written.
  for (const char* name : {"checkpoints/step-9.unfinished-0a1b2c3d", "checkpoints/step-3.outgoing-00000001",
                           "final.unfinished-ffffffff"}) {
    fs::create_directory(temp.file("run/") + name);
    test::write_bytes(temp.file("run/") + name + "/" + kFolderMark, "");
    test::write_bytes(temp.file("run/") + name + "/state", "half");
  }
  test::write_bytes(temp.file("run/metrics.jsonl.tmp-123"), "half");
  fs::create_directory(temp.file("run/checkpoints/mine"));
  fs::create_directory(temp.file("run/checkpoints/step-7b"));
  fs::create_directory(temp.file("run/checkpoints/notes.unfinished-00000001"));  // a person's: it has no mark
  test::write_bytes(temp.file("run/checkpoints/notes.unfinished-00000001/text"), "mine");
  QCOMPARE(TrainingFolder::newest_checkpoint(temp.file("run")), temp.file("run/checkpoints/step-5"));
  { TrainingFolder::resume(temp.file("run")); }
  QCOMPARE(listing(temp.file("run/checkpoints")),
           (std::set<std::string>{"mine", "notes.unfinished-00000001", "step-5", "step-7b"}));
  QCOMPARE(listing(temp.file("run")).size(), before.size() + 1);  // one more event file
  QVERIFY(!fs::exists(temp.file("run/final.unfinished-ffffffff")));
  // A checkpoint over what a crash left, without resuming in between.
  fs::create_directory(temp.file("run/checkpoints/step-6.unfinished-0"));
  test::write_bytes(temp.file("run/checkpoints/step-6.unfinished-0/old"), "half");
  TrainingFolder folder = TrainingFolder::resume(temp.file("run"));
  QVERIFY(!fs::exists(save(folder, 6) + "/old"));
}

void TrainingFolderTest::links_in_a_folder_are_refused_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"checkpoints", "final", "metrics.jsonl", "config.json", "teacher.bin"})
    QTest::newRow(name) << name;
}

/// A folder that somebody else made may lead to another training, whose checkpoints would be taken for old ones.
void TrainingFolderTest::links_in_a_folder_are_refused() {
  QFETCH(QString, name);
  const TempDir temp;
  {
    TrainingFolder folder = create(temp);
    save(folder, 5);
  }
  const fs::path link = temp.file("run/") + name.toStdString(), target = temp.file("elsewhere");
  if (fs::exists(link))
    fs::rename(link, target);
  else
    fs::create_directory(target);
  fs::create_symlink(target, link);
  if (fs::is_directory(target)) {
    fs::create_directory(target / "step-1.unfinished-00000001");
    test::write_bytes(target / "step-1.unfinished-00000001" / kFolderMark, "");
  }
  const auto before = fs::is_directory(target) ? listing(target) : std::set<std::string>{test::read_bytes(target)};
  QCOMPARE(unlike(Fault::BadInput, name.toStdString(), [&] { TrainingFolder::resume(temp.file("run")); }), "");
  QCOMPARE(fs::is_directory(target) ? listing(target) : std::set<std::string>{test::read_bytes(target)}, before);
  QVERIFY(fs::is_symlink(link));
}

/// They have no mark: what is not known to be ours is not removed.
void TrainingFolderTest::checkpoints_of_an_older_version_stay() {
  const TempDir temp;
  TrainingFolder folder = create(temp);
  fs::remove(save(folder, 1, 1) + "/" + kFolderMark);
  save(folder, 2, 1);
  save(folder, 3, 1);
  QCOMPARE(listing(temp.file("run/checkpoints")), (std::set<std::string>{"step-1", "step-3"}));
  fs::remove(temp.file("run/checkpoints/step-3/") + kFolderMark);
  save(folder, 3, 1);
  QCOMPARE(listing(temp.file("run/checkpoints")).size(), std::size_t{3});  // the one before has another name
  QCOMPARE(step_of(temp.file("run/checkpoints/step-3")), 3);
}

void TrainingFolderTest::what_cannot_be_resumed_is_named() {
  const TempDir temp;
  QCOMPARE(unlike(Fault::Io, temp.file("run"), [&] { TrainingFolder::resume(temp.file("run")); }), "");
  QVERIFY(!fs::exists(temp.file("run")));
  QCOMPARE(unlike(Fault::Io, "none", [&] { read_training_folder(temp.file("none")); }), "");
}

/// A process that trains without end is killed, and the next one continues: each time from a whole checkpoint whose
/// lines are all there, so that the lines in the end are those of a run that was never killed.
void TrainingFolderTest::killed_at_any_moment() {
  constexpr std::size_t kBytes = 100'000;
  const TempDir temp(test::fast_parent());
  {
    TrainingFolder folder = create(temp);
    save(folder, 0, 2, kBytes);
  }
  const auto train_without_end = [&](int seed) {
    const pid_t child = fork();
    if (child != 0) return child;
    TrainingFolder folder = TrainingFolder::resume(temp.file("run"));
    std::int64_t step = step_of(*TrainingFolder::newest_checkpoint(temp.file("run")), kBytes);
    for (std::mt19937 own(static_cast<unsigned>(seed));;) {
      folder.append(test::random_step(++step, own));
      if (step % 3 == 0) save(folder, step, 2, kBytes);
    }
  };
  using Clock = std::chrono::steady_clock;
  Clock::duration longest{};  // that a round gets: four times what this machine takes to the first checkpoint
  std::mt19937 random(5);
  std::int64_t newest = 0;
  for (int round = 0; round < 40; ++round) {
    const Clock::time_point begin = Clock::now();
    const pid_t child = train_without_end(round);
    if (round == 0) {
      const auto at_beginning = [&] {
        return TrainingFolder::newest_checkpoint(temp.file("run"))->ends_with("step-0");
      };
      while (at_beginning() && Clock::now() - begin < std::chrono::minutes(1)) usleep(200);
      longest = 4 * (Clock::now() - begin);
    } else {
      std::this_thread::sleep_for(longest * std::uniform_real_distribution<>(0, 1)(random));
    }
    kill(child, SIGKILL);
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const auto path = TrainingFolder::newest_checkpoint(temp.file("run"));
    QVERIFY(path);
    const std::int64_t step = step_of(*path, kBytes);
    QVERIFY2(step >= newest, path->c_str());
    newest = step;
    { TrainingFolder::resume(temp.file("run")); }
    const StoredTraining run = read_training_folder(temp.file("run"));
    QCOMPARE(steps_of(run.steps), range(1, newest));
    QCOMPARE(listing(temp.file("run/checkpoints")).size(), run.checkpoints.size());  // no leftovers
  }
  QVERIFY(newest > 0);
  // Each kill behind a new checkpoint and before the removal of the oldest leaves one more, until the next is saved.
  TrainingFolder folder = TrainingFolder::resume(temp.file("run"));
  save(folder, newest + 1, 2, kBytes);
  QCOMPARE(listing(temp.file("run/checkpoints")).size(), std::size_t{2});
}

void TrainingFolderTest::a_full_disk_leaves_whole_files() {
  {
    const TempDir temp;
    test::training_plan_in(temp);  // makes the model, while there is room
    for (const rlim_t bytes : {0, 20}) {
      const test::FileSizeLimit limit(bytes);
      QCOMPARE(unlike(Fault::Io, temp.file("run"), [&] { create(temp); }), "");
    }
    create(temp);  // it left no run behind
  }
  for (const rlim_t bytes : {3000, 4000, 9000, 20'000}) {
    const TempDir temp;
    std::mt19937 random(6);
    std::int64_t appended = 0;
    {
      TrainingFolder folder = create(temp);
      save(folder, 1, 1, 100);
      const test::FileSizeLimit limit(bytes);
      const auto error = test::error_of([&] {
        for (;; ++appended) folder.append(test::random_step(appended + 1, random));
      });
      QVERIFY(error && error->fault() == Fault::Io && !error->advice().empty());
      QVERIFY2(error->where().starts_with(temp.file("run")), error->what());
      QCOMPARE(unlike(Fault::Io, "step-2", [&] { save(folder, 2, 1, 30'000); }), "");
      QCOMPARE(listing(temp.file("run/checkpoints")), std::set<std::string>{"step-1"});
    }
    const StoredTraining run = read_training_folder(temp.file("run"));
    QVERIFY(std::ssize(run.steps) == appended || std::ssize(run.steps) == appended + 1);  // its events did not fit
    QCOMPARE(step_of(run.checkpoints.back(), 100), 1);
    const TrainingFolder resumed = TrainingFolder::resume(temp.file("run"));
    QCOMPARE(steps_of(read_training_folder(temp.file("run")).steps), range(1, 1));
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TrainingFolderTest>};
#include "training_folder_test.moc"
