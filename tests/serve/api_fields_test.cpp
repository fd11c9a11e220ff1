// SPDX-License-Identifier: GPL-3.0-or-later
// Each field of a request has an effect, has none to have, or is refused by name; the guides say the same.
#include "app/serve/api_fields.h"

#include <QFile>
#include <QTest>
#include <map>

#include "app/serve/api_error.h"
#include "app/serve/chat.h"
#include "app/serve/completions.h"
#include "app/serve/plain_generate.h"
#include "app/serve/tokenizing.h"
#include "tests/support/fake_serving_engine.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

struct EndpointRow {
  Endpoint endpoint;
  const char* path;
  json body;  ///< the least that it takes
};

const std::vector<EndpointRow>& endpoints() {
  static const std::vector<EndpointRow> rows{
      {kCompletions, "`completions`", {{"prompt", "x"}, {"stream", true}}},
      {kChat, "`chat/completions`", {{"messages", {{{"role", "user"}, {"content", "x"}}}}, {"stream", true}}},
      {kGenerate, "`generate`", {{"prompt", "x"}}},
      {kTokenize, "`tokenize`", {{"prompt", "x"}}},
      {kDetokenize, "`detokenize`", {{"tokens", {97}}}},
      {kStates, "`states`", {{"name", "x"}, {"prompt", "x"}}}};
  return rows;
}

void read(Endpoint endpoint, const json& body) {
  static const ServedModel served = tiny_served_model();
  static const StateStore states{"."};
  const std::string text = body.dump();
  switch (endpoint) {
    case kCompletions:
      return static_cast<void>(parse_completion(text, served, states));
    case kChat:
      return static_cast<void>(parse_chat(text, served));
    case kGenerate:
      return static_cast<void>(parse_plain(text, served));
    case kTokenize:
      return static_cast<void>(tokenize(text, served));
    case kDetokenize:
      return static_cast<void>(detokenize(text, served));
    case kStates:
      return static_cast<void>(parse_state(text, served, states));
  }
}

/// The field that a body is refused for; "accepted" where it is not.
std::string refused_field(const EndpointRow& row, const char* name, const json& value) {
  json body = row.body;
  body[name] = value;
  try {
    read(row.endpoint, body);
  } catch (const ApiError& error) {
    return error.status() == 400 ? error.param() : std::to_string(error.status());
  }
  return "accepted";
}

const json kWrong{{"neither", json::array({{{"a", "number"}}, "nor a text"})}};  // of any field

struct Words {
  const char *path, *head, *applied, *accepted, *refused, *refused_but;
};
constexpr Words kEnglish{"docs/guide.md", "| field | where | |\n|---|---|---|\n",
                         "implemented",   "accepted, no effect",
                         "refused",       "refused, except "};
constexpr Words kGerman{"docs/guide.de.md", "| Feld | wo | |\n|---|---|---|\n",
                        "wird befolgt",     "angenommen, ohne Wirkung",
                        "abgelehnt",        "abgelehnt, außer "};

QString table(const Words& words) {
  std::string text = words.head;
  for (const ApiField& field : api_fields()) {
    text += std::string("| `") + field.name + "` | ";
    std::string where;
    for (const EndpointRow& row : endpoints())
      if ((field.endpoints & row.endpoint) != 0) where += (where.empty() ? "" : ", ") + std::string(row.path);
    std::string neutral;
    for (const json& value : json::parse(field.neutral))
      neutral += (neutral.empty() ? "`" : ", `") + value.dump() + "`";
    const std::string use = field.use == FieldUse::Applied    ? words.applied
                            : field.use == FieldUse::Accepted ? words.accepted
                            : neutral.empty()                 ? words.refused
                                                              : words.refused_but + neutral;
    text += where + " | " + use + " |\n";
  }
  return QString::fromStdString(text);
}

}  // namespace

class ApiFieldsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_field_does_what_the_table_says() {
    int applied = 0, accepted = 0, refused = 0;
    for (const EndpointRow& row : endpoints()) {
      for (const ApiField& field : api_fields()) {
        if ((field.endpoints & row.endpoint) == 0) continue;
        const QByteArray what = QByteArray(row.path) + " " + field.name;
        const std::string wrong = refused_field(row, field.name, kWrong);
        if (field.use != FieldUse::Accepted && std::string(field.name) != "chat_template_kwargs" &&
            std::string(field.name) != "stream_options")
          QVERIFY2(wrong == field.name, what + ": " + QByteArray::fromStdString(wrong));
        if (field.use == FieldUse::Accepted) QVERIFY2(wrong == "accepted", what);
        for (const json& value : json::parse(field.neutral))
          QVERIFY2(refused_field(row, field.name, value) == "accepted", what + " " + value.dump().c_str());
        if (!row.body.contains(field.name))
          QVERIFY2(refused_field(row, field.name, nullptr) == "accepted", what + " null");
        (field.use == FieldUse::Applied ? applied : field.use == FieldUse::Accepted ? accepted : refused)++;
      }
      QCOMPARE(refused_field(row, "no_such_field", 0), std::string("no_such_field"));
      QCOMPARE(refused_field(row, "no_such_field", nullptr), std::string("accepted"));
      QCOMPARE(refused_field(row, "max_token", 5), std::string("max_token"));
    }
    QVERIFY(applied > 50 && accepted > 10 && refused > 60);
  }

  void no_endpoint_has_a_name_twice() {
    std::map<std::string, unsigned> known;
    for (const ApiField& field : api_fields()) {
      QVERIFY2((known[field.name] & field.endpoints) == 0, field.name);
      known[field.name] |= field.endpoints;
      QVERIFY(field.endpoints != 0 && json::parse(field.neutral).is_array());
    }
  }

  /// If they differ, CARRYOVER_WRITE_DOCS=1 ctest -R serve/api_fields writes them again.
  void the_guides_have_the_table() {
    for (const Words& words : {kEnglish, kGerman}) {
      QFile file(QStringLiteral(CARRYOVER_SOURCE_DIR "/") + words.path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      QString text = QString::fromUtf8(file.readAll());
      file.close();
      const QString begin = "<!-- fields of requests: begin -->\n", end = "<!-- fields of requests: end -->\n";
      const qsizetype first = text.indexOf(begin) + begin.size(), last = text.indexOf(end);
      QVERIFY2(text.contains(begin) && last >= first, "there is no place for the fields");
      const QString found = text.mid(first, last - first), wanted = table(words);
      if (found != wanted && qEnvironmentVariableIntValue("CARRYOVER_WRITE_DOCS") == 1) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.replace(first, last - first, wanted).toUtf8());
        continue;
      }
      QCOMPARE(found, wanted);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ApiFieldsTest>};
#include "api_fields_test.moc"
