// SPDX-License-Identifier: GPL-3.0-or-later
// The source of a model's chat template, and conversations in templates that are written as those of the common
// families are: families/recorded.json has what jinja2 renders (tests/compat/templates.py --record).
#include "engine/templates/chat_template.h"

#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/make_gguf.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const fs::path kFamilies = fs::path(CARRYOVER_SOURCE_DIR) / "tests/templates/families";

ordered_json recorded() {
  return ordered_json::parse(read_bytes(kFamilies / "recorded.json"));
}

ordered_json extra_of(const ordered_json& all, const ordered_json& one_case) {
  ordered_json extra = one_case.at("extra");
  extra["strftime_now"] = all.at("now");
  return extra;
}

const ordered_json kHello = {{{"role", "user"}, {"content", "Hi."}}};

std::string hello(const std::string& path) {
  const auto chat = ChatTemplate::load(path);
  return chat ? chat->render(kHello, true) : "none";
}

}  // namespace

class ChatTemplateTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void families_render_as_in_jinja2() {
    const ordered_json all = recorded();
    int equal = 0, refused = 0;
    for (const auto& [family, renderings] : all.at("rendered").items()) {
      const ChatTemplate chat(read_bytes(kFamilies / (family + ".jinja")), family, all.at("specials"));
      for (std::size_t i = 0; i < renderings.size(); ++i) {
        const ordered_json& one_case = all.at("cases").at(i);
        const auto render = [&] {
          return chat.render(one_case.at("messages"), one_case.at("prompt").get<bool>(), extra_of(all, one_case));
        };
        const std::string label = family + ", " + one_case.at("name").get<std::string>();
        if (renderings[i].is_null()) {
          QVERIFY2(error_of(render), label.c_str());
          ++refused;
        } else {
          QCOMPARE(QString::fromStdString(label + ": " + render()),
                   QString::fromStdString(label + ": " + renderings[i].get<std::string>()));
          ++equal;
        }
      }
    }
    QVERIFY(all.at("rendered").size() == 8 && equal > 150 && refused > 10);
  }

  void takes_a_folder_s_template() {
    const TempDir folder;
    const std::string path = folder.path().string();
    QVERIFY(!ChatTemplate::load(path));
    write_bytes(folder.file("tokenizer_config.json"), R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}})");
    QVERIFY(!ChatTemplate::load(path));
    write_bytes(folder.file("tokenizer_config.json"),
                R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": null,
                    "chat_template": "{{ bos_token ~ messages[0].content ~ eos_token ~ (pad_token is defined) }}"})");
    QCOMPARE(hello(path), std::string("<s>Hi.</s>False"));
    write_bytes(folder.file("special_tokens_map.json"),
                R"({"bos_token": "<other>", "pad_token": {"content": "<pad>"}})");
    QCOMPARE(hello(path), std::string("<s>Hi.</s>True"));
    write_bytes(folder.file("chat_template.jinja"), "{{ bos_token }}{{ pad_token }}{{ messages | length }}\n");
    QCOMPARE(hello(path), std::string("<s><pad>1"));
    QCOMPARE(ChatTemplate::load(path)->text(), std::string("{{ bos_token }}{{ pad_token }}{{ messages | length }}\n"));
  }

  void takes_the_default_of_named_templates() {
    const TempDir folder;
    const auto named = [&](const std::string& list) {
      write_bytes(folder.file("tokenizer_config.json"), R"({"chat_template": )" + list + "}");
      return folder.path().string();
    };
    QCOMPARE(hello(named(R"([{"name": "tool_use", "template": "a"}, {"name": "default", "template": "b"}])")),
             std::string("b"));
    QVERIFY(!ChatTemplate::load(named(R"([{"name": "tool_use", "template": "a"}])")));
    QVERIFY(!ChatTemplate::load(named("null")));
    for (const char* list : {"5", "{}", "[5]", R"([{"name": "default"}])", R"([{"name": "default", "template": 5}])"}) {
      QCOMPARE(unlike(Fault::BadInput, "chat_template", [&] { ChatTemplate::load(named(list)); }), std::string());
    }
  }

  void takes_a_gguf_s_template() {
    const TempDir folder;
    const auto write = [&](const std::string& source, std::uint32_t bos) {
      GgufWriter file;
      file.add_strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>"});
      file.add_int("tokenizer.ggml.bos_token_id", bos);
      file.add_int("tokenizer.ggml.eos_token_id", 2);
      if (!source.empty()) file.add_string("tokenizer.chat_template", source);
      write_bytes(folder.file("model.gguf"), file.bytes());
      return folder.file("model.gguf");
    };
    QVERIFY(!ChatTemplate::load(write("", 1)));
    const std::string source = "{{ bos_token }}{{ messages[0].role }}{{ eos_token }}{{ add_generation_prompt }}";
    QCOMPARE(hello(write(source, 1)), std::string("<s>user</s>True"));
    QCOMPARE(hello(write(source, 99)), std::string("user</s>True"));
    QCOMPARE(unlike(Fault::BadInput, "model.gguf: tokenizer.chat_template:2", [&] { hello(write("\n{{", 1)); }),
             std::string());
  }

  void passes_values_on() {
    const ChatTemplate chat("{{ a }}{{ bos_token }}{{ tools is none }}{{ documents is none }}", "t",
                            {{"bos_token", "<s>"}});
    QCOMPARE(chat.render(kHello, false), std::string("<s>TrueTrue"));
    QCOMPARE(chat.render(kHello, false, {{"a", 1}, {"bos_token", ""}, {"tools", ordered_json::array()}}),
             std::string("1FalseTrue"));
    const nlohmann::json plain = nlohmann::json::array();  // which most callers have
    QCOMPARE(chat.render(plain, false, nlohmann::json{{"a", 2}}), std::string("2<s>TrueTrue"));
    QVERIFY(error_of([&] { chat.render(kHello, false, ordered_json::array()); }));
  }

  void long_conversations_are_within_the_limits() {
    const ChatTemplate chat(read_bytes(kFamilies / "qwen.jinja"), "qwen", ordered_json::object());
    ordered_json messages = ordered_json::array();
    for (int i = 0; i < 1000; ++i) {
      messages.push_back({{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", std::string(2000, 'a')}});
    }
    QVERIFY(chat.render(messages, true).size() > 2'000'000);
    const ordered_json one = {{{"role", "user"}, {"content", std::string(8 << 20, 'a')}}};
    QVERIFY(chat.render(one, true).size() > std::size_t{8} << 20);
  }

  void damaged_templates_throw_or_render() {
    const ordered_json all = recorded();
    int rendered = 0, refused = 0;
    for (const auto& [family, renderings] : all.at("rendered").items()) {
      const std::string source = read_bytes(kFamilies / (family + ".jinja"));
      Mutator mutator(source, source.size(), 7);
      for (std::size_t i = 0; i < 250; ++i) {
        const ordered_json& one_case = all.at("cases").at(i % renderings.size());
        try {
          const ChatTemplate chat(mutator.next(), family, all.at("specials"));
          chat.render(one_case.at("messages"), true, extra_of(all, one_case));
          ++rendered;
        } catch (const EngineError& error) {
          QVERIFY2(error.fault() != Fault::Internal, error.what());
          ++refused;
        }
      }
    }
    QVERIFY(rendered > 100 && refused > 100);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ChatTemplateTest>};
#include "chat_template_test.moc"
