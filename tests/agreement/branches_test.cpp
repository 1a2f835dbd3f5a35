// branches against the judge: accelerations, reactions, and what a branch shows at its connections.

#include "sarrus/formulations/branches/branches.h"

#include <fmt/format.h>

#include <Eigen/LU>

#include "agreement/instant.h"
#include "agreement/judged.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/io/load_model.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions any_rigid_system(Random& random) {
  RandomMechanismOptions options;
  options.bodies = 1 + random.below(24);
  options.loops = random.chance(0.7);
  options.redundant = random.chance(0.5);
  options.floating = random.chance(0.3);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  options.mass_ratio = 1e3;
  return options;
}

/// Up to a dozen bodies, some of which bend.
RandomMechanismOptions any_flexible_system(Random& random) {
  RandomMechanismOptions options = any_rigid_system(random);
  options.bodies = 1 + random.below(12);
  options.flexible = true;
  options.mass_ratio = 100;
  return options;
}

/// Cut into so many branches, or at joints of the tree drawn at random; both solutions.
FormulationOptions any_branches(const Instant& at, Random& random) {
  FormulationOptions options{.method = "branches"};
  options.settings.push_back({"connections", random.chance(0.5) ? "sequential" : "simultaneous"});
  if (random.chance(0.4)) {
    options.settings.push_back({"branches", std::to_string(1 + random.below(6))});
    return options;
  }
  const Model& model = at.model();
  const Topology& topology = at.topology();
  std::string cuts;
  for (const BodyId body : topology.order) {
    const BodyId parent = topology.parent[body.slot()];
    const Inertia& inertia = model.body(body).inertia;
    if (parent == kGround || !random.chance(0.3)) continue;
    // The root of a branch needs inertia in every direction.
    if (!(inertia.central.determinant() > 0)) continue;
    cuts += (cuts.empty() ? "" : ",") + model.joint(topology.parent_joint[body.slot()]).name;
  }
  if (!cuts.empty()) options.settings.push_back({"cuts", cuts});
  return options;
}

double difference_of_modes(const Motion& motion, const Motion& expected) {
  double most = 0, size = 1;
  for (std::size_t k = 0; k < expected.mode_accelerations.size(); ++k) {
    size = std::max(size, std::abs(expected.mode_accelerations[k]));
    most = std::max(most, std::abs(motion.mode_accelerations[k] - expected.mode_accelerations[k]));
  }
  return most / size;
}

void expect_as_the_judge_says(const Instant& at, const FormulationOptions& options) {
  // Nine digits of the largest: the poses are conditioned up to 1e4 or so, and masses up to 1e3. One
  // matrix of all unknowns has the condition of the whole, and loses a digit more.
  const double kDigits = options.method == "mass-matrix" ? 1e-8 : 1e-9;
  // As it stands: a projection would move stiff modes by rounding, each method its own way.
  FormulationOptions own = options;
  own.projection = Projection::kOff;
  const Motion expected = at.motion({.method = "reference", .projection = Projection::kOff});
  const Motion motion = at.motion(own);
  EXPECT_LE(difference(motion.accelerations, expected.accelerations, at.model().gravity().norm()),
            kDigits);
  EXPECT_LE(difference_of_modes(motion, expected), kDigits);
  EXPECT_EQ(motion.reaction_is_unique, expected.reaction_is_unique);
  std::vector<Vec6> found, wanted;
  for (std::size_t j = 0; j < expected.reactions.size(); ++j) {
    if (expected.reaction_is_unique[j] == 0) continue;
    found.push_back(motion.reactions[j]);
    wanted.push_back(expected.reactions[j]);
  }
  EXPECT_LE(difference(found, wanted, 1e-3), kDigits);
}

TEST(BranchesAgreement, AccelerationsAndReactionsAreThoseOfTheReference) {
  for_each_seed({.first = 40001, .share = 150, .all = 5000}, [&](std::uint32_t seed) {
    Random random(seed * 2654435761u + 3);
    const Instant at(random_mechanism(seed, any_rigid_system(random)), 0);
    expect_as_the_judge_says(at, any_branches(at, random));
  });
}

TEST(BranchesAgreement, FlexibleBodiesAccelerateAsWithTheReference) {
  for_each_seed({.first = 45001, .share = 100, .all = 5000}, [&](std::uint32_t seed) {
    Random random(seed * 2654435761u + 7);
    const Instant at(random_mechanism(seed, any_flexible_system(random)), 0);
    expect_as_the_judge_says(at, any_branches(at, random));
  });
}

TEST(BranchesAgreement, LightBodiesBetweenLargeForcesKeepTheirDigits) {
  // The hardest of the above: cut at every joint, it kept nine digits while accelerations were found
  // again from the sum of the forces. Uncut it has thirteen.
  constexpr double kDigits = 1e-12;
  constexpr std::uint32_t kHardest = 47915;
  Random random(kHardest * 2654435761u + 7);
  const Instant at(random_mechanism(kHardest, any_flexible_system(random)), 0);
  FormulationOptions cut = any_branches(at, random);
  cut.projection = Projection::kOff;
  const Motion expected = at.motion({.method = "reference", .projection = Projection::kOff});
  EXPECT_LE(
      difference(at.motion(cut).accelerations, expected.accelerations, at.model().gravity().norm()),
      kDigits);
}

TEST(BranchesAgreement, TheMassMatrixAcceleratesAsTheReference) {
  for_each_seed({.first = 47001, .share = 60, .all = 5000}, [&](std::uint32_t seed) {
    Random random(seed * 2654435761u + 9);
    const Instant at(random_mechanism(seed, seed % 2 == 0 ? any_rigid_system(random)
                                                          : any_flexible_system(random)),
                     0);
    expect_as_the_judge_says(at, {.method = "mass-matrix"});
  });
}

/// All of a mechanism, dense: every body free, connections taken away.
struct Dense {
  Dense(const Instant& at, const branches::Plan& plan) : system(at.model()) {
    const Model& model = at.model();
    const Configuration& c = at.now();
    std::vector<char> connects(model.joints().size(), 0);
    for (const branches::Connection& connection : plan.connections())
      connects[connection.joint.slot()] = 1;
    system.evaluate(0, c, values);
    const Eigen::Index columns = system.columns();
    MatX M = MatX::Zero(columns, columns);
    VecX Q = VecX::Zero(columns);
    Loads loads;
    compute_loads(model, 0, c, loads);
    for (std::size_t i = 1; i < c.poses.size(); ++i) {
      const Body& body = model.bodies()[i];
      const Eigen::Index at_body = 6 * (static_cast<Eigen::Index>(i) - 1);
      const Mat3 R = c.poses[i].R();
      const Vec3 w = c.velocities[i].head<3>();
      if (body.modal == nullptr) {
        M.block<6, 6>(at_body, at_body) = body.inertia.matrix(R);
        Q.segment<6>(at_body) = loads.body[i] - gyroscopic_wrench(body.inertia, R, w);
        continue;
      }
      const double* eta = c.modes.data() + body.first_mode;
      const double* rate = c.mode_rates.data() + body.first_mode;
      const Eigen::Index n = body.modal->count();
      const Eigen::Index at_modes = columns - model.mode_count() + body.first_mode;
      M.block<6, 6>(at_body, at_body) = body.modal->rigid_mass(eta, R);
      M.block(at_body, at_modes, 6, n) = body.modal->coupling(eta, R);
      M.block(at_modes, at_body, n, 6) = body.modal->coupling(eta, R).transpose();
      M.block(at_modes, at_modes, n, n) = body.modal->modal_mass();
      Q.segment<6>(at_body) = loads.body[i] - body.modal->rigid_bias(eta, rate, w, R);
      Q.segment(at_modes, n) = Eigen::Map<const VecX>(loads.modes.data() + body.first_mode, n) -
                               body.modal->modal_bias(eta, rate, w, R);
    }
    for (int r = 0; r < system.rows(); ++r)
      (connects[system.origins()[static_cast<std::size_t>(r)].joint.slot()] ? connection_rows
                                                                            : inner_rows)
          .push_back(r);
    const Eigen::Index inner = static_cast<Eigen::Index>(inner_rows.size());
    MatX K = MatX::Zero(columns + inner, columns + inner);
    VecX b(columns + inner);
    K.topLeftCorner(columns, columns) = M;
    b.head(columns) = Q;
    for (Eigen::Index k = 0; k < inner; ++k) {
      const int r = inner_rows[static_cast<std::size_t>(k)];
      K.row(columns + k).head(columns) = values.J.row(r);
      K.col(columns + k).head(columns) = values.J.row(r).transpose();
      b[columns + k] = -values.gamma[r];
    }
    const Eigen::FullPivLU<MatX> factors(K);
    VecX solution = factors.solve(b);
    solution += factors.solve(b - K * solution);
    const Eigen::Index rows = static_cast<Eigen::Index>(connection_rows.size());
    MatX J(rows, columns);
    h.resize(rows);
    for (Eigen::Index k = 0; k < rows; ++k) {
      const int r = connection_rows[static_cast<std::size_t>(k)];
      J.row(k) = values.J.row(r);
      h[k] = J.row(k).dot(solution.head(columns)) + values.gamma[r];
    }
    MatX forces = MatX::Zero(columns + inner, rows);
    forces.topRows(columns) = J.transpose();
    H = J * factors.solve(forces).topRows(columns);
    free = (J * M.llt().solve(J.transpose())).cwiseAbs().maxCoeff();
  }

  ConstraintSystem system;
  ConstraintValues values;
  std::vector<int> inner_rows, connection_rows;
  MatX H;  ///< of all connections' rows, in the model's order of joints
  VecX h;
  double free = 0;  ///< the largest response if no joint held the bodies
};

void expect_response_as_dense(const Instant& at, const FormulationOptions& options) {
  const auto method = at.under(options);
  const auto& subject = dynamic_cast<const Branches&>(*method);
  const branches::Plan& plan = subject.plan();
  const Dense dense(at, plan);
  const auto workspace = method->make_workspace();
  const MovingState state = at.state_of(*method);
  // Where the model's order of rows has those of a connection.
  std::vector<int> place(static_cast<std::size_t>(plan.row_count()), -1);
  for (const branches::Connection& connection : plan.connections()) {
    int r = connection.first_row;
    for (std::size_t k = 0; k < dense.connection_rows.size(); ++k) {
      const auto row = static_cast<std::size_t>(dense.connection_rows[k]);
      if (dense.system.origins()[row].joint == connection.joint)
        place[static_cast<std::size_t>(r++)] = static_cast<int>(k);
    }
  }
  MatX H = MatX::Zero(dense.H.rows(), dense.H.cols());
  VecX h = VecX::Zero(dense.h.size());
  for (std::size_t b = 0; b < plan.branches().size(); ++b) {
    MatX H_b;
    VecX h_b;
    subject.response_of(static_cast<int>(b), 0, state.x, state.discrete, *workspace, H_b, h_b);
    const std::vector<int>& rows = plan.branches()[b].rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int r = place[static_cast<std::size_t>(rows[i])];
      h[r] += h_b[static_cast<Eigen::Index>(i)];
      for (std::size_t j = 0; j < rows.size(); ++j)
        H(r, place[static_cast<std::size_t>(rows[j])]) +=
            H_b(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  constexpr double kDigits = 1e-9;
  constexpr double kRounding = 1e-13;  // where the joints leave no response at all
  EXPECT_LE((H - dense.H).cwiseAbs().maxCoeff(),
            kDigits * dense.H.cwiseAbs().maxCoeff() + kRounding * dense.free);
  EXPECT_LE((h - dense.h).cwiseAbs().maxCoeff(), kDigits * (1 + dense.h.cwiseAbs().maxCoeff()));
}

TEST(BranchesAgreement, WhatTheBranchesShowIsWhatADenseSystemShows) {
  for_each_seed({.first = 50001, .share = 60, .all = 5000}, [&](std::uint32_t seed) {
    Random random(seed * 2654435761u + 5);
    RandomMechanismOptions options =
        seed % 2 == 0 ? any_rigid_system(random) : any_flexible_system(random);
    options.bodies = 2 + random.below(10);
    const Instant at(random_mechanism(seed, options), 0);
    const FormulationOptions cut = any_branches(at, random);
    if (dynamic_cast<const Branches&>(*at.under(cut)).plan().row_count() > 0)
      expect_response_as_dense(at, cut);
  });
}

TEST(BranchesAgreement, BitsDoNotDependOnTheNumberOfThreads) {
  struct Case {
    const char* name;
    Overrides overrides;
    const char* branches;
  };
  for (const Case& one : {Case{"chain", {{"links", "400"}, {"joints", "mixed"}}, "24"},
                          Case{"tree", {{"depth", "7"}}, "16"},
                          Case{"n-four-bar", {{"loops", "12"}}, "8"}, Case{"mmsev", {}, "5"}}) {
    const Instant at(load_model(one.name, one.overrides), 3, "branches");
    for (const char* connections : {"simultaneous", "sequential"}) {
      SCOPED_TRACE(fmt::format("{} {}", one.name, connections));
      expect_same_bits([&](int threads) {
        // Every leaf by itself, so that the work really is divided.
        const auto method = at.under(
            {.method = "branches",
             .settings = {{"connections", connections}, {"branches", one.branches}, {"grain", "0"}},
             .threads = threads});
        const auto workspace = method->make_workspace();
        MovingState state = at.state_of(*method);
        std::vector<double> rates(static_cast<std::size_t>(method->layout().tangent_size()));
        EXPECT_TRUE(method->rates(0, state.x, state.discrete, *workspace, rates).ok());
        // A projection, too: of a state that is off.
        for (double& number : state.x) number += 1e-7;
        EXPECT_TRUE(method->after_step(0, state.x, state.discrete, *workspace).status.ok());
        rates.insert(rates.end(), state.x.begin(), state.x.end());
        return rates;
      });
    }
  }
}

}  // namespace
}  // namespace sarrus::testing
