// Inertia that bodies lack, added and taken out again.

#include <algorithm>
#include <limits>

#include "sarrus/constraints/projector.h"
#include "sarrus/elimination/elimination.h"
#include "sarrus/elimination/mat6.h"
#include "sarrus/spatial/dense.h"

namespace sarrus {

namespace {

/// Bodies without inertia about some axis, where what opposes that motion is not in the same part,
/// get this part of a natural one added about it, which the solution takes out again by iteration.
/// [dca-added-inertia]
constexpr double kAdded = 1e-3;
/// Less than this part of a natural one is none.
constexpr double kNone = 1e-6;
constexpr int kMostPasses = 30;

/// Has a body so much inertia about all axes that there is nothing to look for? 4 det / trace² is a lower
/// bound of the smallest moment.
bool is_bulky(const Mat3& central, double natural) {
  const double trace = central.trace();
  return 4 * central.determinant() > 2 * kNone * std::max(natural, trace) * trace * trace;
}

/// Calls visit(AddedInertia) for what there is to add. Elsewhere all that a joint carries is known where it
/// is closed.
template <class Visit>
void visit_added_inertia(const EliminationPlan& plan, Visit visit) {
  const Model& model = plan.system->model();
  double mass = 0;
  for (const Body& body : model.bodies()) mass = std::max(mass, body.inertia.mass);
  const double length = plan.system->length();
  const auto look_at = [&](int body) {
    const Inertia& inertia = model.bodies()[to_index(body)].inertia;
    const double of_mass = inertia.mass * length * length;
    if (inertia.mass > 0 && is_bulky(inertia.central, of_mass)) return;
    const PrincipalAxes axes = principal_axes(inertia.central);
    const double natural = std::max(of_mass, axes.values[2]);
    for (int k = 0; k < 3; ++k)
      if (!(axes.values[k] > kNone * natural))
        visit(AddedInertia{.body = body,
                           .turns = true,
                           .axis = axes.vectors.col(k),
                           .inertia = kAdded * (natural > 0 ? natural : mass * length * length)});
    if (inertia.mass > 0) return;
    for (int k = 0; k < 3; ++k)
      visit(AddedInertia{.body = body, .axis = Vec3::Unit(k), .inertia = kAdded * mass});
  };
  for (const EliminationPlan::Part& part : plan.parts)
    if (!part.grounded && (part.shows_root || part.tip >= 0)) look_at(part.root);
  for (const EliminationPlan::Step& step : plan.steps)
    if (step.on_path) look_at(step.body);
}

}  // namespace

bool lacks_inertia(const EliminationPlan& plan) {
  bool lacks = false;
  visit_added_inertia(plan, [&](const AddedInertia& added) { lacks = lacks || added.inertia > 0; });
  return lacks;
}

void Elimination::add_inertia() {
  const std::size_t bodies = a_.size();
  visit_added_inertia(*plan_, [&](const AddedInertia& added) {
    if (added.inertia > 0) added_.push_back(added);
  });
  if (!added_.empty()) {
    std::ranges::stable_sort(added_, {}, &AddedInertia::body);
    for (std::size_t b = 0, k = 0; b <= bodies; ++b) {
      while (k < added_.size() && to_index(added_[k].body) < b) ++k;
      first_added_.push_back(static_cast<int>(k));
    }
  }
  anderson_.resize(std::ssize(added_));
}

// On a body's inertia in the world.
void Elimination::add_inertia(int body, const Mat3& R, double* I) {
  for (int k = first_added_[to_index(body)]; k < first_added_[to_index(body) + 1]; ++k) {
    AddedInertia& added = added_[to_index(k)];
    const int first = added.turns ? 0 : 3;
    const Vec3 axis = R * added.axis;
    added.direction.segment<3>(first) = axis;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        I[6 * (first + i) + first + j] += added.inertia * axis[i] * axis[j];
  }
}

// M a + … = f is solved as (M + E) a + … = f + E z with z = a: a fixed point over the few
// accelerations z that E acts on, found by Anderson's method, which on a linear problem like this
// one ends after as many passes as there are directions that lack inertia.  [dca-added-inertia]
Status Elimination::take_out_added(std::span<const Vec6> f, const Stop& stop) {
  const std::size_t n = added_.size();
  if (stop.goes_on)
    anderson_.go_on();
  else
    anderson_.start();
  double reached = std::numeric_limits<double>::infinity();
  double natural = stop.natural;
  for (int r = 0; r < plan_->system->rows(); ++r) natural = std::max(natural, std::abs(g_[r]));
  for (std::size_t b = 1; b < f.size(); ++b) {
    const double mass = plan_->system->model().bodies()[b].inertia.mass;
    if (mass > 0) natural = std::max(natural, f[b].tail<3>().norm() / mass);
  }
  // A projection is one whatever the metric, and its corrections may be all rounding.
  const int most = f.empty() ? stop.projection_passes : kMostPasses;
  const double enough = f.empty() ? 1e-12 : 1e-14;
  for (int i = 0; i < most; ++i) {
    if (f.empty())
      for (Vec6& load : loaded_) load.setZero();
    else
      std::copy(f.begin(), f.end(), loaded_.begin());
    for (std::size_t k = 0; k < n; ++k)
      loaded_[to_index(added_[k].body)] +=
          added_[k].inertia * anderson_.z()[static_cast<Eigen::Index>(k)] * added_[k].direction;
    f_ = loaded_;
    pass(stop);
    for (std::size_t k = 0; k < n; ++k)
      anderson_.g()[static_cast<Eigen::Index>(k)] =
          added_[k].direction.dot(a_[to_index(added_[k].body)]);
    const double size = std::max(natural, anderson_.g().cwiseAbs().maxCoeff());
    const double change = anderson_.defect().cwiseAbs().maxCoeff();
    if (!(change > enough * size) || (change > 0.5 * reached && change < 1e-12 * size)) return {};
    reached = std::min(reached, change);
    if (i + 1 == most && reached < 1e-9 * size) return {};
    anderson_.advance();
  }
  if (f.empty()) return {};
  return massless_status(plan_->system->model(), BodyId{added_.front().body});
}

}  // namespace sarrus
