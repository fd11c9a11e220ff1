// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/http_outbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "engine/base/error.h"

namespace carryover {

HttpOutbox::HttpOutbox() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0)
    throw EngineError(Fault::Io, "eventfd", "the system gives no more descriptors", "Close other programs.");
}

HttpOutbox::~HttpOutbox() {
  ::close(wake_);
}

void HttpOutbox::post(OutgoingPart part) {
  const std::lock_guard lock(mutex_);
  parts_.push_back(std::move(part));
  const std::uint64_t one = 1;
  CARRYOVER_CHECK(::write(wake_, &one, sizeof one) == sizeof one);
}

std::vector<OutgoingPart> HttpOutbox::take() {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(wake_, &count, sizeof count);  // nothing to read: nothing is there
  return std::exchange(parts_, {});
}

}  // namespace carryover
