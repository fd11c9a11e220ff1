// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of a model are fetched, and which lists of a hub are refused.
#include "engine/hub/file_choice.h"

#include <QTest>

#include "tests/support/expect_error.h"
#include "tests/support/fake_hub.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

HubModel model_with(std::initializer_list<const char*> paths) {
  HubModel model{{"org/model"}, std::string(40, 'c'), {}};
  for (const char* path : paths) model.files.push_back({path, 1'500'000'000, std::string(40, '0')});
  return model;
}

QStringList chosen(const HubModel& model, const std::vector<std::string>& patterns = {}) {
  QStringList paths;
  for (const HubFile& file : choose_files(model, patterns)) paths += QString::fromStdString(file.path);
  paths.sort();
  return paths;
}

std::string refusal_of(const std::function<void(nlohmann::json& answer)>& change) {
  FakeHub hub;
  hub.files["config.json"] = "{}";
  hub.change_list = change;
  const auto error = error_of([&] { hub_model_from(hub.list(), {"org/model"}); });
  return error && error->fault() == Fault::BadInput ? error->what() : "nothing of the kind";
}

}  // namespace

class FileChoiceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void safetensors_with_what_describes_them() {
    const HubModel model =
        model_with({".gitattributes", "README.md", "config.json", "tokenizer.json", "generation_config.json",
                    "chat_template.jinja", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                    "model.safetensors.index.json", "consolidated.safetensors", "pytorch_model.bin", "onnx/model.onnx",
                    "original/model.safetensors", "training_args.bin"});
    QCOMPARE(chosen(model), QStringList({"chat_template.jinja", "config.json", "generation_config.json",
                                         "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                                         "model.safetensors.index.json", "tokenizer.json"}));
  }
  void the_one_gguf_with_all_its_parts() {
    QCOMPARE(chosen(model_with({"README.md", "config.json", "Q8/m-00001-of-00002.gguf", "Q8/m-00002-of-00002.gguf",
                                "mmproj-m.gguf"})),
             QStringList({"Q8/m-00001-of-00002.gguf", "Q8/m-00002-of-00002.gguf"}));
  }
  void of_several_ggufs_one_has_to_be_chosen() {
    const HubModel model =
        model_with({"m-Q4_K_M.gguf", "m-Q8_0.gguf", "F16/m-00001-of-00002.gguf", "F16/m-00002-of-00002.gguf"});
    for (const char* part : {"1.50 GB  m-Q8_0.gguf", "3.00 GB  F16/m-*.gguf", "carryover fetch org/model --include"})
      QCOMPARE(unlike(Fault::Usage, part, [&] { chosen(model); }), "");
    QCOMPARE(chosen(model, {"*q8_0*", "*Q8_0*"}), QStringList({"m-Q8_0.gguf"}));
    QCOMPARE(chosen(model, {"F16/m-*.gguf"}).size(), 2);
    QCOMPARE(chosen(model, {"*"}).size(), 4);
    QCOMPARE(unlike(Fault::Usage, "matches no file", [&] { chosen(model, {"*Q5*"}); }), "");
  }
  void pickles_never() {
    const HubModel model = model_with({"config.json", "pytorch_model.bin", "weights.pt"});
    QCOMPARE(unlike(Fault::Unsupported, "pytorch_model.bin", [&] { chosen(model); }), "");
    QCOMPARE(unlike(Fault::Unsupported, "weights.pt", [&] { chosen(model, {"*.pt"}); }), "");
    QCOMPARE(chosen(model, {"*"}), QStringList({"config.json"}));
    QCOMPARE(unlike(Fault::Unsupported, "neither safetensors", [] { chosen(model_with({"README.md"})); }), "");
  }

  void lists_are_read() {
    FakeHub hub;
    hub.files = {{"config.json", "{}"}, {"model.safetensors", "weights"}};
    const HubModel model = hub_model_from(hub.list(), {"org/model", "v1"});
    QCOMPARE(model.commit, hub.commit);
    QCOMPARE(model.name.revision, "v1");
    QCOMPARE(model.files.size(), std::size_t{2});
    QCOMPARE(model.files[0].blob, hub.blob("config.json"));
    QCOMPARE(model.files[1].blob, hub.blob("model.safetensors"));
    QCOMPARE(model.files[1].bytes, std::int64_t{7});
  }
  void names_that_lead_out_of_a_folder_are_refused() {
    for (const char* path :
         {"../config.json", "/etc/passwd", "a/../../b", "a//b", ".", "", "a/", "a\\b", "a\nb", "a/./b"}) {
      const std::string refused =
          refusal_of([&](nlohmann::json& answer) { answer["siblings"][0]["rfilename"] = path; });
      QVERIFY2(refused.find("lists a file with the name") != std::string::npos, (refused + path).c_str());
    }
  }
  void hashes_that_are_no_names_of_files_are_refused() {
    for (const char* hash : {"", "../../x", "AA"}) {
      const std::string refused = refusal_of([&](nlohmann::json& answer) { answer["siblings"][0]["blobId"] = hash; });
      QVERIFY2(refused.find("without a size and a hash") != std::string::npos, refused.c_str());
    }
    const std::string commit = refusal_of([](nlohmann::json& answer) { answer["sha"] = "../main"; });
    QVERIFY2(commit.find("no commit") != std::string::npos, commit.c_str());
    const std::string size = refusal_of([](nlohmann::json& answer) { answer["siblings"][0].erase("size"); });
    QVERIFY2(size.find("without a size") != std::string::npos, size.c_str());
    const std::string page = refusal_of([](nlohmann::json& answer) { answer = "<html>"; });
    QVERIFY2(!page.starts_with("nothing"), page.c_str());
  }
};

static const TestFile these_tests{__FILE__, without_application<FileChoiceTest>};
#include "file_choice_test.moc"
