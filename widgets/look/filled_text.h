// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <concepts>
#include <initializer_list>
#include <variant>

namespace carryover {

// Texts with places for values: "%1 of %2". Any thread.

/// The types of numbers without a fraction. A bool or a letter is no number.
template <typename Type>
concept WholeNumber = std::integral<Type> && sizeof(Type) >= sizeof(int);

/// A value that a text has a place for. A fraction comes as the text that its caller makes of it (see
/// widgets/look/quantity_text.h).
class FilledValue {
 public:
  FilledValue(const QString& text) : value_(text) {}
  FilledValue(QLatin1String text) : value_(QString(text)) {}
  template <WholeNumber Number>
  FilledValue(Number number) {
    if constexpr (std::signed_integral<Number>)
      value_ = static_cast<qlonglong>(number);
    else
      value_ = static_cast<qulonglong>(number);
  }

  /// Returns the text, or the number as the language writes it ("1,234") or in digits alone.
  QString text(bool by_language) const;

 private:
  std::variant<QString, qlonglong, qulonglong> value_;
};

QString filled_with(const QString& text, std::initializer_list<FilledValue> values);

/// Returns the text with the first value in the place of the lowest number (%1), the second in that of the next, and so
/// on; a number in a place such as %L1 is written as the language writes it. All are inserted at once: a value that
/// holds a %2 itself, as the name of a file may, stays as it is. QString::arg() behind another QString::arg() would
/// fill the place in the name.
template <typename... Values>
QString filled(const QString& text, const Values&... values) {
  return filled_with(text, {FilledValue(values)...});
}

}  // namespace carryover
