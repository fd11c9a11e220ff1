// SPDX-License-Identifier: GPL-3.0-or-later
// The Jinja interpreter: its output is jinja2's, what it does not have is named with its line, and no template costs
// more than the limits.
#include <QTest>
#include <algorithm>
#include <ctime>
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

/// Returns an empty text if rendering throws with this problem and a line; else what happened instead.
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

  /// As jinja2 under Python 3.11.
  void case_is_that_of_python_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("rendered");
    const auto row = [](const char* source, const char* rendered) { QTest::newRow(source) << source << rendered; };
    row("{{ 'İ'|lower }}", "i\u0307");
    row("{{ 'ŉ'|upper }}", "ʼN");
    row("{{ 'ǆ'|title }}", "Ǆ");
    row("{{ 'ǆ'.title() }}", "ǅ");
    row("{{ 'ǆ'|capitalize }}", "ǅ");
    row("{{ 'ß'|title }}", "SS");
    row("{{ 'ßa'.title() }}", "Ssa");
    row("{{ 'ﬁx'|upper }}", "FIX");
    row("{{ 'ﬁX'.title() }}", "Fix");
    row("{{ 'ΑΣ ΣΑΣ'|lower }}", "ας σας");
    row("{{ 'ΑΣ'.title() }}", "Ας");
    row("{{ 'ΑΣ'|title }}", "Ασ");
    row("{{ 'ქართული'|upper }}", "ᲥᲐᲠᲗᲣᲚᲘ");
    row("{{ 'ქართული'|capitalize }}", "ქართული");
    row("{{ \"it's 3rd ªb ʰx\".title() }}", "It'S 3Rd ªb ʰx");
    row("{{ 'a-b (c) [d'|title }}", "A-B (C) [D");
  }
  void case_is_that_of_python() {
    QFETCH(const QString, source);
    QFETCH(const QString, rendered);
    QCOMPARE(QString::fromStdString(render(source.toStdString())), rendered);
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

  /// As Python's datetime.now(), which has no time zone.
  void tells_the_time_as_python_does() {
    const auto at = [](const std::string& format) {
      return render("{{ strftime_now('" + format + "') }}", {{"strftime_now", kNow + 3661}});
    };
    QCOMPARE(at("%Y-%m-%d %H:%M:%S"), std::string("2025-07-01 01:01:01"));
    QCOMPARE(at("%z%Z|%H%z:%M%Z"), std::string("|01:01"));
    QCOMPARE(at("%f|%%f|%%z|%"), std::string("000000|%f|%z|%"));
    QCOMPARE(at("%-d %b %Y"), std::string("1 Jul 2025"));
  }

  /// Between two readings of it.
  void the_wall_clock_is_the_machines_local_time() {
    const auto shown = [](std::time_t time) {
      std::tm fields{};
      ::localtime_r(&time, &fields);
      char text[32];
      return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &fields));
    };
    const std::string before = shown(std::time(nullptr));
    const std::string told = render("{{ strftime_now('%Y-%m-%d %H:%M:%S') }}", {{kTemplateClock, wall_clock()}});
    QVERIFY(before <= told && told <= shown(std::time(nullptr)));
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
    row("mapped", "{{ [1] | map(" + repeated("'map', ", 200) + "'list') | list }}");
    row("arguments", "{{ [1] | select('defined', " + repeated("1, ", 255) + ") | list }}");
    row("names of arguments", "{{ dict(" + repeated("a=1, ", 256) + ") }}");
    row("parameters", "{% macro m(" + repeated("a, ", 255) + "a) %}{% endmacro %}");
    row("name", "{{ " + repeated("a", 201) + " }}");
    row("items", "{% set s = 'a' * 9999999 %}{% for x in range(99999) %}{{ [][s] }}{% endfor %}");
    row("methods",
        "{% set ns = namespace(l=[]) %}{% for x in range(99999) %}{% set ns.l = [ns.l.index] %}{% endfor %}");
    row("loops of loops",
        "{% set ns = namespace(l=[]) %}{% for x in range(99999) %}{% for y in [ns.l] %}{% set ns.l = loop %}"
        "{% endfor %}{% endfor %}");
    const auto each_time = [&](const char* name, const std::string& set, const std::string& expression) {
      row(name, "{% set s = " + set + " %}{% for x in range(500) %}{% set y = " + expression + " %}{% endfor %}");
    };
    each_time("sets to strip", "'a' * 999999", "'b'.strip(s)");
    each_time("sets to trim", "'a' * 999999", "'b' | trim(s)");
    each_time("texts to find", "'a' * 999999", "'b'.rfind(s)");
    each_time("digits", "'1' * 999999", "s | int");
    row("beginnings", "{% set s = 'a' * 999999 %}{{ (s + 'b').startswith((s + 'c',) * 500) }}");
    row("parameters of calls",
        "{% macro m(" + repeated("a, ", 254) + "a) %}{% endmacro %}{% for x in range(30000) %}{{ m() }}{% endfor %}");
    row("keys of copies",
        "{% set d = {('a' * 9999999): 1} %}{% set ns = namespace(l=[]) %}{% for x in range(50) %}"
        "{% set ns.l = ns.l + [dict(d)] %}{% endfor %}");
    row("sorted", "{{ (['a' * 99999] * 999) | sort }}");
    row("parts", "{{ ('a b' * 2999999).split(' ') }}");
    row("JSON's separators", "{{ range(99999) | list | tojson(separators=('a' * 9999999, ':')) }}");
    row("JSON's keys", "{{ ([{('a' * 999999): 1}] * 99999) | tojson }}");
    row("JSON's indents", "{{ range(99999) | list | tojson(indent='a' * 99999) }}");
    row("escaped JSON", "{% set s = '\\x01' * 999999 %}{{ ([s] * 99) | tojson }}");
    row("escaped text", "{% set s = '\\x01' * 999999 %}{{ ([s] * 99) | string }}");
  }
  void bounds_what_a_template_costs() {
    QFETCH(const QString, source);
    const auto error = error_of([&] { render(source.toStdString()); });
    QVERIFY(error && error->fault() != Fault::Internal);
    QVERIFY2(error->where().starts_with("test.jinja:"), error->what());
  }

  /// These took hours once: the time is that of the texts' lengths.
  void long_texts_take_no_longer_than_they_are() {
    QCOMPARE(render("{{ ('b' * 999999).strip('a' * 999999 + 'b') | length }}"), std::string("0"));
    QCOMPARE(render("{{ ('1_' * 4999999 + '1') | int }}"), std::string("0"));
    QCOMPARE(render("{{ '1_000' | int }} {{ '+1_0' | int }} {{ '1__0' | int }} {{ '_1' | int }} {{ '1_' | int }}"),
             std::string("1000 10 0 0 0"));
  }

  /// Wherever a comparison throws, in sorts by insertion and by merging.
  void values_without_an_order_are_refused_whatever_was_moved_before() {
    for (const int count : {2, 3, 7, 8, 9, 16, 40}) {
      for (int odd = 0; odd < count; ++odd) {
        ordered_json texts = ordered_json::array(), mixed = ordered_json::array(), dict = ordered_json::object();
        for (int i = 0; i < count; ++i) {
          texts.push_back("key " + std::to_string(i * 7 % count));
          mixed.push_back(i == odd ? ordered_json(1) : texts.back());
          dict["key " + std::to_string(i)] = mixed.back();
        }
        const ordered_json values{{"texts", texts}, {"mixed", mixed}, {"dict", dict}};
        for (const char* sorted : {"mixed | sort", "mixed | sort(reverse=true)", "dict | dictsort(by='value')",
                                   "mixed | min", "([1, 2] + texts) | sort"}) {
          const auto sort = [&] { render("{{ " + std::string(sorted) + " }}", values); };
          QCOMPARE(unlike(Fault::BadInput, "have no order", sort), std::string());
        }
        QCOMPARE(render("{{ texts | sort | length }}", values), std::to_string(count));
      }
    }
    QCOMPARE(refused("{{ {1: 1, 'a': 2, 0: 3} | tojson(sort_keys=true) }}", "have no order"), std::string());
  }

  void slices_of_texts_are_those_of_their_characters() {
    const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x8C\x8Dz";
    int empty = 0;
    for (const char* first : {"", "0", "1", "4", "5", "9", "-1", "-5", "-9"})
      for (const char* last : {"", "0", "2", "5", "9", "-1", "-3", "-9"})
        for (const char* step : {"", "1", "2", "3", "9", "-1", "-2", "-3", "-9"}) {
          const std::string slice = "[" + std::string(first) + ":" + last + ":" + step + "]";
          const std::string taken = render("{{ v" + slice + " }}", {{"v", text}});
          QCOMPARE(taken, render("{{ (v | list)" + slice + " | join }}", {{"v", text}}));
          empty += taken.empty() ? 1 : 0;
        }
    QVERIFY(empty > 50 && empty < 500);
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
