#include "sarrus/testing/extended_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sarrus/model/typical_length.h"

namespace sarrus::testing {
namespace {

constexpr int kSize = 13;  // numbers a body in the state
constexpr int kWays = 6;   // that a body can move

constexpr int kColumns = 8;  // of the extrapolation: order 16
constexpr int kMostCorrections = 8;

// Of a way: no shorter parts.
constexpr long double kShortestPart = 1.0L / 64;

// Ways in real time [s], and how far beside it to go around.
constexpr long double kWay = 0.1L;

using Complex = std::complex<long double>;

std::size_t of(Eigen::Index i) { return static_cast<std::size_t>(i); }

// Products without conjugation, so that everything is an analytic function of the state.
Eigen::Matrix<Complex, 4, 1> numbers_of(const Quat& q) {
  return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()).cast<Complex>();
}

template <class A, class B>
Complex dot(const A& a, const B& b) {
  return (a.transpose() * b).value();
}

template <class A, class B>
Eigen::Matrix<Complex, 3, 1> cross(const A& a, const B& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Eigen::Matrix<Complex, 3, 3> rotation_of(const Eigen::Matrix<Complex, 4, 1>& q) {
  Eigen::Matrix<Complex, 3, 3> K;
  const Complex zero = 0;
  K << zero, -q[3], q[2], q[3], zero, -q[1], -q[2], q[1], zero;
  const Complex twice = Complex(2) / dot(q, q);
  return Eigen::Matrix<Complex, 3, 3>::Identity() + twice * (q[0] * K + K * K);
}

}  // namespace

std::string ExtendedJudge::refusal(const Model& model) {
  if (model.mode_count() > 0) return "flexible bodies";
  if (!model.force_names().empty() || !model.soft_joints().empty()) return "forces and drives";
  if (!model.timeline().empty()) return "a timeline";
  for (const Joint& joint : model.joints())
    if (joint.type() == JointType::kHelical) return "screws";
  return {};
}

ExtendedJudge::ExtendedJudge(const Model& model, int rank, const Configuration& start,
                             long double tolerance)
    : model_(model), rank_(rank), tolerance_(tolerance), length_(typical_length(model.joints())) {
  for (const sarrus::Body& body : model.bodies())
    bodies_.push_back(
        {body.inertia.mass, body.inertia.center.cast<C>(), body.inertia.central.cast<C>()});
  bodies_[0].center.setZero();
  const auto frame = [&](BodyId body, const Transform& X) {
    return Frame{body.slot(), X.p.cast<C>() - bodies_[body.slot()].center,
                 rotation_of(numbers_of(X.q))};
  };
  for (const Joint& joint : model.joints()) {
    const std::size_t j = from_.size();
    from_.push_back(frame(joint.a, joint.X_AF));
    to_.push_back(frame(joint.b, joint.X_BM));
    const auto distances = [&](std::initializer_list<int> axes) {
      for (const int axis : axes) rows_.push_back({Row::kDistance, axis, 0, j});
    };
    const auto angles = [&](std::initializer_list<std::array<int, 2>> pairs) {
      for (const auto& [a, b] : pairs) rows_.push_back({Row::kAngle, a, b, j});
    };
    switch (joint.type()) {
      case JointType::kRevolute:
        distances({0, 1, 2});
        angles({{0, 2}, {1, 2}});
        break;
      case JointType::kPrismatic:
        distances({0, 1});
        angles({{0, 2}, {1, 2}, {0, 1}});
        break;
      case JointType::kCylindrical:
        distances({0, 1});
        angles({{0, 2}, {1, 2}});
        break;
      case JointType::kUniversal:
        distances({0, 1, 2});
        angles({{0, 1}});
        break;
      case JointType::kSpherical:
        distances({0, 1, 2});
        break;
      case JointType::kPlanar:
        distances({2});
        angles({{0, 2}, {1, 2}});
        break;
      case JointType::kFixed:
        distances({0, 1, 2});
        angles({{0, 2}, {1, 2}, {0, 1}});
        break;
      default:
        break;  // free
    }
  }
  state_.resize(kSize * std::ssize(bodies_) - kSize);
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    auto at = state_.segment<kSize>(static_cast<Eigen::Index>(kSize * (i - 1)));
    const auto q = numbers_of(start.poses[i].q);
    const V3 arm = rotation_of(q) * bodies_[i].center;
    const V3 w = start.velocities[i].head<3>().cast<C>();
    at << start.poses[i].p.cast<C>() + arm, q,
        start.velocities[i].tail<3>().cast<C>() + cross(w, arm), w;
  }
  starts_closed_ = close(state_);
}

ExtendedJudge::Moving ExtendedJudge::body_of(const V& state, std::size_t body) const {
  if (body == 0) return {V3::Zero(), V3::Zero(), V3::Zero(), M3::Identity()};
  const auto at = state.segment<kSize>(static_cast<Eigen::Index>(kSize * (body - 1)));
  return {at.head<3>(), at.segment<3>(7), at.tail<3>(), rotation_of(at.segment<4>(3))};
}

// Values, Jacobian and γ of all rows. Columns are [ω L; v] a body, values lengths.
void ExtendedJudge::evaluate(const V& state) {
  const Eigen::Index count = std::ssize(rows_);
  J_.setZero(count, kWays * std::ssize(bodies_) - kWays);
  phi_.resize(count);
  gamma_.resize(count);
  std::vector<Moving> moving;
  for (std::size_t b = 0; b < bodies_.size(); ++b) moving.push_back(body_of(state, b));
  for (Eigen::Index r = 0; r < count; ++r) {
    const Row& row = rows_[of(r)];
    const Frame& F = from_[row.joint];
    const Frame& G = to_[row.joint];
    const Moving& A = moving[F.body];
    const Moving& B = moving[G.body];
    const V3 a = A.R * F.axes.col(row.axis_a);
    const V3 turning_a = cross(A.w, a);
    const V3 s = A.R * F.at, t = B.R * G.at;
    V3 wA, vA = V3::Zero(), wB, vB = V3::Zero();
    if (row.kind == Row::kDistance) {  // φ = a·d
      const V3 d = B.p + t - A.p - s;
      const V3 d_rate = B.v + cross(B.w, t) - A.v - cross(A.w, s);
      phi_[r] = dot(a, d);
      wA = cross(a, d) - cross(s, a);
      vA = -a;
      wB = cross(t, a);
      vB = a;
      gamma_[r] = dot(cross(A.w, turning_a), d) + Real(2) * dot(turning_a, d_rate) +
                  dot(a, cross(B.w, cross(B.w, t)) - cross(A.w, cross(A.w, s)));
    } else {  // φ = L a·b
      const V3 b = B.R * G.axes.col(row.axis_b);
      const V3 turning_b = cross(B.w, b);
      phi_[r] = length_ * dot(a, b);
      wA = length_ * cross(a, b);
      wB = -wA;
      gamma_[r] = length_ * (dot(cross(A.w, turning_a), b) + Real(2) * dot(turning_a, turning_b) +
                             dot(a, cross(B.w, turning_b)));
    }
    const auto put = [&](std::size_t body, const V3& w, const V3& v) {
      if (body == 0) return;
      const auto at = static_cast<Eigen::Index>(kWays * (body - 1));
      J_.row(r).segment<3>(at) += w.transpose() / length_;
      J_.row(r).segment<3>(at + 3) += v.transpose();
    };
    put(F.body, wA, vA);
    put(G.body, wB, vB);
  }
}

// As many rows as the generic rank, as far from dependent as pivots find them, at a real state.
void ExtendedJudge::choose_rows() {
  const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> transpose = J_.real().transpose();
  const auto order = transpose.colPivHouseholderQr().colsPermutation().indices().eval();
  chosen_.assign(order.data(), order.data() + rank_);
}

// mass a + Jᵀ λ = f, J a = g with the chosen rows.
ExtendedJudge::V ExtendedJudge::solve(const M& mass, const V& f, const V& g) const {
  const Eigen::Index n = J_.cols();
  M K = M::Zero(n + rank_, n + rank_);
  V right(n + rank_);
  K.topLeftCorner(n, n) = mass;
  right.head(n) = f;
  for (Eigen::Index k = 0; k < rank_; ++k) {
    K.row(n + k).head(n) = J_.row(chosen_[of(k)]);
    K.col(n + k).head(n) = J_.row(chosen_[of(k)]).transpose();
    right[n + k] = g[chosen_[of(k)]];
  }
  return K.partialPivLu().solve(right).head(n);
}

// Positions and velocities of a real state onto the constraints, by the least change.
bool ExtendedJudge::close(V& state) {
  const Eigen::Index n = kWays * std::ssize(bodies_) - kWays;
  const M one = M::Identity(n, n);
  const V zero = V::Zero(n);
  evaluate(state);
  choose_rows();
  for (int i = 0; i < kMostCorrections; ++i) {
    const V x = solve(one, zero, -phi_);
    if (!x.allFinite()) return false;
    for (Eigen::Index b = 0; kWays * b < n; ++b) {
      auto at = state.segment<kSize>(kSize * b);
      const V3 half = x.segment<3>(kWays * b) / (Real(2) * length_);
      const Eigen::Matrix<C, 4, 1> q = at.segment<4>(3);
      at.segment<3>(0) += x.segment<3>(kWays * b + 3);
      at[3] -= dot(half, q.tail<3>());
      at.segment<3>(4) += q[0] * half + cross(half, q.tail<3>());
      at.segment<4>(3) /= std::sqrt(dot(at.segment<4>(3), at.segment<4>(3)));
    }
    evaluate(state);
    if (x.norm() < 1e-9L * length_) break;  // what follows is its square
  }
  // Dependent rows leave what doubles have made of the geometry.
  if (!(phi_.norm() < 1e-9L * length_)) return false;
  V speeds(n);
  for (Eigen::Index b = 0; kWays * b < n; ++b)
    speeds.segment<kWays>(kWays * b) << length_ * state.segment<3>(kSize * b + 10),
        state.segment<3>(kSize * b + 7);
  speeds += solve(one, zero, -(J_ * speeds));
  for (Eigen::Index b = 0; kWays * b < n; ++b) {
    state.segment<3>(kSize * b + 10) = speeds.segment<3>(kWays * b) / length_;
    state.segment<3>(kSize * b + 7) = speeds.segment<3>(kWays * b + 3);
  }
  return state.allFinite();
}

// M a + Jᵀ λ = f, J a = −γ. States beside the constraints have rates, too, so that these are an analytic
// function.
bool ExtendedJudge::rates(const V& state, V& rate) {
  evaluate(state);
  const Eigen::Index n = J_.cols();
  M mass = M::Zero(n, n);
  V f(n);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const auto at = static_cast<Eigen::Index>(kWays * (b - 1));
    const Moving moving = body_of(state, b);
    const M3 I = moving.R * bodies_[b].inertia * moving.R.transpose();
    mass.block<3, 3>(at, at) = I / (length_ * length_);
    mass.block<3, 3>(at + 3, at + 3) = bodies_[b].mass * M3::Identity();
    f.segment<3>(at) = -cross(moving.w, I * moving.w) / length_;
    f.segment<3>(at + 3) = bodies_[b].mass * model_.gravity().cast<C>();
  }
  const V a = solve(mass, f, -gamma_);
  rate.resize(state.size());
  for (Eigen::Index b = 0; kWays * b < n; ++b) {
    const auto at = state.segment<kSize>(kSize * b);
    const V3 vec = at.segment<3>(4), w = at.tail<3>();
    rate.segment<3>(kSize * b) = at.segment<3>(7);
    rate[kSize * b + 3] = -dot(w, vec) / Real(2);
    rate.segment<3>(kSize * b + 4) = (at[3] * w + cross(w, vec)) / Real(2);
    rate.segment<3>(kSize * b + 7) = a.segment<3>(kWays * b + 3);
    rate.segment<3>(kSize * b + 10) = a.segment<3>(kWays * b) / length_;
  }
  return rate.allFinite();
}

// Gragg's: an expansion in even powers of h / parts.
bool ExtendedJudge::midpoint(const V& start, C h, int parts, V& end) {
  const C part = h / static_cast<Real>(parts);
  V rate;
  if (!rates(start, rate)) return false;
  V before = start;
  V now = start + part * rate;
  for (int i = 1; i < parts; ++i) {
    if (!rates(now, rate)) return false;
    before += Real(2) * part * rate;
    before.swap(now);
  }
  if (!rates(now, rate)) return false;
  end = (now + before + part * rate) / Real(2);
  return true;
}

// Bulirsch and Stoer's with 2, 4, 6, … parts.
bool ExtendedJudge::extrapolate(const V& start, C h, V& end, Real& error) {
  std::array<V, kColumns> table;  // of the present line
  for (int k = 0; k < kColumns; ++k) {
    V last;
    if (!midpoint(start, h, 2 * (k + 1), last)) return false;
    for (int j = 0; j < k; ++j) {
      const Real ratio = static_cast<Real>(k + 1) / static_cast<Real>(k - j);
      V next = last + (last - table[of(j)]) / (ratio * ratio - 1);
      table[of(j)] = std::move(last);
      last = std::move(next);
    }
    if (k == kColumns - 1)
      error = (last - table[of(k - 1)]).cwiseAbs().maxCoeff() /
              (tolerance_ * std::max<Real>(1, last.cwiseAbs().maxCoeff()));
    table[of(k)] = std::move(last);
  }
  end = std::move(table[kColumns - 1]);
  return true;
}

// Along a straight way in complex time.
bool ExtendedJudge::follow(V& state, C way) {
  Real done = 0, part = 1;
  V now = state, end;
  while (done < 1) {
    part = std::min(part, 1 - done);
    Real error = 0;
    if (!extrapolate(now, part * way, end, error)) return false;
    const Real change = std::pow(std::max(error, 1e-9L), -1.0L / (2 * kColumns - 1));
    if (error <= 1) {
      now.swap(end);
      done = part == 1 - done ? 1 : done + part;
      ++steps_;
    }
    part *= std::clamp(0.8L * change, 0.2L, 2.0L);
    if (!(part > kShortestPart)) return false;
  }
  state.swap(now);
  return true;
}

// Up, across and down again. On a branch the motion is analytic and comes back real; behind a true branch
// point it does not.
bool ExtendedJudge::go_around(V& state, Real way, Real height) {
  V there = state;
  for (const C leg : {C(0, height), C(way, 0), C(0, -height)})
    if (!follow(there, leg)) return false;
  constexpr Real kReal = 1e-12L;
  if (!(there.imag().cwiseAbs().maxCoeff() <= kReal * std::max<Real>(1, there.norm())))
    return false;
  state = there.real().cast<C>();
  ++detours_;
  return true;
}

Status ExtendedJudge::advance_to(double t) {
  if (!starts_closed_) return {Status::Code::kDiverged, "the mechanism is not closed at the start"};
  const Real until = t;
  while (time_ < until) {
    const Real left = until - time_;
    const Real usual = left <= 1.5L * kWay ? left : kWay;
    V end = state_;
    Real way = usual;
    bool there = follow(end, way) && close(end);
    // The end of the way may be as bad as what lies on it.
    for (const Real part : {1.0L, 0.7L, 1.3L, 0.4L})
      for (const Real height : {0.5L, 0.25L, 1.0L}) {
        if (there) break;
        way = std::min(part * usual, left);
        end = state_;
        there = go_around(end, way, height * usual) && close(end);
      }
    if (!there)
      return {Status::Code::kDiverged,
              fmt::format("no way leads on from t = {:.9g} s", static_cast<double>(time_))};
    state_.swap(end);
    time_ = way == left ? until : time_ + way;
    evaluate(state_);
    choose_rows();
  }
  return {};
}

Configuration ExtendedJudge::configuration() const {
  Configuration c;
  c.poses.resize(bodies_.size());
  c.velocities.assign(bodies_.size(), Vec6::Zero());
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const auto at = state_.segment<kSize>(static_cast<Eigen::Index>(kSize * (i - 1)));
    const Moving moving = body_of(state_, i);
    const V3 arm = moving.R * bodies_[i].center;
    const auto in_double = [](const auto& numbers) {
      return numbers.real().template cast<double>().eval();
    };
    const Eigen::Vector4d q = in_double(at.segment<4>(3));
    c.poses[i].q = Quat(q[0], q[1], q[2], q[3]).normalized();
    c.poses[i].p = in_double(moving.p - arm);
    c.velocities[i].head<3>() = in_double(moving.w);
    c.velocities[i].tail<3>() = in_double(moving.v - cross(moving.w, arm));
  }
  return c;
}

long double ExtendedJudge::energy() const {
  C sum = 0;
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const Moving moving = body_of(state_, i);
    const V3 w = moving.R.transpose() * moving.w;
    sum += (bodies_[i].mass * dot(moving.v, moving.v) + dot(w, bodies_[i].inertia * w)) / Real(2) -
           bodies_[i].mass * dot(model_.gravity().cast<C>(), moving.p);
  }
  return sum.real();
}

}  // namespace sarrus::testing
