// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a chat template grows with its text and with the conversation, no faster.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/templates/chat_template.h"
#include "tests/support/growth.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::ordered_json;

namespace {

std::string repeated(const std::string& part, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += part;
  return text;
}

ordered_json messages(std::int64_t count, std::size_t length) {
  ordered_json list = ordered_json::array();
  for (std::int64_t i = 0; i < count; ++i)
    list.push_back({{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", std::string(length, 'x')}});
  return list;
}

}  // namespace

class TemplateTimeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void grows_with_the_template_data() {
    QTest::addColumn<QString>("part");
    for (const char* part :
         {"text ", "{{ 1 }}", "{# note #}", "{% set a = 'b' %}", "{%- if true -%}  x  {%- endif -%}\n",
          "{{ 'a' ~ 'b' }}", "{% macro m(a) %}{{ a }}{% endmacro %}", "{{ [1, 2, 3] | join(',') }}"})
      QTest::newRow(part) << QString(part);
  }

  void grows_with_the_template() {
    QFETCH(QString, part);
    const double ratio = growth(
        500, [&](std::int64_t n) { return repeated(part.toStdString(), n); },
        [](const std::string& text) {
          ChatTemplate(text, "x.jinja", ordered_json::object()).render(messages(2, 9), true);
        });
    QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
  }

  void grows_with_the_conversation_data() {
    QTest::addColumn<bool>("long_messages");
    QTest::newRow("messages") << false;
    QTest::newRow("letters") << true;
  }

  void grows_with_the_conversation() {
    QFETCH(bool, long_messages);
    const ChatTemplate chat(
        "{%- for m in messages -%}<|{{ m.role }}|>{{ m['content'] | trim }}{% if not loop.last %}\n{% endif %}{%- "
        "endfor -%}",
        "x.jinja", ordered_json::object());
    const double ratio = growth(
        300,
        [&](std::int64_t n) { return long_messages ? messages(4, 100 * static_cast<std::size_t>(n)) : messages(n, 9); },
        [&](const ordered_json& list) { chat.render(list, true); });
    QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TemplateTimeTest>};
#include "template_time_test.moc"
