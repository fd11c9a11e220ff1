// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

/// The ranges that numbers in messages may have. Each numeric field of a described type names its range in its row
/// (wire_values.h), and the reader checks it before the value is used.
namespace carryover {

struct WholeRange {
  std::int64_t least, most;
};
struct RealRange {
  double least, most;  ///< NaN is outside
};
/// Any bits, NaN too: for a loss, a score or a seed, which is no index; or for a value that its user refuses with a
/// better message.
struct AnyNumber {};
/// The largest number of bytes in a text. Without it, kMostText.
struct TextRange {
  std::uint64_t most;
};

inline constexpr AnyNumber kAny{};
inline constexpr WholeRange kCount{0, std::int64_t{1} << 48};  ///< sums and differences of several stay in 64 bits
inline constexpr WholeRange kCountOrNone{-1, kCount.most};
/// A number in a request: its user gives a more exact error, and computes with it without overflow.
inline constexpr WholeRange kRequested{-kCount.most, kCount.most};
inline constexpr WholeRange kId{0, INT32_MAX};
inline constexpr WholeRange kLayersOrHeads{0, 1 << 16};
inline constexpr WholeRange kThreads{0, 1 << 16};
inline constexpr WholeRange kByteCount{0, std::int64_t{1} << 60};
inline constexpr WholeRange kByteChange{-(std::int64_t{1} << 56), std::int64_t{1} << 56};
inline constexpr RealRange kReal{-1e300, 1e300};   ///< any but NaN and infinity
inline constexpr RealRange kSeconds{-1.0, 1e12};   ///< a difference of clocks may be a little below 0
inline constexpr RealRange kPerSecond{0.0, 1e15};  ///< tokens
inline constexpr std::uint64_t kMostText = 1 << 16;
inline constexpr TextRange kLongText{std::uint64_t{1} << 28};  ///< a tokenizer, or a text of JSON

template <typename T>
constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
/// An optional number has to be described with its range too.
template <typename T>
constexpr bool is_number<std::optional<T>> = is_number<T>;

constexpr bool is_inside(const auto& /*value*/, AnyNumber) {
  return true;
}
constexpr bool is_inside(std::integral auto value, WholeRange range) {
  if constexpr (std::is_unsigned_v<decltype(value)>)
    return value <= static_cast<std::uint64_t>(range.most);
  else
    return value >= range.least && value <= range.most;
}
constexpr bool is_inside(std::floating_point auto value, RealRange range) {
  return value >= range.least && value <= range.most;
}
template <typename T, typename Range>
requires(!std::is_same_v<Range, AnyNumber>) constexpr bool is_inside(const std::optional<T>& value, Range range) {
  return !value || is_inside(*value, range);
}

}  // namespace carryover
