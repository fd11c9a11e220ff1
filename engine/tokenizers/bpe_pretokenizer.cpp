// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/bpe_pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"

namespace carryover {

namespace {

/// Spells \s and \S as White_Space. Inside a class \S would need a nested class: it is left to PCRE2.
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
constexpr std::size_t kFirstStackBytes = 64 << 10, kMaxStackBytes = 8 << 20;
// Steps of one match. Real patterns need some for each character of the longest run of spaces, and no more.
constexpr std::size_t kFreeSteps = 1'000'000, kStepsPerByte = 16;

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

/// PCRE2 returns null where malloc does.
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
    int error = 0;
    PCRE2_SIZE at = 0;
    const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
    code_.reset(pcre2_compile(units(pattern), pattern.size(), options, &error, &at, context.get()));
    if (!code_ && error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
    if (!code_) {
      throw EngineError(Fault::BadInput, where, "pattern '" + source.substr(0, 80) + "': " + pcre2_message(error),
                        "Repair the pre-tokenizer's pattern.");
    }
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);  // where it can't, matching is slower and equal
  }
  const pcre2_code* code() const { return code_.get(); }

 private:
  CodePtr code_;
};

/// One call's match state.
class BpePretokenizer::Run {
 public:
  Run(const BpePretokenizer& owner, const OnWord& on_word)
      : owner_(owner),
        on_word_(on_word),
        context_(allocated(pcre2_match_context_create(nullptr))),
        stack_(allocated(pcre2_jit_stack_create(kFirstStackBytes, kMaxStackBytes, nullptr))) {
    pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
    for (const auto& pattern : owner.patterns_) {
      matches_.emplace_back(allocated(pcre2_match_data_create_from_pattern(pattern->code(), nullptr)));
    }
  }

  /// Cuts `piece` by pattern `step`, and what comes out by the next one.
  void cut(std::size_t step, std::string_view piece) {
    if (piece.empty()) return;
    if (step == matches_.size()) return on_word_(piece);
    std::size_t start = 0, at = 0;
    while (at < piece.size()) {
      const auto [begin, end] = find(step, piece, at);
      cut(step + 1, piece.substr(start, begin - start));
      cut(step + 1, piece.substr(begin, end - begin));
      start = end;
      // An empty match ends a piece, too, and the search continues one character later.
      at = end > begin ? end : end + (end < piece.size() ? first_utf8_unit(piece.substr(end)).length : 1);
    }
    cut(step + 1, piece.substr(start));
  }

 private:
  struct Range {
    std::size_t begin, end;
  };
  /// The next match from `at` on, or an empty one at the end.
  Range find(std::size_t step, std::string_view piece, std::size_t at) {
    pcre2_match_data* match = matches_[step].get();
    const std::size_t steps = kFreeSteps + kStepsPerByte * (piece.size() - at);
    pcre2_set_match_limit(context_.get(), static_cast<std::uint32_t>(std::min<std::size_t>(steps, UINT32_MAX)));
    const int found = pcre2_match(owner_.patterns_[step]->code(), units(piece), piece.size(), at, PCRE2_NO_UTF_CHECK,
                                  match, context_.get());
    if (found == PCRE2_ERROR_NOMATCH) return {piece.size(), piece.size()};
    if (found == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
    if (found < 0) {
      throw EngineError(Fault::BadInput, owner_.where_, "the pre-tokenizer's pattern fails: " + pcre2_message(found),
                        "Simplify the pattern.");
    }
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match);
    // \K in a look-around could place the start after the end, or before what is already cut.
    if (bounds[0] < at || bounds[1] < bounds[0]) {
      throw EngineError(Fault::Unsupported, owner_.where_, "the pre-tokenizer's pattern moves a match's start",
                        "Write it without \\K.");
    }
    return {bounds[0], bounds[1]};
  }

  const BpePretokenizer& owner_;
  const OnWord& on_word_;
  MatchContextPtr context_;
  StackPtr stack_;
  std::vector<MatchPtr> matches_;
};

BpePretokenizer::BpePretokenizer(const std::vector<std::string>& patterns, const std::string& where) : where_(where) {
  for (const std::string& pattern : patterns) patterns_.push_back(std::make_unique<Pattern>(pattern, where));
}

BpePretokenizer::~BpePretokenizer() = default;

void BpePretokenizer::split(std::string_view text, const OnWord& on_word) const {
  Run(*this, on_word).cut(0, text);
}

}  // namespace carryover
