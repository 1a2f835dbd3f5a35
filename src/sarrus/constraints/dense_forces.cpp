#include "sarrus/constraints/dense_forces.h"

namespace sarrus {

void gather_forces(const ConstraintSystem& system, const Configuration& c, const Loads& loads,
                   VecX& f) {
  const Model& model = system.model();
  f.resize(system.columns());
  for (const BodyId id : system.column_bodies()) {
    const Body& body = model.body(id);
    if (body.modal != nullptr) continue;
    f.segment<6>(system.column(id)) =
        loads.body[id.slot()] -
        gyroscopic_wrench(body.inertia, c.poses[id.slot()].R(), c.velocities[id.slot()].head<3>());
  }
  for (const ConstraintSystem::ModeColumns& own : system.mode_columns()) {
    const Body& body = model.body(own.body);
    const auto i = own.body.slot();
    const double* eta = c.modes.data() + body.first_mode;
    const double* rate = c.mode_rates.data() + body.first_mode;
    const Mat3 R = c.poses[i].R();
    const Vec3 w = c.velocities[i].head<3>();
    f.segment<6>(6 * own.block) = loads.body[i] - body.modal->rigid_bias(eta, rate, w, R);
    f.segment(own.column, body.modal->count()) =
        Eigen::Map<const VecX>(loads.modes.data() + body.first_mode, body.modal->count()) -
        body.modal->modal_bias(eta, rate, w, R);
  }
}

GeometricMetric::GeometricMetric(const ConstraintSystem& system)
    : bodies(system.column_bodies().size(), Mat6::Identity()) {
  for (Mat6& block : bodies) block.topLeftCorner<3, 3>() *= system.length() * system.length();
  for (const ConstraintSystem::ModeColumns& own : system.mode_columns()) {
    const Eigen::Index count = system.model().body(own.body).modal->count();
    const VecX unit = system.column_scale().segment(own.column, count);
    modes.push_back({own.block, own.column, Mat6X::Zero(6, count),
                     unit.cwiseAbs2().cwiseInverse().asDiagonal()});
  }
}

}  // namespace sarrus
