// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QTest>

namespace carryover::test {

/// One file's tests in its folder's program: `core_tests mailbox [Qt Test's arguments]` runs those of mailbox_test.cpp.
/// Each file has one, a static const, made with __FILE__.
class TestFile {
 public:
  using Main = int (*)(int argc, char** argv);
  TestFile(const char* path, Main run);
};

template <typename Tests>
int without_application(int argc, char** argv) {
  Tests tests;
  return QTest::qExec(&tests, argc, argv);
}

template <typename Tests>
int with_event_loop(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  return without_application<Tests>(argc, argv);
}

}  // namespace carryover::test
