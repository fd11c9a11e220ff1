// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that are no engine, end early or never answer: clear words, no waiting for ever, and no zombie left.
#include "engine/remote/child_process.h"

#include <sys/wait.h>

#include <QTest>
#include <cerrno>
#include <csignal>
#include <thread>

#include "engine/remote/pipe_io.h"
#include "engine/remote/protocol.h"
#include "engine/remote/remote_engine.h"
#include "tests/support/expect_error.h"

using namespace carryover;
using namespace carryover::test;

namespace {

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
    QCOMPARE(connects("no-such-program-anywhere", Fault::Io, "exit code 127. It said: "), std::string());
    QCOMPARE(connects("no-such-program-anywhere", Fault::Io, "not found"), std::string());
    QCOMPARE(connects("echo refused >&2; exit 3", Fault::Io, "exit code 3. It said: refused"), std::string());
    QCOMPARE(connects("echo Welcome to this machine", Fault::Io, "It said: Welcome to this machine"), std::string());
    QCOMPARE(connects("kill -9 $$", Fault::Io, "signal 9"), std::string());
    QCOMPARE(connects("yes", Fault::BadInput, "no Carryover: it says \"y\""), std::string());
    QCOMPARE(connects("echo 'carryover engine 0000000000000000'; cat", Fault::Unsupported, "another version"),
             std::string());
  }

  void one_that_ends_in_the_middle_of_a_message_is_lost() {
    const std::string line = greeting().substr(0, greeting().size() - 1);
    QCOMPARE(connects("echo '" + line + "'; printf COEF", Fault::Io, "in the middle of a message"), std::string());
    QCOMPARE(connects("echo '" + line + "'; echo 0123456789abcdef", Fault::Io, "no message"), std::string());
  }

  void one_that_never_answers_can_be_given_up() {
    RunControl control;
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      control.request_stop();
    });
    QCOMPARE(unlike(Fault::Cancelled, "", [&] { RemoteEngine::connect("exec sleep 1000 <&-", control); }),
             std::string());
    user.join();
  }

  void closing_ends_the_command_and_what_it_started() {
    pid_t id = 0;
    {
      ChildProcess child("cat > /dev/null");  // ends with its input
      id = child.id();
      QVERIFY(!child.wait(0).has_value());
    }
    QVERIFY(is_gone(id));
    {
      ChildProcess child("trap '' TERM; while true; do sleep 1000; done");  // would never end
      id = child.id();
      child.kill();
      QCOMPARE(child.wait(10'000).value_or("no end"), std::string("signal 9 (Killed)"));
      std::string nothing;  // its sleep holds the other end too, while it lives
      QTRY_VERIFY(read_some(child.output(), nothing) == ReadResult::End);
    }
    QVERIFY(is_gone(id));
  }
};

QTEST_APPLESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
