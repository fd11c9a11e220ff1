// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/current_error.h"

#include <filesystem>
#include <new>
#include <system_error>

namespace carryover {
namespace {

constexpr const char* kReportIt = "This is a bug in Carryover: please report it with what you did.";

EngineError no_memory() {
  return {Fault::OutOfMemory, "memory", "not enough of it", "Close other programs, or use a smaller model or text."};
}

EngineError no_threads() {
  return {Fault::OutOfMemory, "threads", "the system starts no more of them",
          "Close other programs, or raise the limits on memory and processes (`ulimit -a`)."};
}

}  // namespace

EngineError current_error() {
  try {
    throw;
  } catch (const EngineError& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    if (error.code() == std::errc::not_enough_memory) return no_memory();
    return {Fault::Io, "files", error.what(), "Check the path, its permissions and the disk."};
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) return no_threads();  // from std::thread
    return {Fault::Internal, "system", error.what(), kReportIt};
  } catch (const std::exception& error) {
    return {Fault::Internal, "engine", error.what(), kReportIt};
  } catch (...) {
    return {Fault::Internal, "engine", "an error of unknown kind", kReportIt};
  }
}

}  // namespace carryover
