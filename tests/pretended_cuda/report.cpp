// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/pretended_cuda/report.h"

#include <cxxabi.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "tests/pretended_cuda/memory.h"

namespace carryover::pretended {

namespace {

constexpr std::array count_names = {"library_calls",    "waits", "copies_to_device", "copies_to_host",
                                    "copies_on_device", "fills", "allocations"};

std::string readable(const std::string& kernel) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status);
  std::string name = demangled != nullptr ? demangled : kernel;
  std::free(demangled);
  return name;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "\"";
}

/// Everything that was counted up to a moment.
struct Totals {
  std::array<std::int64_t, count_names.size()> counts{};
  std::map<std::string, std::int64_t> kernels;  ///< launches by name

  void write(const std::string& name, std::FILE* out) const {
    std::fprintf(out, "{\"name\": %s", quoted(name).c_str());
    for (std::size_t i = 0; i < counts.size(); ++i)
      std::fprintf(out, ", \"%s\": %lld", count_names[i], static_cast<long long>(counts[i]));
    std::map<std::string, std::int64_t> by_name;  // two kernels that differ where it can't be read have one
    for (const auto& [kernel, launches] : kernels) by_name[readable(kernel)] += launches;
    std::fputs(", \"kernels\": {", out);
    const char* separator = "";
    for (const auto& [kernel, launches] : by_name) {
      std::fprintf(out, "%s%s: %lld", separator, quoted(kernel).c_str(), static_cast<long long>(launches));
      separator = ",\n    ";
    }
    std::fputs("}}", out);
  }
};

class Report {
 public:
  void count(Count what) {
    const std::scoped_lock lock(mutex_);
    ++now_.counts[static_cast<std::size_t>(what)];
  }
  void count_launch(const std::string& kernel) {
    const std::scoped_lock lock(mutex_);
    ++now_.kernels[kernel];
  }
  void mark(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    marks_.emplace_back(name, now_);
  }
  void complain(const std::string& complaint) {
    std::fprintf(stderr, "pretended CUDA: %s\n", complaint.c_str());
    const std::scoped_lock lock(mutex_);
    constexpr std::size_t most = 100;
    if (complaints_.size() < most) complaints_.push_back(complaint);
  }

  void write(std::FILE* out) {
    mark("end");
    std::fprintf(out, "{\"peak_bytes\": %lld,\n \"complaints\": [", static_cast<long long>(peak_bytes()));
    for (std::size_t i = 0; i < complaints_.size(); ++i)
      std::fprintf(out, "%s%s", i > 0 ? ",\n  " : "", quoted(complaints_[i]).c_str());
    std::fputs("],\n \"marks\": [", out);
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (i > 0) std::fputs(",\n  ", out);
      marks_[i].second.write(marks_[i].first, out);
    }
    std::fputs("]}\n", out);
  }
  bool is_empty() const {
    return complaints_.empty() && now_.counts[static_cast<std::size_t>(Count::Allocations)] == 0;
  }

 private:
  std::mutex mutex_;
  Totals now_;
  std::vector<std::pair<std::string, Totals>> marks_;
  std::vector<std::string> complaints_;
};

/// Never freed: other libraries use the GPU while the program ends.
Report& report() {
  static Report& instance = *new Report;
  return instance;
}

[[gnu::destructor]] void write_report() {
  const char* const file = std::getenv("PRETENDED_CUDA_REPORT");
  if (file == nullptr || report().is_empty()) return;
  if (std::FILE* const out = std::fopen(file, "w")) {
    report().write(out);
    std::fclose(out);
  }
}

}  // namespace

void count(Count what) {
  report().count(what);
}

void count_launch(const std::string& kernel) {
  report().count_launch(kernel);
}

void complain(const char* format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  report().complain(text);
}

}  // namespace carryover::pretended

using namespace carryover::pretended;

void pretended_cuda_mark(const char* name) {
  report().mark(name);
}

void pretended_cuda_launch(const char* name) {
  count(Count::LibraryCalls);
  count_launch(name);
}

void pretended_cuda_check(const char* what, const void* pointer, std::int64_t bytes) {
  if (!is_held(pointer, bytes))
    complain("%s: %lld bytes at %p are not device memory that is held", what, static_cast<long long>(bytes), pointer);
}

void pretended_cuda_missing(const char* function) {
  complain("%s was called, which nobody has pretended", function);
}
