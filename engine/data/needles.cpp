// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/needles.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace carryover {
namespace {

constexpr std::array<std::string_view, 32> kCities{
    "Oslo",   "Lisbon", "Cairo",  "Madrid", "Vienna",  "Prague", "Dublin", "Athens", "Warsaw",  "Naples", "Geneva",
    "Boston", "Havana", "Lima",   "Quito",  "Nairobi", "Delhi",  "Kyoto",  "Seoul",  "Hanoi",   "Sydney", "Perth",
    "Tunis",  "Riga",   "Bergen", "Lyon",   "Turin",   "Bremen", "Krakow", "Zagreb", "Dresden", "Toledo"};
constexpr std::array<std::string_view, 32> kNames{
    "Gideon", "Martha", "Silas",   "Harriet", "Jonas",   "Lydia",   "Walter",  "Agnes", "Felix",    "Clara",   "Hugo",
    "Edith",  "Rufus",  "Matilda", "Conrad",  "Sylvia",  "Bernard", "Hester",  "Oscar", "Winifred", "Leopold", "Ruth",
    "Victor", "Judith", "Ernest",  "Flora",   "Ambrose", "Stella",  "Gilbert", "Nora",  "Edgar",    "Olive"};
constexpr std::array<std::string_view, 40> kWords{
    "lantern", "anchor", "violin", "pepper", "castle", "mirror", "falcon", "garden", "hammer", "ribbon",
    "saddle",  "kettle", "marble", "orchid", "pirate", "rocket", "silver", "tunnel", "velvet", "walnut",
    "basket",  "candle", "desert", "engine", "forest", "goblet", "harbor", "island", "jacket", "ladder",
    "magnet",  "needle", "onion",  "pocket", "quartz", "river",  "shadow", "temple", "turtle", "window"};

constexpr std::array<std::string_view, 24> kOtherCities{
    "London",  "Paris",   "Berlin", "Moscow", "Tokyo",   "Chicago", "Denver", "Dallas",
    "Seattle", "Houston", "Austin", "Munich", "Hamburg", "Milan",   "Venice", "Florence",
    "Seville", "Bristol", "York",   "Oxford", "Cork",    "Leeds",   "Bombay", "Cape Town"};
constexpr std::array<std::string_view, 24> kOtherNames{"Arthur", "Beatrice", "Cecil",  "Dorothy", "Eleanor", "Francis",
                                                       "George", "Helen",    "Isaac",  "Julia",   "Kenneth", "Louisa",
                                                       "Martin", "Nancy",    "Oliver", "Phoebe",  "Quentin", "Rachel",
                                                       "Simon",  "Theresa",  "Ursula", "Vincent", "William", "Zachary"};
constexpr std::array<std::string_view, 24> kOtherWords{"apple",  "bridge", "copper",   "donkey", "eagle",   "flower",
                                                       "guitar", "honey",  "iron",     "jungle", "kitten",  "lemon",
                                                       "meadow", "nickel", "ocean",    "parrot", "queen",   "rabbit",
                                                       "salmon", "tiger",  "umbrella", "valley", "whistle", "yellow"};

static_assert(kCities.size() == kNames.size() && 2 * kWords.size() >= kNames.size());
static_assert(kOtherCities.size() == kOtherNames.size() && 2 * kOtherWords.size() >= kOtherNames.size());
static_assert(2 * kMostNeedlesToChooseBy <= std::ssize(kOtherNames));

/// A sentence with places for a name and a value: the parts before the name, from the name to the value, and after it.
struct Sentence {
  std::string_view before, after, rest;
};
constexpr std::array<Sentence, 3> kNumbers{{{"The number of the locker in ", " is", "."},
                                            {"The safe in ", " opens with the code", "."},
                                            {"The ticket from ", " has the number", ", printed in red."}}};
constexpr std::array<Sentence, 3> kPasswords{{{"The password for the gate of ", " is", "."},
                                              {"The word that was carved above the door in ", " is", "."},
                                              {"The name of the inn at ", " is the", ", as all travellers know."}}};
constexpr std::array<Sentence, 3> kYears{
    {{"", " came to the village in the year", ", with two sisters and a dog."},
     {"", " bought the old mill in the year", ", and sold it again before the winter."},
     {"", " first saw the sea in the year", ", on a cold morning."}}};
constexpr std::array<Sentence, 3> kAmongRivals{{{"The room of ", " has the number", "."},
                                                {"The account of ", " at the bank is", "."},
                                                {"The letter for ", " bears the number", "."}}};

template <std::size_t count>
std::vector<std::string_view> shuffled(std::array<std::string_view, count> all, SplitMix& draw) {
  for (std::size_t left = count; left > 1; --left) std::swap(all[left - 1], all[draw.below(left)]);
  return {all.begin(), all.end()};
}

std::string digits(std::size_t count, SplitMix& draw) {
  std::string text(1, static_cast<char>('1' + draw.below(9)));
  while (text.size() < count) text += static_cast<char>('0' + draw.below(10));
  return text;
}

/// Makes a needle whose statement is `lead` + " " + `value` + `rest` and whose question is `lead`.
Needle make_needle(const std::string& kind, const std::string& lead, const std::string& value, const std::string& rest,
                   const Tokenizer& tokenizer) {
  Needle needle;
  needle.kind = kind;
  needle.statement = tokenizer.encode(" " + lead + " " + value + rest);
  needle.question = tokenizer.encode("\n\n" + lead);
  const auto common = [&](const std::string& start) {
    const std::vector<std::int32_t> ids = tokenizer.encode(start);
    return std::ranges::mismatch(ids, needle.statement).in1 - ids.begin();
  };
  needle.value_offset = common(" " + lead);
  const auto begin = needle.statement.begin() + needle.value_offset;
  needle.value.assign(begin, needle.statement.begin() + common(" " + lead + " " + value));
  CARRYOVER_CHECK(!needle.value.empty());
  return needle;
}

void shuffle(std::vector<Needle>& needles, SplitMix& draw) {
  for (std::size_t left = needles.size(); left > 1; --left) std::swap(needles[left - 1], needles[draw.below(left)]);
}

std::vector<Needle> needles_to_choose_by(const NeedlePlan& plan, const Tokenizer& tokenizer, SplitMix& draw) {
  const auto cities = shuffled(kOtherCities, draw), names = shuffled(kOtherNames, draw),
             words = shuffled(kOtherWords, draw);
  const auto count = static_cast<std::size_t>(plan.of_each_kind);
  CARRYOVER_CHECK(2 * count <= cities.size() && plan.rivals == 0);
  std::vector<Needle> needles;
  for (std::size_t i = 0; i < count; ++i) {
    needles.push_back(make_needle("number", "The number of the locker in " + std::string(cities[i]) + " is",
                                  digits(5, draw), ".", tokenizer));
    needles.push_back(make_needle("word", "The password for the gate of " + std::string(cities[count + i]) + " is",
                                  std::string(words[i]), ".", tokenizer));
    needles.push_back(make_needle("fact", std::string(names[i]) + " came to the village in the year",
                                  "1" + digits(3, draw), ", with two sisters and a dog.", tokenizer));
  }
  shuffle(needles, draw);
  return needles;
}

/// Returns words of four to nine lower-case letters from the book, without those by which recall is measured.
std::vector<std::string> words_of(const std::vector<std::int32_t>& book, const Tokenizer& tokenizer, SplitMix& draw) {
  constexpr std::size_t kPart = 2000, kShortest = 4, kLongest = 9;
  const std::size_t count = std::min(kPart, book.size());
  const std::size_t first = draw.below(book.size() - count + 1);
  const std::string text = tokenizer.decode(std::span(book).subspan(first, count));
  std::set<std::string> words;
  std::string word;
  bool whole = false;  // true after a space, so that the first word is not a part of one
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (whole && c == ' ' && word.size() >= kShortest && word.size() <= kLongest) words.insert(word);
    word.clear();
    whole = c == ' ';
  }
  for (const std::string_view measured : kWords) words.erase(std::string(measured));
  return {words.begin(), words.end()};
}

std::vector<Needle> needles_to_train_on(const NeedlePlan& plan, const std::vector<std::int32_t>& book,
                                        const Tokenizer& tokenizer, SplitMix& draw) {
  const auto cities = shuffled(kOtherCities, draw), names = shuffled(kOtherNames, draw);
  const std::vector<std::string> words = words_of(book, tokenizer, draw);
  const auto count = static_cast<std::size_t>(plan.of_each_kind), rivals = static_cast<std::size_t>(plan.rivals);
  CARRYOVER_CHECK(2 * count <= cities.size() && count + rivals <= names.size());
  std::vector<Needle> needles;
  const auto add = [&](const char* kind, const Sentence& sentence, std::string_view name, const std::string& value) {
    const std::string lead = std::string(sentence.before) + std::string(name) + std::string(sentence.after);
    needles.push_back(make_needle(kind, lead, value, std::string(sentence.rest), tokenizer));
  };
  for (std::size_t i = 0; i < count; ++i) {
    add("number", kNumbers[draw.below(kNumbers.size())], cities[i], digits(4 + draw.below(3), draw));
    if (!words.empty())
      add("word", kPasswords[draw.below(kPasswords.size())], cities[count + i], words[draw.below(words.size())]);
    add("fact", kYears[draw.below(kYears.size())], names[i], "1" + digits(3, draw));
  }
  const Sentence& sentence = kAmongRivals[draw.below(kAmongRivals.size())];
  const std::size_t length = 4 + draw.below(4);
  for (std::size_t i = 0; i < rivals; ++i) add("rival", sentence, names[count + i], digits(length, draw));
  shuffle(needles, draw);
  return needles;
}

/// Makes needles of the book's own tokens: a value, and a key that no other needle has.
std::vector<Needle> pairs(const NeedlePlan& plan, const std::vector<std::int32_t>& book, SplitMix& draw) {
  constexpr std::int64_t kKey = 4, kValue = 2;
  const std::set<std::int32_t> distinct(book.begin(), book.end());
  std::vector<std::int32_t> tokens(distinct.begin(), distinct.end());
  const std::int64_t count = 3 * plan.of_each_kind + plan.rivals;
  if (std::ssize(tokens) < count * kKey)
    throw EngineError(Fault::BadInput, "text", "has " + std::to_string(tokens.size()) + " different tokens",
                      "Take a longer text, or fewer needles.");
  for (std::size_t left = tokens.size(); left > 1; --left) std::swap(tokens[left - 1], tokens[draw.below(left)]);
  std::vector<Needle> needles;
  for (std::int64_t i = 0; i < count; ++i) {
    Needle& needle = needles.emplace_back();
    needle.kind = "pair";
    needle.question.assign(tokens.begin() + i * kKey, tokens.begin() + (i + 1) * kKey);
    for (std::int64_t n = 0; n < kValue; ++n) needle.value.push_back(tokens[draw.below(tokens.size())]);
    needle.statement = needle.question;
    needle.statement.insert(needle.statement.end(), needle.value.begin(), needle.value.end());
    needle.value_offset = kKey;
  }
  return needles;
}

std::vector<Needle> needles_to_measure(const NeedlePlan& plan, const Tokenizer& tokenizer, SplitMix& draw) {
  const auto cities = shuffled(kCities, draw), names = shuffled(kNames, draw), words = shuffled(kWords, draw);
  const auto count = static_cast<std::size_t>(plan.of_each_kind), rivals = static_cast<std::size_t>(plan.rivals);
  CARRYOVER_CHECK(2 * count <= kCities.size() && count + rivals <= kNames.size());
  std::vector<Needle> needles;
  for (std::size_t i = 0; i < count; ++i) {
    needles.push_back(make_needle("number", "The special magic number for " + std::string(cities[i]) + " is",
                                  digits(5, draw), ".", tokenizer));
    needles.push_back(make_needle("word", "The secret word for " + std::string(cities[count + i]) + " is",
                                  std::string(words[i]), ".", tokenizer));
    needles.push_back(make_needle("fact", std::string(names[i]) + " was born in the year", "1" + digits(3, draw),
                                  ", in a small house by the river.", tokenizer));
  }
  const std::uint64_t asked = rivals > 0 ? draw.below(rivals) : 0;
  for (std::size_t i = 0; i < rivals; ++i) {
    needles.push_back(make_needle("rival", "The telephone number of " + std::string(names[count + i]) + " is",
                                  digits(7, draw), ".", tokenizer));
    needles.back().asked = i == asked;
  }
  shuffle(needles, draw);
  return needles;
}

/// Checks a plan. Numbers and words name a city each, facts and rivals a person; no name occurs twice.
void check_plan(const NeedlePlan& plan) {
  constexpr const char* kWhere = "a document with needles";
  if (plan.segments < kLeastNeedleSegments)
    throw EngineError(Fault::BadInput, kWhere, "has no segment before its last one for the needles",
                      "Use 2 segments or more.");
  const std::int64_t names = plan.words == NeedleWords::Measure ? std::ssize(kNames) : std::ssize(kOtherNames);
  if (plan.of_each_kind < 0 || plan.of_each_kind > names / 2 || plan.rivals < 0 ||
      plan.rivals > names - plan.of_each_kind)
    throw EngineError(Fault::BadInput, kWhere,
                      "takes 0 to " + std::to_string(names / 2) + " needles of each kind, and with its rivals " +
                          std::to_string(names),
                      "Change the number of needles or of rivals.");
}

std::vector<Needle> make_needles(const NeedlePlan& plan, const std::vector<std::int32_t>& book,
                                 const Tokenizer& tokenizer, SplitMix& draw) {
  const SplitMix before = draw;
  try {
    switch (plan.words) {
      case NeedleWords::Choose:
        return needles_to_choose_by(plan, tokenizer, draw);
      case NeedleWords::Train:
        return needles_to_train_on(plan, book, tokenizer, draw);
      case NeedleWords::Measure:
        break;
    }
    return needles_to_measure(plan, tokenizer, draw);
  } catch (const EngineError& error) {
    if (error.fault() != Fault::BadInput) throw;  // the vocabulary lacks a character
    draw = before;
    return pairs(plan, book, draw);
  }
}

}  // namespace

NeedleDocument make_document(const NeedlePlan& plan, const std::vector<std::int32_t>& book, const Tokenizer& tokenizer,
                             SplitMix& draw) {
  check_plan(plan);
  if (plan.segments > std::ssize(book) / plan.segment_length)
    throw EngineError(Fault::BadInput, "text",
                      "has " + std::to_string(book.size()) + " tokens, and a document has " +
                          std::to_string(plan.segments) + " segments of " + std::to_string(plan.segment_length),
                      "Take a longer text, or fewer segments.");
  const std::int64_t tokens = plan.segments * plan.segment_length;
  NeedleDocument document{{}, make_needles(plan, book, tokenizer, draw)};
  if (plan.bos && tokenizer.bos()) document.ids.push_back(*tokenizer.bos());
  const auto first = static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(std::ssize(book) - tokens + 1)));
  const std::int64_t spread = tokens - plan.segment_length, count = std::ssize(document.needles);
  auto next = book.begin() + first;
  for (std::int64_t i = 0; i < count; ++i) {
    Needle& needle = document.needles[static_cast<std::size_t>(i)];
    const std::int64_t wanted =
        (spread * i + static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(spread)))) / count;
    while (std::ssize(document.ids) < wanted) document.ids.push_back(*next++);
    // Continues to the end of the sentence, if one ends within reach. Many needles in a short document may use up the
    // book.
    for (int more = 0; more < 40 && next != book.end() &&
                       !tokenizer.bytes(document.ids.empty() ? *next : document.ids.back()).ends_with('.');
         ++more)
      document.ids.push_back(*next++);
    needle.position = std::ssize(document.ids);
    document.ids.insert(document.ids.end(), needle.statement.begin(), needle.statement.end());
  }
  while (std::ssize(document.ids) < tokens) document.ids.push_back(*next++);
  document.ids.resize(static_cast<std::size_t>(tokens));
  std::erase_if(document.needles,
                [&](const Needle& needle) { return needle.position + std::ssize(needle.statement) > tokens; });
  return document;
}

std::vector<NeedleDocument> make_documents(const NeedlePlan& plan, const std::vector<std::vector<std::int32_t>>& books,
                                           const Tokenizer& tokenizer, std::int64_t count, std::uint64_t seed) {
  CARRYOVER_CHECK(!books.empty());
  SplitMix draw(seed);
  std::vector<NeedleDocument> documents;
  for (std::int64_t i = 0; i < count; ++i)
    documents.push_back(make_document(plan, books[static_cast<std::size_t>(i) % books.size()], tokenizer, draw));
  return documents;
}

}  // namespace carryover
