// SPDX-License-Identifier: GPL-3.0-or-later
// libcuda, and what else tells of a driver.
#include <dlfcn.h>
#include <sys/stat.h>

#include <cstring>

extern "C" {

int cuInit(unsigned) {
  return 0;
}

/// LibTorch asks before it makes a device the current one.
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0, *active = 1;
  return 0;
}

/// And whether this thread has a context, before it multiplies.
int cuCtxGetCurrent(void** context) {
  static char only;
  *context = &only;
  return 0;
}

/// Carryover looks for this file before it opens a library of CUDA.
int stat(const char* path, struct stat* status) noexcept {
  using Stat = int (*)(const char*, struct stat*);
  static const auto real = reinterpret_cast<Stat>(dlsym(RTLD_NEXT, "stat"));
  return real(std::strcmp(path, "/dev/nvidiactl") == 0 ? "/dev/null" : path, status);
}
}
