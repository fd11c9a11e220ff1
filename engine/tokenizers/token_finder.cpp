// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/token_finder.h"

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"

namespace carryover {

namespace {
constexpr std::size_t kMaxNodes = std::size_t{4} << 20;  // a hundred thousand added tokens have half as many bytes
}

std::int32_t TokenFinder::child(std::int32_t node, unsigned char byte) const {
  if (node == 0) return of_root_[byte];
  const auto found = children_.find(static_cast<std::uint64_t>(node) << 8 | byte);
  return found == children_.end() ? 0 : found->second;
}

std::int32_t TokenFinder::next(std::int32_t node, unsigned char byte) const {
  while (true) {
    const std::int32_t longer = child(node, byte);
    if (longer != 0 || node == 0) return longer;
    node = nodes_[static_cast<std::size_t>(node)].shorter;
  }
}

void TokenFinder::add(std::string_view spelling, bool special) {
  std::int32_t node = 0;
  for (auto byte = spelling.rbegin(); byte != spelling.rend(); ++byte) {
    const auto value = static_cast<unsigned char>(*byte);
    std::int32_t longer = child(node, value);
    if (longer == 0) {
      if (nodes_.size() == kMaxNodes) {
        throw EngineError(Fault::BadInput, "the added tokens",
                          "have more than " + std::to_string(kMaxNodes) + " bytes together",
                          "Fetch the tokenizer again.");
      }
      longer = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({node, 0, nodes_[static_cast<std::size_t>(node)].depth + 1, -1, -1, value});
      if (node == 0)
        of_root_[value] = longer;
      else
        children_.emplace(static_cast<std::uint64_t>(node) << 8 | value, longer);
    }
    node = longer;
  }
  Node& last = nodes_[static_cast<std::size_t>(node)];
  if (node != 0 && last.any < 0) last.any = tokens_;
  if (node != 0 && last.ordinary < 0 && !special) last.ordinary = tokens_;
  ++tokens_;
}

void TokenFinder::finish() {
  std::vector<std::size_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return nodes_[a].depth < nodes_[b].depth; });
  for (const std::size_t i : order) {
    Node& node = nodes_[i];
    if (node.depth > 1) node.shorter = next(nodes_[static_cast<std::size_t>(node.parent)].shorter, node.byte);
    const Node& shorter = nodes_[static_cast<std::size_t>(node.shorter)];
    if (node.any < 0) node.any = shorter.any;
    if (node.ordinary < 0) node.ordinary = shorter.ordinary;
  }
}

std::vector<TokenFinder::Match> TokenFinder::find(std::string_view text, bool with_special) const {
  std::vector<Match> matches;
  std::int32_t node = 0;
  for (std::size_t at = text.size(); at-- > 0 && tokens_ > 0;) {
    node = next(node, static_cast<unsigned char>(text[at]));
    const Node& reached = nodes_[static_cast<std::size_t>(node)];
    const std::int32_t token = with_special ? reached.any : reached.ordinary;
    if (token >= 0) matches.push_back({at, token});
  }
  return matches;
}

}  // namespace carryover
