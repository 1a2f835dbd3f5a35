#include "sarrus/formulations/modular/box_steps.h"

#include <algorithm>
#include <cmath>

#include "sarrus/spatial/rotation.h"

namespace sarrus::modular {
namespace {

/// Of a velocity of one, or of the box's own where that is larger: far above rounding, far below what
/// would bend the response.
constexpr double kProbe = 1e-6;
/// Of the largest admittance of a box.
constexpr double kHeld = 1e-9;

std::size_t place_of(int index) { return static_cast<std::size_t>(index); }
std::span<double> span_of(VecX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
std::span<const double> span_of(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

BoxSteps::BoxSteps(const Model& model, const Box& box, std::unique_ptr<Subsystem> inside,
                   SomeForces forces, const Gains& gains)
    : model_(&model),
      box_(&box),
      body_(model.bodies()[place_of(box.bodies.front())].inertia),
      forces_(std::move(forces)),
      gains_(gains) {
  const auto size = 6 * static_cast<Eigen::Index>(box.bodies.size());
  if (inside) anchor_.inside = inside->clone();
  moving_.inside = std::move(inside);
  for (Evaluation* at : {&anchor_, &moving_}) {
    at->response.free = VecX::Zero(size);
    at->response.W = MatX::Zero(size, size);
  }
  a_ = next_a_ = VecX::Zero(size);
  const int count = moving_.inside ? moving_.inside->own_coordinates() : 0;
  q_ = v_ = own_ = next_own_ = step_v_ = start_q_ = start_v_ = VecX::Zero(count);
  start_poses_.resize(box.bodies.size());
  start_velocities_.resize(box.bodies.size());
  step_velocities_.resize(box.bodies.size());
}

Status BoxSteps::evaluate(Evaluation& at, double t, const Configuration& c, const VecX& q,
                          const VecX& v, Loads& loads) const {
  loads.supplied_power = 0;
  for (const int i : box_->bodies) {
    const Inertia& inertia = model_->bodies()[place_of(i)].inertia;
    const Vec3 weight = inertia.mass * model_->gravity();
    loads.body[place_of(i)] =
        spatial((c.poses[place_of(i)].q * inertia.center).cross(weight), weight);
  }
  add_loads(*model_, forces_, t, c, loads);
  at.power = loads.supplied_power;
  if (at.inside)
    return at.inside->respond({.time = t,
                               .configuration = c,
                               .loads = loads,
                               .k_p = gains_.position,
                               .k_v = gains_.velocity,
                               .positions = span_of(q),
                               .velocities = span_of(v)},
                              at.response);
  const std::size_t i = place_of(box_->bodies.front());
  const Mat3 R = c.poses[i].R();
  Mat6 W;
  body_.turned(R, W);
  at.response.W = W;
  at.response.free.noalias() =
      W * (loads.body[i] -
           gyroscopic_wrench(model_->bodies()[i].inertia, R, c.velocities[i].head<3>()));
  return {};
}

// Accelerations under w where it looked last; returns the power that goes in.
double BoxSteps::accelerate(Evaluation& at, const VecX& w, VecX& a, VecX& own) const {
  a.noalias() = at.response.free + at.response.W * w;
  if (!at.inside) return at.power;
  if (own.size() > 0) at.inside->accelerate(w, span_of(own));
  return at.power + at.inside->supplied_power(w);
}

void BoxSteps::place(Configuration& c) const {
  if (q_.size() > 0) moving_.inside->place(span_of(q_), span_of(v_), c);
}

Status BoxSteps::stand(double t, Configuration& c, std::span<const double> positions,
                       std::span<const double> velocities, Loads& loads) {
  start_ = t;
  std::ranges::copy(positions, start_q_.data());
  std::ranges::copy(velocities, start_v_.data());
  q_ = start_q_;
  v_ = start_v_;
  place(c);
  for (std::size_t i = 0; i < box_->bodies.size(); ++i) {
    start_poses_[i] = c.poses[place_of(box_->bodies[i])];
    start_velocities_[i] = c.velocities[place_of(box_->bodies[i])];
  }
  return evaluate(anchor_, t, c, start_q_, start_v_, loads);
}

// [multirate-box]
Status BoxSteps::go(double end, double before_end, const VecX& w, Configuration& c, Loads& loads) {
  const int n = box_->steps;
  const double h = (end - start_) / n;
  for (std::size_t i = 0; i < box_->bodies.size(); ++i) {
    c.poses[place_of(box_->bodies[i])] = start_poses_[i];
    c.velocities[place_of(box_->bodies[i])] = start_velocities_[i];
  }
  q_ = start_q_;
  v_ = start_v_;
  supplied_ = 0;
  double power = accelerate(anchor_, w, a_, own_);
  for (int s = 1; s <= n; ++s) {
    for (std::size_t i = 0; i < box_->bodies.size(); ++i) {
      Transform& pose = c.poses[place_of(box_->bodies[i])];
      Vec6& V = c.velocities[place_of(box_->bodies[i])];
      const Vec6 a = a_.segment<6>(6 * static_cast<Eigen::Index>(i));
      const Vec6 way = h * V + 0.5 * h * h * a;
      pose.q = (exp_rotation(way.head<3>()) * pose.q).normalized();
      pose.p += way.tail<3>();
      step_velocities_[i] = V;
      V += h * a;
    }
    q_ += h * v_ + 0.5 * h * h * own_;
    step_v_ = v_;
    v_ += h * own_;
    place(c);
    const double t = s == n ? before_end : start_ + s * h;
    if (Status status = evaluate(moving_, t, c, q_, v_, loads); !status.ok()) return status;
    const double next_power = accelerate(moving_, w, next_a_, next_own_);
    for (std::size_t i = 0; i < box_->bodies.size(); ++i) {
      const auto at = 6 * static_cast<Eigen::Index>(i);
      c.velocities[place_of(box_->bodies[i])] =
          step_velocities_[i] + 0.5 * h * (a_.segment<6>(at) + next_a_.segment<6>(at));
    }
    v_ = step_v_ + 0.5 * h * (own_ + next_own_);
    place(c);
    supplied_ += 0.5 * h * (power + next_power);
    power = next_power;
    a_.swap(next_a_);
    own_.swap(next_own_);
  }
  bool finite = q_.allFinite() && v_.allFinite();
  for (const int i : box_->bodies)
    finite = finite && c.poses[place_of(i)].p.allFinite() && c.velocities[place_of(i)].allFinite();
  if (finite) return {};
  return {Status::Code::kNotFinite,
          "the steps of the subsystem with body '" +
              model_->bodies()[place_of(box_->bodies.front())].name +
              "' grow past all bounds: it needs more of them, or a shorter --step"};
}

Status BoxSteps::probe(double end, double before_end, double weight, const VecX& w,
                       Configuration& c, Loads& loads, MatX& response) {
  const auto size = a_.size();
  response.setZero(size, size);
  if (Status status = go(end, before_end, w, c, loads); !status.ok()) return status;
  std::vector<Transform> poses;
  std::vector<Vec6> velocities;
  double speed = 1;
  for (const int i : box_->bodies) {
    poses.push_back(c.poses[place_of(i)]);
    velocities.push_back(c.velocities[place_of(i)]);
    speed = std::max(speed, velocities.back().cwiseAbs().maxCoeff());
  }
  const double h = end - start_;
  // What moves no more than rounding says is held; turning and moving have units of their own.
  double least[2] = {0, 0};
  for (Eigen::Index j = 0; j < size; ++j) {
    double& of_its_kind = least[j % 6 < 3 ? 0 : 1];
    of_its_kind = std::max(of_its_kind, kHeld * admittance()(j, j));
  }
  VecX probed = w;
  for (Eigen::Index j = 0; j < size; ++j) {
    if (!(admittance()(j, j) > least[j % 6 < 3 ? 0 : 1])) continue;
    const double force = kProbe * speed / (h * admittance()(j, j));
    probed[j] = w[j] + force;
    if (Status status = go(end, before_end, probed, c, loads); !status.ok()) return status;
    probed[j] = w[j];
    for (std::size_t i = 0; i < box_->bodies.size(); ++i) {
      const Transform& pose = c.poses[place_of(box_->bodies[i])];
      const Vec6 way = spatial(log_rotation(pose.q * poses[i].q.conjugate()), pose.p - poses[i].p);
      const Vec6 gained = c.velocities[place_of(box_->bodies[i])] - velocities[i];
      response.col(j).segment<6>(6 * static_cast<Eigen::Index>(i)) =
          (gained + weight / h * way) / force;
    }
  }
  response = 0.5 * (response + response.transpose()).eval();
  return {};
}

}  // namespace sarrus::modular
