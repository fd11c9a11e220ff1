// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/bpe_pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <new>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

/// Spells \s and \S as White_Space. Inside a class, \S would need a nested class, so it is left to PCRE2.
std::string with_unicode_spaces(std::string_view pattern) {
  const std::string spaces =
      R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (escaped == 's') {
        out += in_class ? spaces : "[" + spaces + "]";
      } else if (escaped == 'S' && !in_class) {
        out += "[^" + spaces + "]";
      } else {
        out += {'\\', escaped};
      }
      continue;
    }
    if (pattern[i] == '[') in_class = true;
    if (pattern[i] == ']') in_class = false;
    out += pattern[i];
  }
  return out;
}

template <auto Free>
struct Release {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using CodePtr = std::unique_ptr<pcre2_code, Release<&pcre2_code_free>>;
using MatchPtr = std::unique_ptr<pcre2_match_data, Release<&pcre2_match_data_free>>;
using CompileContextPtr = std::unique_ptr<pcre2_compile_context, Release<&pcre2_compile_context_free>>;
using MatchContextPtr = std::unique_ptr<pcre2_match_context, Release<&pcre2_match_context_free>>;
using StackPtr = std::unique_ptr<pcre2_jit_stack, Release<&pcre2_jit_stack_free>>;

constexpr std::size_t kMaxPatternBytes = 16 << 10;
constexpr std::size_t kMaxPatterns = 32;  // a pattern recurses into the next; real tokenizers have at most five
constexpr std::size_t kFirstStackBytes = 64 << 10, kMaxStackBytes = 8 << 20;
// Limits of the steps for one text, over all its matches. Real patterns need a few for each character.
constexpr std::size_t kFreeSteps = 1'000'000, kStepsPerByte = 1024;
// Real patterns find a word within these limits, except long words and runs of spaces.
constexpr std::size_t kFewSteps = 32, kNear = 64, kMore = 8;
// A step can look at the whole text, as in a look-ahead. Real patterns take a thousandth of this time.
constexpr double kFreeSeconds = 1, kSecondsPerByte = 1e-5;
constexpr int kCalloutsPerLook = 1024;

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Throws if PCRE2 returned null, which it does where malloc does.
template <typename Object>
Object* allocated(Object* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

std::string pcre2_message(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

}  // namespace

class BpePretokenizer::Pattern {
 public:
  Pattern(const std::string& source, const std::string& where) {
    const std::string pattern = with_unicode_spaces(source);
    const CompileContextPtr context(allocated(pcre2_compile_context_create(nullptr)));
    pcre2_set_max_pattern_length(context.get(), kMaxPatternBytes);
    const auto compile = [&](std::uint32_t place) {
      int error = 0;
      PCRE2_SIZE at = 0;
      const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | place;
      CodePtr code(pcre2_compile(units(pattern), pattern.size(), options, &error, &at, context.get()));
      if (!code && error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
      if (!code) {
        throw EngineError(Fault::BadInput, where, "pattern '" + source.substr(0, 80) + "': " + pcre2_message(error),
                          "Repair the pre-tokenizer's pattern.");
      }
      // If this fails, matching is slower, but its results are equal.
      pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
      return code;
    };
    anywhere_ = compile(0);
    here_ = compile(PCRE2_ANCHORED | PCRE2_AUTO_CALLOUT);
  }
  const pcre2_code* anywhere() const { return anywhere_.get(); }
  const pcre2_code* here() const { return here_.get(); }  ///< matches only where the search starts

 private:
  CodePtr anywhere_, here_;
};

/// The match state of one text.
///
/// The library limits the steps from one start of a match, but neither those of a search through many starts nor the
/// characters that a step looks at. So a search gets few steps and sees few characters ahead. If that is too little, a
/// match is tried at one start with more of both, and all that is given is counted. A match that would look beyond the
/// end of what it sees is "partial"; any other result is that of the whole piece. The time of such a try is checked
/// between its steps.
class BpePretokenizer::Run {
 public:
  Run(const BpePretokenizer& owner, std::size_t text_bytes)
      : owner_(owner),
        steps_left_(kFreeSteps + kStepsPerByte * text_bytes),
        deadline_(thread_seconds() + kFreeSeconds + kSecondsPerByte * static_cast<double>(text_bytes)),
        context_(allocated(pcre2_match_context_create(nullptr))),
        stack_(allocated(pcre2_jit_stack_create(kFirstStackBytes, kMaxStackBytes, nullptr))) {
    pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
    pcre2_set_callout(context_.get(), &Run::stop_late, this);
    for (const auto& pattern : owner.patterns_) {
      matches_.emplace_back(allocated(pcre2_match_data_create_from_pattern(pattern->anywhere(), nullptr)));
    }
  }

  /// Cuts `piece` by pattern number `step`, and the results by the next one.
  void cut(std::size_t step, std::string_view piece, const OnWord& on_word) {
    if (piece.empty()) return;
    if (step == matches_.size()) return on_word(piece);
    std::size_t start = 0, at = 0;
    while (at < piece.size()) {
      const auto [begin, end] = find(step, piece, at);
      cut(step + 1, piece.substr(start, begin - start), on_word);
      cut(step + 1, piece.substr(begin, end - begin), on_word);
      start = end;
      // An empty match ends a piece, too, and the search continues one character later.
      at = end > begin ? end : behind_character(piece, end);
    }
    cut(step + 1, piece.substr(start), on_word);
  }

 private:
  struct Range {
    std::size_t begin, end;
  };
  enum class Result { Found, None, Partial, TooFewSteps };

  static std::size_t behind_character(std::string_view piece, std::size_t at) {
    return at + (at < piece.size() ? first_utf8_unit(piece.substr(at)).length : 1);
  }

  /// Returns a place about `bytes` after `at` at which a character begins.
  static std::size_t ahead(std::string_view piece, std::size_t at, std::size_t bytes) {
    if (bytes >= piece.size() - at) return piece.size();
    std::size_t end = at + bytes;
    while (end < piece.size() && (static_cast<unsigned char>(piece[end]) & 0xC0) == 0x80) ++end;
    return end;
  }

  /// Returns the next match from `at` on, or an empty one at the end.
  Range find(std::size_t step, std::string_view piece, std::size_t at) {
    const Pattern& pattern = *owner_.patterns_[step];
    while (at <= piece.size()) {
      const std::size_t end = ahead(piece, at, kNear);
      const Result result = match(pattern.anywhere(), step, piece, at, end, kFewSteps);
      const std::size_t reached = result == Result::None || result == Result::TooFewSteps ? end : start_;
      spend(kFewSteps * (reached - at + 1));
      if (result == Result::Found) return found(step, at);
      if (result == Result::None) {
        if (end == piece.size()) break;
        at = end;
        continue;
      }
      if (result == Result::Partial) at = start_;
      if (matches_here(step, piece, at)) return found(step, at);
      at = behind_character(piece, at);
    }
    return {piece.size(), piece.size()};
  }

  bool matches_here(std::size_t step, std::string_view piece, std::size_t at) {
    std::size_t steps = kFewSteps, bytes = kNear;
    while (true) {
      const std::size_t end = ahead(piece, at, bytes);
      spend(steps + (end - at));
      const Result result = match(owner_.patterns_[step]->here(), step, piece, at, end, steps);
      if (result == Result::Found || result == Result::None) return result == Result::Found;
      (result == Result::Partial ? bytes : steps) *= kMore;
    }
  }

  /// Searches from `at` on, and not beyond `end`. `start_` gets the start of a match that is found, or partial.
  Result match(const pcre2_code* code, std::size_t step, std::string_view piece, std::size_t at, std::size_t end,
               std::size_t steps) {
    pcre2_match_data* data = matches_[step].get();
    pcre2_set_match_limit(context_.get(), static_cast<std::uint32_t>(std::min<std::size_t>(steps, UINT32_MAX)));
    const std::uint32_t partial = end < piece.size() ? PCRE2_PARTIAL_HARD : 0;
    const int found = pcre2_match(code, units(piece), end, at, PCRE2_NO_UTF_CHECK | partial, data, context_.get());
    if (found == PCRE2_ERROR_NOMATCH) return Result::None;
    if (found == PCRE2_ERROR_MATCHLIMIT) return Result::TooFewSteps;
    if (found == PCRE2_ERROR_CALLOUT) refuse_steps();
    if (found == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
    if (found < 0 && found != PCRE2_ERROR_PARTIAL) {
      throw EngineError(Fault::BadInput, owner_.where_, "the pre-tokenizer's pattern fails: " + pcre2_message(found),
                        "Simplify the pattern.");
    }
    start_ = std::clamp<std::size_t>(pcre2_get_ovector_pointer(data)[0], at, end);
    return found == PCRE2_ERROR_PARTIAL ? Result::Partial : Result::Found;
  }

  Range found(std::size_t step, std::size_t at) const {
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(matches_[step].get());
    // \K in a look-around could place the start after the end, or before what is already cut.
    if (bounds[0] < at || bounds[1] < bounds[0]) {
      throw EngineError(Fault::Unsupported, owner_.where_, "the pre-tokenizer's pattern moves a match's start",
                        "Write it without \\K.");
    }
    return {bounds[0], bounds[1]};
  }

  void spend(std::size_t steps) {
    if (steps > steps_left_) refuse_steps();
    steps_left_ -= steps;
  }

  [[noreturn]] void refuse_steps() const {
    throw EngineError(Fault::BadInput, owner_.where_,
                      "the pre-tokenizer's patterns take more steps than a text of this length may need",
                      "Simplify the patterns, or use another model's tokenizer.");
  }

  static int stop_late(pcre2_callout_block*, void* run) {
    auto& self = *static_cast<Run*>(run);
    if (++self.callouts_ % kCalloutsPerLook != 0) return 0;
    return thread_seconds() > self.deadline_ ? PCRE2_ERROR_CALLOUT : 0;
  }

  const BpePretokenizer& owner_;
  std::size_t steps_left_;
  double deadline_;  ///< in this thread's processor time
  unsigned callouts_ = 0;
  std::size_t start_ = 0;
  MatchContextPtr context_;
  StackPtr stack_;
  std::vector<MatchPtr> matches_;
};

BpePretokenizer::BpePretokenizer(const std::vector<std::string>& patterns, const std::string& where) : where_(where) {
  if (patterns.size() > kMaxPatterns) {
    throw EngineError(Fault::BadInput, where,
                      "has " + std::to_string(patterns.size()) + " pre-tokenizer patterns, and " +
                          std::to_string(kMaxPatterns) + " are the most",
                      "Fetch the file again.");
  }
  for (const std::string& pattern : patterns) patterns_.push_back(std::make_unique<Pattern>(pattern, where));
}

BpePretokenizer::~BpePretokenizer() = default;

BpePretokenizer::Cutter::Cutter(const BpePretokenizer& pretokenizer, std::size_t text_bytes)
    : run_(std::make_unique<Run>(pretokenizer, text_bytes)) {}

BpePretokenizer::Cutter::~Cutter() = default;

void BpePretokenizer::Cutter::split(std::string_view part, const OnWord& on_word) {
  run_->cut(0, part, on_word);
}

}  // namespace carryover
