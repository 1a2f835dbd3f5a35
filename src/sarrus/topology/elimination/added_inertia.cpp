// Inertia that bodies lack, added and taken out again.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "sarrus/constraints/projector.h"
#include "sarrus/topology/elimination/elimination.h"
#include "sarrus/topology/elimination/small.h"

namespace sarrus {

using small::ix;

namespace {

/// Bodies without inertia about some axis, where what opposes that motion is not in the same part,
/// get this part of a natural one added, which the solution takes out again by iteration.
/// [dca-added-inertia]
constexpr double kAdded = 1e-2;
constexpr int kMostPasses = 30;

/// Calls lend(body, six numbers) where there is something to lend. Elsewhere all that a joint carries is
/// known where it is closed.
template <class Lend>
void visit_lent_inertia(const EliminationPlan& plan, Lend lend) {
  const Model& model = plan.system->model();
  double mass = 0;
  for (const Body& body : model.bodies()) mass = std::max(mass, body.inertia.mass);
  const double length = plan.system->length();
  const auto look_at = [&](int body) {
    const Inertia& inertia = model.bodies()[ix(body)].inertia;
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia.central, Eigen::EigenvaluesOnly);
    const double natural = std::max(inertia.mass * length * length, eigen.eigenvalues()[2]);
    Vec6 lent = Vec6::Zero();
    if (!(inertia.mass > 0)) lent.tail<3>().setConstant(kAdded * mass);
    if (!(eigen.eigenvalues()[0] > 1e-6 * natural))
      lent.head<3>().setConstant(kAdded * (natural > 0 ? natural : mass * length * length));
    if (!lent.isZero(0)) lend(body, lent);
  };
  for (const EliminationPlan::Part& part : plan.parts)
    if (!part.grounded && (part.shows_root || part.tip >= 0)) look_at(part.root);
  for (const EliminationPlan::Step& step : plan.steps)
    if (step.on_path) look_at(step.body);
}

}  // namespace

bool lacks_inertia(const EliminationPlan& plan) {
  bool lacks = false;
  visit_lent_inertia(plan, [&](int, const Vec6&) { lacks = true; });
  return lacks;
}

void Elimination::add_inertia() {
  visit_lent_inertia(*plan_, [&](int body, const Vec6& lent) {
    double* added = &added_[6 * ix(body)];
    if (std::any_of(added, added + 6, [](double x) { return x > 0; })) return;
    std::copy_n(lent.data(), 6, added);
    for (int i = 0; i < 6; ++i)
      if (added[i] > 0) added_at_.emplace_back(body, i);
  });
  has_added_ = !added_at_.empty();
  anderson_.resize(static_cast<Eigen::Index>(added_at_.size()));
}

// M a + … = f is solved as (M + E) a + … = f + E z with z = a: a fixed point over the few
// accelerations z that E acts on, found by Anderson's method, which on a linear problem like this
// one ends after as many passes as there are directions that lack inertia.  [dca-added-inertia]
Status Elimination::take_out_added(std::span<const Vec6> f, const Stop& stop) {
  const auto n = static_cast<Eigen::Index>(added_at_.size());
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
  for (int i = 0; i < most; ++i) {
    if (f.empty())
      for (Vec6& load : loaded_) load.setZero();
    else
      std::copy(f.begin(), f.end(), loaded_.begin());
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto [body, component] = added_at_[static_cast<std::size_t>(k)];
      loaded_[ix(body)][component] += added_[6 * ix(body) + ix(component)] * anderson_.z()[k];
    }
    f_ = loaded_;
    pass(stop);
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto [body, component] = added_at_[static_cast<std::size_t>(k)];
      anderson_.g()[k] = a_[ix(body)][component];
    }
    const double size = std::max(natural, anderson_.g().cwiseAbs().maxCoeff());
    const double change = anderson_.defect().cwiseAbs().maxCoeff();
    if (!(change > 1e-15 * size) || (change > 0.5 * reached && change < 1e-12 * size)) return {};
    reached = std::min(reached, change);
    if (i + 1 == most && reached < 1e-9 * size) return {};
    anderson_.advance();
  }
  if (f.empty()) return {};
  const auto [body, component] = added_at_.front();
  return massless_status(plan_->system->model(), BodyId{body});
}

}  // namespace sarrus
