#include "sarrus/model/model_editor.h"

#include <gtest/gtest.h>

#include "sarrus/model/loads.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

TEST(ModelEditor, TellsWhereEverythingWent) {
  const Model model(tests::four_bar());
  const Configuration now = model.reference_configuration();
  const EditedModel edited = edit(model, now, 0.5,
                                  {{CutJoint{"J2"}, {}},
                                   {RemoveBody{"link1", true}, {}},
                                   {AddBody{tests::brick("block", {1, 2, 3})}, {}}});
  EXPECT_FALSE(edited.closes);
  ASSERT_EQ(edited.map.bodies.size(), model.bodies().size());
  for (std::size_t i = 0; i < model.bodies().size(); ++i) {
    const BodyId to = edited.map.bodies[i];
    if (model.bodies()[i].name == "link1")
      EXPECT_FALSE(to.valid());
    else
      EXPECT_EQ(edited.model.body(to).name, model.bodies()[i].name);
  }
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const JointId to = edited.map.joints[j];
    if (to.valid()) {
      EXPECT_EQ(edited.model.joint(to).name, model.joints()[j].name);
    }
  }
  const Configuration carried = transfer(now, edited.map, model, edited.model);
  EXPECT_EQ(carried.poses[edited.model.find_body("link2").slot()].p,
            now.poses[model.find_body("link2").slot()].p);
  EXPECT_EQ(carried.poses[edited.model.find_body("block").slot()].p, Vec3(1, 2, 3));
  EXPECT_EQ(carried.coordinates.size(), static_cast<std::size_t>(edited.model.freedom_count()));
  // The model it was made from is what it was.
  EXPECT_EQ(model.joint_count(), 4);
}

// A joint comes back closed, wherever its bodies are and whatever its type.
TEST(ModelEditor, RestoredJointIsClosedByConstruction) {
  for (const std::string& type : joint_type_names()) {
    SCOPED_TRACE(type);
    Description d;
    d.add_body(tests::brick("a")).add_body(tests::brick("b", {1, 0, 0}));
    JointDescription joint =
        tests::joint("J", *joint_type(type), "a", "b", {0.5, 0, 0}, Vec3(1, 2, 2) / 3);
    if (joint.type == JointType::kHelical) joint.lead = 0.2;
    d.add_joint(joint);
    const Model model(d);
    EditedModel cut = edit(model, model.reference_configuration(), 1, {{CutJoint{"J"}, {}}});
    ASSERT_EQ(cut.model.joint_count(), 0);
    Configuration apart = cut.model.reference_configuration();
    apart.poses[2] = {Quat(0.9, 0.1, -0.2, 0.3).normalized(), Vec3(1.2, -0.3, 0.4)};
    const EditedModel back = edit(cut.model, apart, 2, {{RestoreJoint{"J"}, {}}});
    EXPECT_TRUE(back.closes);
    const Configuration c = back.model.reference_configuration();
    const Joint& restored = back.model.joint(JointId{0});
    for (const Row& row : restored.constraint_rows(view_of(restored, c), c.coordinates.data()))
      EXPECT_NEAR(row.value, 0, 1e-14);
    EXPECT_EQ(restored.X_AF.p, model.joint(JointId{0}).X_AF.p);
    EXPECT_EQ(c.poses[2].p, apart.poses[2].p);
  }
}

TEST(ModelEditor, RefusesWithEveryReason) {
  const Model model(tests::four_bar());
  try {
    edit(model, model.reference_configuration(), 0,
         {{CutJoint{"K"}, {}}, {RemoveBody{"link1"}, {}}, {RemoveForce{"f"}, {}}});
    FAIL();
  } catch (const ModelError& error) {
    ASSERT_EQ(error.diagnostics().size(), 3u);
    EXPECT_NE(error.diagnostics()[1].what.find("joint 'J1', joint 'J2' use it"), std::string::npos)
        << error.diagnostics()[1].what;
  }
}

}  // namespace
}  // namespace sarrus
