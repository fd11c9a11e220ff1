// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads count without a lock: ThreadSanitizer has to end this program, or it watches nothing.
#include <thread>

int main() {
  volatile int count = 0;
  const auto add = [&count] {
    for (int i = 0; i < 1000; ++i) count = count + 1;
  };
  std::thread other(add);
  add();
  other.join();
  return 0;
}
