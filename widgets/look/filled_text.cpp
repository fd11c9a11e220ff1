// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/filled_text.h"

#include <QLocale>
#include <algorithm>
#include <vector>

namespace carryover {
namespace {

struct Place {
  qsizetype begin, end;
  int number;
  bool by_language;
};

bool is_digit(QChar letter) {
  return letter >= u'0' && letter <= u'9';
}

/// Returns the places that QString::arg() knows: %1 to %99, and the same with an L.
std::vector<Place> places_of(const QString& text) {
  std::vector<Place> places;
  for (qsizetype begin = text.indexOf(u'%'); begin >= 0;) {
    const bool by_language = begin + 1 < text.size() && text[begin + 1] == u'L';
    const qsizetype digits = begin + (by_language ? 2 : 1);
    qsizetype end = digits;
    while (end < text.size() && end < digits + 2 && is_digit(text[end])) ++end;
    if (end > digits) places.push_back({begin, end, text.mid(digits, end - digits).toInt(), by_language});
    begin = text.indexOf(u'%', end);
  }
  return places;
}

}  // namespace

QString FilledValue::text(bool by_language) const {
  if (const auto* as_it_is = std::get_if<QString>(&value_)) return *as_it_is;
  if (const auto* number = std::get_if<qlonglong>(&value_))
    return by_language ? QLocale().toString(*number) : QString::number(*number);
  const qulonglong number = std::get<qulonglong>(value_);
  return by_language ? QLocale().toString(number) : QString::number(number);
}

QString filled_with(const QString& text, std::initializer_list<FilledValue> values) {
  const std::vector<Place> places = places_of(text);
  std::vector<int> numbers;
  for (const Place& place : places) numbers.push_back(place.number);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() < values.size())
    qWarning("Values without a place: %zu, in \"%s\"", values.size() - numbers.size(), qUtf8Printable(text));
  QString result;
  qsizetype done = 0;
  for (const Place& place : places) {
    const auto rank = static_cast<std::size_t>(std::ranges::lower_bound(numbers, place.number) - numbers.begin());
    if (rank >= values.size()) continue;
    result += QStringView(text).sliced(done, place.begin - done);
    result += values.begin()[rank].text(place.by_language);
    done = place.end;
  }
  return result += QStringView(text).sliced(done);
}

}  // namespace carryover
