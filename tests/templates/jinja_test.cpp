// SPDX-License-Identifier: GPL-3.0-or-later
// The Jinja interpreter: its output is jinja2's, what it does not have is named with its line, and no template costs
// more than the limits.
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "engine/templates/chat_template.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/test_program.h"
#include "tests/templates/recorded_renderings.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::ordered_json;

namespace {

constexpr std::int64_t kNow = 1751328000;  // as in tests/compat/templates.py

std::string render(const std::string& source, const ordered_json& values = ordered_json::object()) {
  return ChatTemplate(source, "test.jinja", ordered_json::object()).render(ordered_json::array(), false, values);
}

ordered_json recorded_values() {
  ordered_json values = ordered_json::parse(kRecordedValues);
  values["strftime_now"] = kNow;
  return values;
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

/// Empty where rendering throws with this problem and a line; else what happened instead.
std::string refused(const std::string& source, const std::string& problem, Fault fault = Fault::BadInput) {
  return unlike(fault, problem, [&] { render(source); });
}

}  // namespace

class JinjaTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void renders_as_jinja2_does() {
    const ordered_json values = recorded_values();
    for (const Recorded& recorded : kRecordedExpressions) {
      QCOMPARE(QString::fromStdString(recorded.source + (" -> " + render(recorded.source, values))),
               QString(recorded.source) + " -> " + recorded.rendered);
    }
  }

  void cuts_blanks_as_transformers_does() {
    for (const Recorded& recorded : kRecordedBlanks) {
      QCOMPARE(QString::fromStdString(render(recorded.source)), QString(recorded.rendered));
    }
  }

  void refuses_with_a_line_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line");
    QTest::newRow("no end of an if") << "a\n{% if true %}\nb\n" << 3;
    QTest::newRow("end of nothing") << "a\n\n{% endfor %}" << 3;
    QTest::newRow("other end") << "{% if true %}\n{% endfor %}" << 2;
    QTest::newRow("no end of a tag") << "\n{{ 1" << 2;
    QTest::newRow("no end of a string") << "\n\n{{ 'a }}" << 3;
    QTest::newRow("no end of a comment") << "\n{# a" << 2;
    QTest::newRow("no end of raw") << "\n{% raw %} a" << 2;
    QTest::newRow("no expression") << "\n{{ }}" << 2;
    QTest::newRow("no operand") << "\n{{ 1 + }}" << 2;
    QTest::newRow("two values") << "\n{{ 1 2 }}" << 2;
    QTest::newRow("bracket") << "\n{{ (1 }}" << 2;
    QTest::newRow("other bracket") << "\n{{ (1] }}" << 2;
    QTest::newRow("character") << "\n{{ a ! b }}" << 2;
    QTest::newRow("break without a loop") << "\n{% break %}" << 2;
    QTest::newRow("no name") << "\n{% set 1 = 2 %}" << 2;
    QTest::newRow("undefined") << "a\n\n{{ absent.name }}" << 3;
    QTest::newRow("types") << "a\n\n{{ 1 +\n'a' }}" << 3;
    QTest::newRow("division") << "\n{{ 1 // 0 }}" << 2;
    QTest::newRow("iteration") << "\n{% for x in 1 %}{% endfor %}" << 2;
    QTest::newRow("unpacking") << "\n{% set a, b = [1] %}" << 2;
    QTest::newRow("no namespace") << "\n{% set a = 1 %}{% set a.b = 2 %}" << 2;
    QTest::newRow("raised") << "\n{% if true %}\n{{ raise_exception('no') }}{% endif %}" << 3;
    QTest::newRow("change") << "\n{{ [1].append(2) }}" << 2;
    QTest::newRow("macro") << "{% macro m(a) %}{% endmacro %}\n{{ m(1, 2) }}" << 2;
    QTest::newRow("slice") << "\n{{ 'abc'[::0] }}" << 2;
    QTest::newRow("tojson") << "\n{{ absent | tojson }}" << 2;
    QTest::newRow("filter's argument") << "\n{{ 'a' | trim(cut='a') }}" << 2;
    QTest::newRow("filter's arguments") << "\n{{ 'a' | upper(1) }}" << 2;
    QTest::newRow("method's argument") << "\n{{ 'a'.split(by='a') }}" << 2;
    QTest::newRow("generator") << "\n{{ [1] | select | length }}" << 2;
  }
  void refuses_with_a_line() {
    QFETCH(const QString, source);
    QFETCH(const int, line);
    QCOMPARE(refused(source.toStdString(), "test.jinja:" + std::to_string(line) + ":"), std::string());
  }

  void names_what_it_lacks_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("construct");
    QTest::newRow("tag") << "\n{% include 'x' %}"
                         << "the tag 'include'";
    QTest::newRow("call block") << "\n{% call m() %}{% endcall %}"
                                << "the tag 'call'";
    QTest::newRow("filter") << "\n{{ 1 | from_json }}"
                            << "the filter 'from_json'";
    QTest::newRow("test") << "\n{{ 1 is prime }}"
                          << "the test 'prime'";
    QTest::newRow("method") << "\n{{ 'a'.zfill(3) }}"
                            << "str.zfill()";
    QTest::newRow("recursive") << "\n{% for x in [] recursive %}{% endfor %}"
                               << "a recursive loop";
    QTest::newRow("spread") << "\n{{ dict(*[1]) }}"
                            << "a call with *";
    QTest::newRow("format") << "\n{{ '{:>5}'.format(1) }}"
                            << "a field ':>5'";
    QTest::newRow("percent") << "\n{{ '%s' % 1 }}"
                             << "'%' on a string";
    QTest::newRow("large integer") << "\n{{ 9223372036854775807 + 1 }}"
                                   << "an integer beyond 64 bits";
    QTest::newRow("hexadecimal") << "\n{{ 0x10 }}"
                                 << "not decimal";
    QTest::newRow("address") << "\n{{ namespace() }}"
                             << "the text of a value of type 'Namespace'";
    QTest::newRow("loop") << "\n{% for x in [1] %}{{ loop.cycle }}{% endfor %}"
                          << "loop.cycle";
  }
  void names_what_it_lacks() {
    QFETCH(const QString, source);
    QFETCH(const QString, construct);
    QCOMPARE(refused(source.toStdString(), construct.toStdString(), Fault::Unsupported), std::string());
    QCOMPARE(refused(source.toStdString(), "test.jinja:2:", Fault::Unsupported), std::string());
  }

  void has_no_time_unless_it_is_given() {
    QCOMPARE(render("{{ strftime_now is defined }}"), std::string("False"));
    QCOMPARE(render("{{ strftime_now('%H:%M') }}", {{"strftime_now", kNow + 3660}}), std::string("01:01"));
    QVERIFY(error_of([] { render("{{ strftime_now('%5000d') }}", {{"strftime_now", kNow}}); }));
    QVERIFY(error_of([] { render("", {{"strftime_now", "today"}}); }));
  }

  void keeps_the_order_of_keys() {
    const ordered_json ordered = ordered_json::parse(R"({"z": 1, "a": {"y": 2, "b": 3}})");
    QCOMPARE(render("{{ v | tojson }}", {{"v", ordered}}), std::string(R"({"z": 1, "a": {"y": 2, "b": 3}})"));
    const nlohmann::json plain = nlohmann::json::parse(ordered.dump());
    QCOMPARE(render("{{ v | tojson }}", {{"v", plain}}), std::string(R"({"a": {"b": 3, "y": 2}, "z": 1})"));
  }

  void bounds_what_a_template_costs_data() {
    QTest::addColumn<QString>("source");
    const auto row = [](const char* name, const std::string& source) {
      QTest::newRow(name) << QString::fromStdString(source);
    };
    const std::string deep = repeated("(", 100'000), block = repeated("{% if true %}", 20'000);
    row("size", repeated("aaaaaaaaaaaaaaaa", 1 << 17));
    row("brackets", "{{ " + deep + "1" + repeated(")", 100'000) + " }}");
    row("lists", "{{ " + repeated("[", 100'000));
    row("minus signs", "{{ " + repeated("-", 100'000) + "1 }}");
    row("not", "{{ " + repeated("not ", 100'000) + "1 }}");
    row("sum", "{{ 1" + repeated("+1", 100'000) + " }}");
    row("attributes", "{{ a" + repeated(".a", 100'000) + " }}");
    row("filters", "{{ a" + repeated("|trim", 100'000) + " }}");
    row("else", "{{ 1" + repeated(" if 1 else 1", 50'000) + " }}");
    row("blocks", block);
    row("recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
    row("two macros", "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}");
    row("default", "{% macro a(x=a()) %}{% endmacro %}{{ a() }}");
    row("loops", repeated("{% for x in range(99999) %}", 5) + repeated("{% endfor %}", 5));
    row("range", "{{ range(100001) | list | length }}");
    row("range far", "{{ range(-9223372036854775807, 9223372036854775807) | list }}");
    row("text", "{{ 'a' * 99999999999 }}");
    row("list", "{{ [1] * 99999999999 }}");
    row("doubled", "{% set ns = namespace(s='a') %}{% for x in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}");
    row("listed", "{% set ns = namespace(l=[1]) %}{% for x in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}");
    row("nested", "{% set ns = namespace(l=[]) %}{% for x in range(9999) %}{% set ns.l = [ns.l] %}{% endfor %}");
    row("shared",
        "{% set ns = namespace(l=[1]) %}{% for x in range(90) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}"
        "{{ ns.l | tojson }}");
    row("compared",
        "{% set a = namespace(l=[1]) %}{% set b = namespace(l=[1]) %}{% for x in range(90) %}"
        "{% set a.l = [a.l, a.l] %}{% set b.l = [b.l, b.l] %}{% endfor %}{{ a.l == b.l }}");
    row("output", "{% set s = 'a' * 999999 %}{% for x in range(99) %}{{ s }}{% endfor %}");
    row("power", "{{ 3 ** 999999999 }}");
    row("replaced", "{{ ('a' * 9999) | replace('a', 'a' * 99999) }}");
    row("joined", "{{ range(99999) | join('a' * 9999) }}");
    row("indented", "{{ ('a\\n' * 99999) | indent('a' * 9999) }}");
    row("searched", "{% set s = 'a' * 9999999 %}{% for x in range(99999) %}{{ 'b' in s }}{% endfor %}");
    row("held",
        "{% set ns = namespace(l=[]) %}{% for x in range(9999) %}{% set ns.l = ns.l + ['a' * 999999] %}"
        "{% endfor %}");
    row("macros",
        "{% for x in range(99999) %}{% for y in range(99) %}{% macro m() %}{% endmacro %}{% endfor %}"
        "{% endfor %}");
    row("calls",
        "{{ 'a' * 9999999 }}{% macro m() %}{% endmacro %}{% for x in range(99999) %}{% for y in range(99) %}"
        "{{ m() }}{% endfor %}{% endfor %}");
    row("mapped", "{{ [1] | map(" + repeated("'map', ", 2000) + "'list') | list }}");
  }
  void bounds_what_a_template_costs() {
    QFETCH(const QString, source);
    const auto error = error_of([&] { render(source.toStdString()); });
    QVERIFY(error && error->fault() != Fault::Internal);
    QVERIFY2(error->where().starts_with("test.jinja:"), error->what());
  }

  void holds_itself_without_harm() {
    QCOMPARE(render("{% set a = namespace() %}{% set a.self = a %}{% set a.l = [a] %}{{ a.self.l[0].l | length }}"),
             std::string("1"));
    QCOMPARE(render("{% for i in [1, 2] %}{% macro m() %}{{ m is callable }}{% endmacro %}{{ m() }}{% endfor %}"),
             std::string("TrueTrue"));
    QVERIFY(error_of([] { render("{% set a = namespace() %}{% set a.l = [a] %}{{ a.l }}"); }));
  }

  void linear_searches_stay_so() {
    const ordered_json values{{"text", std::string(1 << 20, 'a')}, {"part", std::string(1 << 19, 'a') + "b"}};
    QCOMPARE(render("{{ part in text }}{{ text.find(part) }}{{ text.rfind('b' + part) }}"
                    "{{ text.split(part) | length }}{{ text.rsplit('b' + part) | length }}",
                    values),
             std::string("False-1-111"));
  }

  void refuses_bytes_that_are_no_text() {
    QVERIFY(error_of([] { render("a\xff{{ 1 }}"); }));
    QVERIFY(error_of([] { render("{{ v }}", {{"v", 18446744073709551615u}}); }));
  }

  void survives_damage() {
    std::string whole;
    for (const Recorded& recorded : kRecordedExpressions) whole += std::string(recorded.source) + "\n";
    const ordered_json values = recorded_values();
    int rendered = 0, refused_ones = 0;
    std::size_t row = 0;
    for (unsigned seed = 0; seed < 10'000; ++seed, ++row) {
      const std::string source = kRecordedExpressions[row % std::size(kRecordedExpressions)].source;
      try {
        render(Mutator(source, source.size(), seed).next(), values);
        ++rendered;
      } catch (const EngineError& error) {
        QVERIFY2(error.fault() != Fault::Internal, error.what());
        ++refused_ones;
      }
    }
    QVERIFY(rendered > 1000 && refused_ones > 1000);
    for (unsigned seed = 0; seed < 200; ++seed) {
      const auto error = error_of([&] { render(Mutator(whole, whole.size(), seed).next(), values); });
      QVERIFY(!error || error->fault() != Fault::Internal);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<JinjaTest>};
#include "jinja_test.moc"
