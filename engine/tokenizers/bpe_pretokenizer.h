// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// Cuts a text into the words inside which byte-pair merges stay. A sequence of patterns is applied, each to every
/// piece that the previous one left. A match becomes a piece of its own, and so does the text between matches, so
/// nothing is lost. Immutable; any thread (each call has its own match state).
class BpePretokenizer {
 public:
  /// Patterns are in the syntax that Oniguruma and PCRE2 share. \s means Unicode's White_Space, as in Oniguruma;
  /// PCRE2's own would add U+180E. Letters and numbers are those of PCRE2's Unicode version (14 in 10.42). Throws
  /// EngineError{BadInput}, which names `where`, for a pattern that does not compile, and for more patterns than any
  /// tokenizer has.
  BpePretokenizer(const std::vector<std::string>& patterns, const std::string& where);
  ~BpePretokenizer();

  using OnWord = std::function<void(std::string_view)>;
  /// Cuts a text, which must be valid UTF-8. Words come in order, and none is empty; joined they are `text`. Throws
  /// EngineError{BadInput} if the patterns need more stack or steps than is reasonable.
  void split(std::string_view text, const OnWord& on_word) const { Cutter(*this, text.size()).split(text, on_word); }

 private:
  class Pattern;
  class Run;

 public:
  /// Cuts the parts of one text as split() does. All parts share the steps that a text of `text_bytes` may take. Owner:
  /// one thread.
  class Cutter {
   public:
    Cutter(const BpePretokenizer& pretokenizer, std::size_t text_bytes);
    ~Cutter();
    void split(std::string_view part, const OnWord& on_word);

   private:
    std::unique_ptr<Run> run_;
  };

 private:
  std::string where_;
  std::vector<std::unique_ptr<const Pattern>> patterns_;
};

/// The patterns of known tokenizers, for `tokenizer.ggml.pre` and for tokenizer.json's ByteLevel and Digits.
namespace pretokenizer_patterns {
extern const char* const kGpt2;  ///< ByteLevel(use_regex)
extern const char* const kLlama3;
extern const char* const kQwen2;
extern const char* const kGpt4o;
extern const char* const kDigit;   ///< Digits(individual_digits)
extern const char* const kDigits;  ///< Digits
}  // namespace pretokenizer_patterns

}  // namespace carryover
