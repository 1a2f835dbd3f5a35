#include "sarrus/io/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sarrus/io/report/base64.h"
#include "sarrus/io/report/scene.h"

namespace sarrus {
namespace {

std::string encoded(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

TEST(Base64, FollowsTheStandard) {
  // RFC 4648, section 10.
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xff\xfe"), "//4=");
}

// Every number of an instant is its time.
void record(Recording& recording, const ResultsLayout& layout, int instants) {
  std::vector<double> numbers(layout.size);
  for (int i = 0; i < instants; ++i) {
    numbers.assign(layout.size, i);
    recording.add(i, numbers);
  }
}

TEST(Recording, KeepsAllThatFits) {
  const ResultsLayout layout = make_results_layout({"a"}, {{"A", JointType::kRevolute}});
  Recording recording(layout);
  record(recording, layout, 500);
  EXPECT_EQ(recording.samples(), 500);
  EXPECT_EQ(recording.stride(), 1);
  EXPECT_EQ(recording.series().size(), layout.size);
  EXPECT_EQ(recording.values(7), recording.times());
  EXPECT_EQ(recording.poses().size(), 500 * 7);
  EXPECT_THAT(recording.left_out(), ::testing::IsEmpty());
}

TEST(Recording, ThinsEvenlyWhenItIsFull) {
  const ResultsLayout layout = make_results_layout({"a"}, {});
  const std::size_t bytes = 8 * (1 + layout.size) + 4 * 7;
  Recording recording(layout, {.budget = 1000 * bytes});
  record(recording, layout, 5000);
  EXPECT_EQ(recording.stride(), 8);
  ASSERT_EQ(recording.samples(), 625);
  for (std::size_t i = 0; i < recording.samples(); ++i) {
    EXPECT_EQ(recording.times()[i], 8.0 * static_cast<double>(i));
    EXPECT_EQ(recording.poses()[7 * i + 6], static_cast<float>(8 * i));
  }
  EXPECT_EQ(recording.values(0), recording.times());
}

TEST(Recording, TheLastSampleIsThereHoweverMuchIsThinned) {
  const ResultsLayout layout = make_results_layout({"a"}, {});
  const std::size_t bytes = 8 * (1 + layout.size) + 4 * 7;
  for (const int count : {1, 2, 1000, 1001, 1002, 5000, 5001, 5003}) {
    Recording recording(layout, {.budget = 1000 * bytes});
    record(recording, layout, count);
    recording.finish();
    recording.finish();  // once is enough
    EXPECT_EQ(recording.times().front(), 0);
    EXPECT_EQ(recording.times().back(), count - 1);
    EXPECT_EQ(recording.values(0), recording.times());
    EXPECT_EQ(recording.poses().size(), 7 * recording.samples());
    EXPECT_LE(recording.samples(), 1001U);
  }
}

TEST(Recording, OfManyBodiesKeepsSamplesRatherThanCurves) {
  std::vector<std::string> bodies;
  std::vector<JointOutline> joints;
  for (int i = 0; i < 100; ++i) {
    bodies.push_back("b" + std::to_string(i));
    joints.push_back({"j" + std::to_string(i), JointType::kRevolute});
  }
  const ResultsLayout layout = make_results_layout(bodies, joints);
  EXPECT_THAT(Recording(layout, {.budget = 32 << 20}).left_out(), ::testing::IsEmpty());
  EXPECT_THAT(Recording(layout, {.budget = 12 << 20}).left_out(), ::testing::ElementsAre("bodies"));
  const Recording few(layout, {.budget = 12 << 20, .samples = 400});
  EXPECT_THAT(few.left_out(), ::testing::IsEmpty());
  const Recording least(layout, {.budget = 1 << 20});
  EXPECT_THAT(least.left_out(), ::testing::ElementsAre("bodies", "reactions", "joints"));
  EXPECT_EQ(least.series().size(), 7);
}

TEST(Page, HasOnePlaceForItsData) {
  const std::string_view page = report_page();
  const std::size_t mark = page.find(kReportMark);
  ASSERT_NE(mark, std::string_view::npos);
  EXPECT_EQ(page.find(kReportMark, mark + 1), std::string_view::npos);
  EXPECT_TRUE(page.starts_with("<!"));
}

TEST(Scene, OutlineGivesTheLayoutBack) {
  Description d;
  d.add_body({.name = "a", .mass = 1, .inertia = Mat3::Identity()});
  d.add_body({.name = "b", .mass = 1, .inertia = Mat3::Identity()});
  d.add_joint({.name = "A", .type = JointType::kPlanar, .body_b = "a"});
  d.add_joint({.name = "B", .type = JointType::kFree, .body_a = "a", .body_b = "b"});
  d.name = "two";
  const Model model(d);
  const SceneOutline outline = read_scene(scene_json(model, model.reference_configuration()));
  const ResultsLayout layout = make_results_layout(model);
  EXPECT_EQ(outline.title, "two");
  EXPECT_EQ(outline.layout.size, layout.size);
  for (std::size_t i = 0; i < layout.tables.size(); ++i)
    EXPECT_EQ(outline.layout.tables[i].rows.size(), layout.tables[i].rows.size());
  EXPECT_THROW(read_scene("{}"), UsageError);
  EXPECT_THROW(read_scene("[1, 2"), UsageError);
}

}  // namespace
}  // namespace sarrus
