// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/command_words.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"

namespace carryover {
namespace {

constexpr std::size_t kMostCommandBytes = 8192;
constexpr std::string_view kShellCharacters = ";&|<>()$`*?";
constexpr std::string_view kShellAtStart = "~#";
constexpr std::string_view kEscapedInQuotes = "\"\\$`";

[[noreturn]] void refuse_command(const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::Usage, "engine command", problem, advice);
}

[[noreturn]] void refuse_shell(char letter) {
  refuse_command(std::string("has the character ") + letter + " outside quotes, and no shell reads the command",
                 "Put it in single quotes, or start a shell yourself: sh -c '…'.");
}

class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  std::vector<std::string> split() {
    while (at_ < line_.size()) take(line_[at_++]);
    end_word();
    return std::move(words_);
  }

 private:
  void take(char letter) {
    if (letter == ' ' || letter == '\t') return end_word();
    if (letter == '\'') return take_single_quoted();
    if (letter == '"') return take_double_quoted();
    if (letter == '\\') {
      add(next("ends in a backslash"));
    } else {
      const bool starts = !word_ && kShellAtStart.find(letter) != std::string_view::npos;
      if (starts || kShellCharacters.find(letter) != std::string_view::npos) refuse_shell(letter);
      add(letter);
    }
  }

  void take_single_quoted() {
    begin_word();
    for (char letter; (letter = next("has a quote that is not closed")) != '\'';) add(letter);
  }

  void take_double_quoted() {
    begin_word();
    for (char letter; (letter = next("has a quote that is not closed")) != '"';) {
      if (letter == '$' || letter == '`') refuse_shell(letter);
      if (letter == '\\') {
        const char kept = next("has a quote that is not closed");
        if (kEscapedInQuotes.find(kept) == std::string_view::npos) add('\\');
        letter = kept;
      }
      add(letter);
    }
  }

  char next(const char* problem) {
    if (at_ == line_.size()) refuse_command(problem, "Check its quotes.");
    return line_[at_++];
  }

  void begin_word() {
    if (!word_) word_.emplace();
  }
  void add(char letter) {
    begin_word();
    *word_ += letter;
  }
  void end_word() {
    if (word_) words_.push_back(*std::exchange(word_, std::nullopt));
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;  ///< none: between two; a quoted one may be empty
  std::vector<std::string> words_;
};

bool may_be_executed(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> command_words(const std::string& line) {
  if (line.size() > kMostCommandBytes) refuse_command("is longer than 8 KB", "Put it into a script, and name that.");
  for (const char letter : line) {
    const auto code = static_cast<unsigned char>(letter);
    if ((code < 0x20 && letter != '\t') || code == 0x7F)
      refuse_command("has a control character", "Write it in one line, or put it into a script.");
  }
  std::vector<std::string> words = Splitter(line).split();
  if (words.empty() || words[0].empty()) refuse_command("names no program", "Such as: ssh HOST carryover-cli engine.");
  return words;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name.front() == '/' && may_be_executed(name) ? name : std::string();
  const char* path = std::getenv("PATH");
  if (name.empty()) return {};
  for (const std::string& folder : text_parts(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::string file = folder + "/" + name;
    if (folder.starts_with('/') && may_be_executed(file)) return file;
  }
  return {};
}

}  // namespace carryover
