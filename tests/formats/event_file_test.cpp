// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/event_file.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "engine/formats/protobuf_wire.h"
#include "tests/support/expect_error.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::TempDir;
namespace fs = std::filesystem;

namespace {

struct ReadEvent {
  double seconds = 0;
  std::int64_t step = 0;
  std::string version;
  std::vector<std::pair<std::string, float>> scalars;
  bool starts_anew = false;
};

template <typename T>
T take(std::string_view& bytes) {
  T value{};
  if (bytes.size() < sizeof value) throw std::runtime_error("a record is cut short");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

/// Bit by bit, so that it shares nothing with the table.
std::uint32_t slow_masked_crc(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
  }
  return std::rotr(~crc, 15) + 0xA282EAD8u;
}

ReadEvent read_event(std::string_view message) {
  ReadEvent event;
  WireReader reader(message, "event");
  while (const auto field = reader.next()) {
    if (field->number == 1) event.seconds = std::bit_cast<double>(field->value);
    if (field->number == 2) event.step = static_cast<std::int64_t>(field->value);
    if (field->number == 3) event.version = field->bytes;
    if (field->number == 7) event.starts_anew = field->bytes == std::string_view("\x08\x01", 2);
    if (field->number != 5) continue;
    WireReader values(field->bytes, "summary");
    while (const auto value = values.next()) {
      auto& [tag, number] = event.scalars.emplace_back();
      WireReader parts(value->bytes, "value");
      while (const auto part = parts.next()) {
        if (part->number == 1) tag = part->bytes;
        if (part->number == 2) number = std::bit_cast<float>(static_cast<std::uint32_t>(part->value));
      }
    }
  }
  return event;
}

std::vector<ReadEvent> read_events(const fs::path& path) {
  const std::string bytes = test::read_bytes(path);
  std::vector<ReadEvent> events;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view length_bytes = rest.substr(0, 8);
    const auto length = take<std::uint64_t>(rest);
    if (take<std::uint32_t>(rest) != slow_masked_crc(length_bytes)) throw std::runtime_error("the length's checksum");
    const std::string_view message = rest.substr(0, length);
    rest.remove_prefix(std::min<std::size_t>(length, rest.size()));
    if (take<std::uint32_t>(rest) != slow_masked_crc(message)) throw std::runtime_error("the event's checksum");
    events.push_back(read_event(message));
  }
  return events;
}

std::vector<std::string> listing(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return {names.begin(), names.end()};
}

}  // namespace

class EventFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_checksum_is_castagnolis();
  void what_is_written_reads_back();
  void a_second_file_has_a_later_name();
  void a_full_disk_leaves_whole_records();
};

void EventFileTest::the_checksum_is_castagnolis() {
  QCOMPARE(crc32c(""), 0u);
  QCOMPARE(crc32c("123456789"), 0xE3069283u);            // the check value that catalogues give
  QCOMPARE(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  QCOMPARE(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

void EventFileTest::what_is_written_reads_back() {
  const TempDir temp;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::pair<std::int64_t, std::vector<std::pair<std::string, double>>>> written;
  {
    EventFile file(temp.path().string(), 1.7e9 + 0.25);
    for (int i = 0; i < 300; ++i) {
      auto& [step, scalars] = written.emplace_back(static_cast<std::int64_t>(random()) << (i % 20),
                                                   decltype(written)::value_type::second_type{});
      for (unsigned j = random() % 6; j > 0; --j) {
        scalars.emplace_back("tag/" + std::string(random() % 200, 'x'), std::exp(20 * normal(random)));
      }
      if (i == 7) scalars.emplace_back("nan", std::nan(""));
      file.add_scalars(step, 1.7e9 + i, scalars);
      QCOMPARE(read_events(temp.path() / "events.out.tfevents.1700000000.carryover").size(), written.size() + 1);
    }
    file.forget_from(41, 5.5);
  }
  const auto events = read_events(temp.path() / "events.out.tfevents.1700000000.carryover");
  QCOMPARE(events.size(), written.size() + 2);
  QCOMPARE(events.front().version, std::string("brain.Event:2"));
  QCOMPARE(events.front().seconds, 1.7e9 + 0.25);
  QVERIFY(events.back().starts_anew && events.back().step == 41 && events.back().seconds == 5.5);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const ReadEvent& event = events[i + 1];
    QCOMPARE(event.step, written[i].first);
    QCOMPARE(event.seconds, 1.7e9 + static_cast<double>(i));
    QVERIFY(event.version.empty() && !event.starts_anew);
    QCOMPARE(event.scalars.size(), written[i].second.size());
    for (std::size_t j = 0; j < event.scalars.size(); ++j) {
      const auto& [tag, value] = written[i].second[j];
      QCOMPARE(event.scalars[j].first, tag);
      QCOMPARE(std::bit_cast<std::uint32_t>(event.scalars[j].second),
               std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    }
  }
}

void EventFileTest::a_second_file_has_a_later_name() {
  const TempDir temp;
  for (int i = 0; i < 3; ++i) EventFile(temp.path().string(), 1'700'000'000.5).add_scalars(i, 0, {});
  const auto names = listing(temp.path());
  QCOMPARE(names.size(), std::size_t{3});
  for (int i = 0; i < 3; ++i) QCOMPARE(read_events(temp.path() / names[static_cast<std::size_t>(i)])[1].step, i);
}

void EventFileTest::a_full_disk_leaves_whole_records() {
  for (const rlim_t bytes : {0, 10, 40, 100, 333, 1000}) {
    const TempDir temp;
    std::size_t written = 0;
    {
      const test::FileSizeLimit limit(bytes);
      const auto error = test::error_of([&] {
        EventFile file(temp.path().string(), 1);
        for (;; ++written) file.add_scalars(static_cast<std::int64_t>(written), 2, {{"loss", 1.0}});
      });
      QVERIFY(error && error->fault() == Fault::Io && !error->advice().empty());
    }
    const auto names = listing(temp.path());
    QCOMPARE(names.size(), std::size_t{1});
    const auto events = read_events(temp.path() / names.front());
    QCOMPARE(events.size(), bytes < 50 && written == 0 && events.empty() ? std::size_t{0} : written + 1);
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<EventFileTest>};
#include "event_file_test.moc"
