// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that are no engine, end early or never answer: clear words, no waiting for ever, and no zombie left.
#include "engine/remote/child_process.h"

#include <sys/wait.h>

#include <QTest>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "engine/remote/command_words.h"
#include "engine/remote/pipe_io.h"
#include "engine/remote/protocol.h"
#include "engine/remote/remote_engine.h"
#include "engine/runs/records/run_command.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A command that is a script of the shell.
std::string sh(const std::string& script) {
  return shell_command({"sh", "-c", script});
}

std::string connects(const std::string& command, Fault fault, const std::string& part) {
  RunControl control;
  return unlike(fault, part, [&] { RemoteEngine::connect(command, control); });
}

bool is_gone(pid_t id) {
  return ::kill(id, 0) != 0 && errno == ESRCH;
}

}  // namespace

class ChildProcessTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Whatever a test does, this process has no child left, dead or alive.
  void cleanup() {
    QCOMPARE(::waitpid(-1, nullptr, WNOHANG), pid_t{-1});
    QCOMPARE(errno, ECHILD);
  }

  void commands_that_are_no_engine_say_why() {
    QCOMPARE(connects("no-such-program-anywhere", Fault::Io, "there is no such program"), std::string());
    QCOMPARE(connects("/no/such/program engine", Fault::Io, "there is no such program"), std::string());
    QCOMPARE(connects(CARRYOVER_SOURCE_DIR "/README.md", Fault::Io, "there is no such program"), std::string());
    QCOMPARE(connects("bin/carryover-cli engine", Fault::Io, "depends on the current folder"), std::string());
    QCOMPARE(connects(sh("echo refused >&2; exit 3"), Fault::Io, "exit code 3. It said: refused"), std::string());
    QCOMPARE(connects("echo Welcome to this machine", Fault::Io, "It said: Welcome to this machine"), std::string());
    QCOMPARE(connects(sh("kill -9 $$"), Fault::Io, "signal 9"), std::string());
    QCOMPARE(connects("yes", Fault::BadInput, "is not Carryover. It says \"y\""), std::string());
    QCOMPARE(connects(sh("echo 'carryover engine 0000000000000000'; cat"), Fault::Unsupported, "another version"),
             std::string());
  }

  /// Quotes part words as a shell does; whatever a shell would act on is refused and not passed on.
  void no_shell_reads_a_command() {
    using Words = std::vector<std::string>;
    const auto split = [](const std::string& line) { return command_words(line); };
    QCOMPARE(split("ssh host carryover-cli engine"), Words({"ssh", "host", "carryover-cli", "engine"}));
    QCOMPARE(split("  a\tb   c "), Words({"a", "b", "c"}));
    QCOMPARE(split("ssh host 'cd /srv && ./carryover-cli engine'"),
             Words({"ssh", "host", "cd /srv && ./carryover-cli engine"}));
    QCOMPARE(split("\"a \\\"b\\\" \\$c \\d\" e\\ f '' \"\""), Words({"a \"b\" $c \\d", "e f", "", ""}));
    QCOMPARE(split("-o'Proxy Jump'=\"x y\"#1 ü"), Words({"-oProxy Jump=x y#1", "ü"}));
    const Words hard = {"a b", "it's", "$(x)", "", "\"q\"", "\\", "*", "~", "ß;\t"};
    QCOMPARE(split(shell_command(hard)), hard);
    const char* refused[] = {"a; b", "a & b", "a|b",  "a > f", "a < f", "(a)",    "a $HOME", "a `b`",
                             "a *",  "a ?",   "~/a",  "a # b", "'a",    "\"a",    "a \\",    "a\nb",
                             "",     "  ",    "'' a", "a\x1b", "a\x7f", "\"$a\"", "\"`a`\""};
    for (const char* line : refused) QVERIFY2(unlike(Fault::Usage, "", [&] { command_words(line); }).empty(), line);
    QVERIFY(unlike(Fault::Usage, "", [&] { command_words(std::string("a\0b", 3)); }).empty());
    QVERIFY(unlike(Fault::Usage, "8 KB", [&] { command_words(std::string(9000, 'a')); }).empty());
  }

  void a_command_gets_its_words_as_they_are() {
    const TempDir folder;
    const std::string made = folder.file("made");
    QCOMPARE(connects(shell_command({"printf", "%s,", "$(touch " + made + ")", "a b", "; touch " + made}), Fault::Io,
                      "It said: $(touch " + made + "),a b,; touch " + made + ","),
             std::string());
    QVERIFY(!std::filesystem::exists(made));
  }

  void a_program_is_never_one_of_the_current_folder() {
    const TempDir folder;
    write_bytes(folder.file("planted-program"), "#!/bin/sh\n");
    std::filesystem::permissions(folder.file("planted-program"), std::filesystem::perms::owner_all);
    const auto before = std::filesystem::current_path();
    const QByteArray path = qgetenv("PATH");
    std::filesystem::current_path(folder.path());
    for (const char* tail : {":", ":.", ":../"}) {
      qputenv("PATH", path + tail);
      QCOMPARE(find_program("planted-program"), std::string());
    }
    QVERIFY(find_program("./planted-program").empty());
    qputenv("PATH", QByteArray::fromStdString(folder.path().string()));
    QCOMPARE(find_program("planted-program"), folder.file("planted-program"));
    qputenv("PATH", path);
    std::filesystem::current_path(before);
  }

  void variables_can_be_kept_from_a_program() {
    qputenv("CARRYOVER_TEST_A", "1");
    qputenv("CARRYOVER_TEST_B", "2");
    ChildProcess child({"sh", "-c", "echo ${CARRYOVER_TEST_A-none}${CARRYOVER_TEST_B-none}"}, {"CARRYOVER_TEST_A"});
    QCOMPARE(child.wait(10'000).value_or("no end"), std::string("exit code 0"));
    std::string said;
    read_some(child.output(), said);
    QCOMPARE(said, std::string("none2\n"));
  }

  void one_that_ends_in_the_middle_of_a_message_is_lost() {
    const std::string line = greeting().substr(0, greeting().size() - 1);
    QCOMPARE(connects(sh("echo '" + line + "'; printf COEF"), Fault::Io, "in the middle of a message"), std::string());
    QCOMPARE(connects(sh("echo '" + line + "'; echo 0123456789abcdef"), Fault::Io, "not a message"), std::string());
  }

  void one_that_never_answers_can_be_given_up() {
    RunControl control;
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      control.request_stop();
    });
    QCOMPARE(unlike(Fault::Cancelled, "", [&] { RemoteEngine::connect(sh("exec sleep 1000 <&-"), control); }),
             std::string());
    user.join();
  }

  void closing_ends_the_command_and_what_it_started() {
    pid_t id = 0;
    {
      ChildProcess child({"sh", "-c", "cat > /dev/null"});  // ends with its input
      id = child.id();
      QVERIFY(!child.wait(0).has_value());
    }
    QVERIFY(is_gone(id));
    {
      ChildProcess child({"sh", "-c", "trap '' TERM; while true; do sleep 1000; done"});  // would never end
      id = child.id();
      child.kill();
      QCOMPARE(child.wait(10'000).value_or("no end"), std::string("signal 9 (Killed)"));
      std::string nothing;  // its sleep holds the other end too, while it lives
      QTRY_VERIFY(read_some(child.output(), nothing) == ReadResult::End);
    }
    QVERIFY(is_gone(id));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ChildProcessTest>};
#include "child_process_test.moc"
