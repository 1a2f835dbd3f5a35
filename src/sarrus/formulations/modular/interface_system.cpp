#include "sarrus/formulations/modular/interface_system.h"

#include <cmath>

namespace sarrus::modular {
namespace {

/// Rows of one joint that are nearly the same (its own frames stand at right angles) carry no more
/// than this part of the others.
constexpr double kLeastOfABlock = 1e-13;

std::size_t index_of(int index) { return static_cast<std::size_t>(index); }

}  // namespace

InterfaceSystem::InterfaceSystem(const Interface& interface) : interface_(&interface) {
  const std::size_t bodies = interface.box_of.size();
  const std::size_t count = interface.links.size();
  W.assign(bodies, Mat6::Zero());
  free.assign(bodies, Vec6::Zero());
  wrench_ = a_ = free;
  G_A.assign(count, Mat6::Zero());
  G_B = T_A_ = T_B_ = diagonal_ = G_A;
  g.assign(count, Vec6::Zero());
  b_ = g;
  inverse_ = G_A;
  responses.resize(interface.boxes.size());
  for (std::size_t k = 0; k < interface.boxes.size(); ++k) {
    if (interface.boxes[k].is_body) continue;
    const auto size = 6 * static_cast<Eigen::Index>(interface.boxes[k].bodies.size());
    responses[k].free = VecX::Zero(size);
    responses[k].W = MatX::Zero(size, size);
    compound_.push_back(static_cast<int>(k));
  }
}

void InterfaceSystem::prepare(Blocks blocks) {
  const bool split = blocks == Blocks::kSplit;
  // A body inside a compound box shows its own block.
  for (const int k : compound_) {
    const Box& box = interface_->boxes[index_of(k)];
    for (std::size_t i = 0; i < box.bodies.size(); ++i) {
      const auto at = 6 * static_cast<Eigen::Index>(i);
      W[index_of(box.bodies[i])] = responses[index_of(k)].W.block<6, 6>(at, at);
      free[index_of(box.bodies[i])] = responses[index_of(k)].free.segment<6>(at);
    }
  }
  for (std::size_t l = 0; l < links(); ++l) {
    const Link& link = interface_->links[l];
    T_A_[l].noalias() = G_A[l] * W[index_of(link.a)];
    T_B_[l].noalias() = G_B[l] * W[index_of(link.b)];
    const auto weight = [&](int body) {
      return split && body != 0 ? interface_->degree[index_of(interface_->box_of[index_of(body)])]
                                : 1;
    };
    diagonal_[l].noalias() = weight(link.a) * (T_A_[l] * G_A[l].transpose());
    diagonal_[l].noalias() += weight(link.b) * (T_B_[l] * G_B[l].transpose());
    if (blocks == Blocks::kOnlyK) continue;
    BlockFactor factor;
    factor.compute(diagonal_[l], diagonal_[l].diagonal(), kLeastOfABlock);
    factor.invert(inverse_[l]);
  }
  update_b();
}

void InterfaceSystem::update_b() {
  double sum = 0;
  for (std::size_t l = 0; l < links(); ++l) {
    const Link& link = interface_->links[l];
    const Vec6& a = free[index_of(link.a)];
    const Vec6& b = free[index_of(link.b)];
    b_[l].noalias() = g[l] + G_A[l] * a + G_B[l] * b;
    for (int r = 0; r < link.rows; ++r) {
      const double size = G_A[l].row(r).cwiseAbs().dot(a.cwiseAbs()) +
                          G_B[l].row(r).cwiseAbs().dot(b.cwiseAbs()) + std::abs(g[l][r]) + row_size;
      if (diagonal_[l](r, r) > 0) sum += size * size / diagonal_[l](r, r);
    }
  }
  term_size_ = std::sqrt(sum);
}

double InterfaceSystem::size(const Multipliers& r) const {
  double sum = 0;
  for (std::size_t l = 0; l < links(); ++l)
    for (int k = 0; k < interface_->links[l].rows; ++k)
      if (diagonal_[l](k, k) > 0) sum += r[l][k] * r[l][k] / diagonal_[l](k, k);
  return sum;
}

// Wrenches of the multipliers on bodies, and the accelerations they alone make.
void InterfaceSystem::sweep(const Multipliers& p) {
  for (Vec6& w : wrench_) w.setZero();
  for (std::size_t l = 0; l < links(); ++l) {
    const Link& link = interface_->links[l];
    wrench_[index_of(link.a)].noalias() += G_A[l].transpose() * p[l];
    wrench_[index_of(link.b)].noalias() += G_B[l].transpose() * p[l];
  }
  for (std::size_t i = 1; i < W.size(); ++i) a_[i].noalias() = W[i] * wrench_[i];
  for (const int k : compound_) {
    const Box& box = interface_->boxes[index_of(k)];
    wrenches_on(k, w_);
    response_.noalias() = responses[index_of(k)].W * w_;
    for (std::size_t i = 0; i < box.bodies.size(); ++i)
      a_[index_of(box.bodies[i])] = response_.segment<6>(6 * static_cast<Eigen::Index>(i));
  }
}

void InterfaceSystem::wrenches_on(int k, VecX& w) const {
  const Box& box = interface_->boxes[index_of(k)];
  w.resize(6 * static_cast<Eigen::Index>(box.bodies.size()));
  for (std::size_t i = 0; i < box.bodies.size(); ++i)
    w.segment<6>(6 * static_cast<Eigen::Index>(i)) = wrench_[index_of(box.bodies[i])];
}

void InterfaceSystem::apply(const Multipliers& p, Multipliers& q) {
  sweep(p);
  for (std::size_t l = 0; l < links(); ++l) {
    const Link& link = interface_->links[l];
    q[l].noalias() = G_A[l] * a_[index_of(link.a)];
    q[l].noalias() += G_B[l] * a_[index_of(link.b)];
    if (regularisation > 0) q[l].noalias() += regularisation * (diagonal_[l] * p[l]);
  }
}

void InterfaceSystem::precondition(Multipliers& x) const {
  for (std::size_t l = 0; l < links(); ++l) x[l] = inverse_[l] * x[l];
}

void InterfaceSystem::accelerate(const Multipliers& lambda, std::vector<Vec6>& a) {
  sweep(lambda);
  for (std::size_t i = 1; i < W.size(); ++i) a[i] = free[i] + a_[i];
  a[0].setZero();
}

void InterfaceSystem::fill(const JointElimination& elimination,
                           JointElimination::Numbers& numbers) const {
  for (std::size_t l = 0; l < links(); ++l)
    numbers.diagonal[index_of(elimination.column_of(static_cast<int>(l)))] =
        (1 + regularisation) * diagonal_[l];
  for (Mat6& block : numbers.lower) block.setZero();
  for (const JointElimination::Meeting& m : elimination.meetings()) {
    const std::size_t i = index_of(m.i), j = index_of(m.j);
    const Link& one = interface_->links[i];
    const Link& other = interface_->links[j];
    const int body = m.i_at_b ? one.b : one.a;
    const int body_other = m.j_at_b ? other.b : other.a;
    const Mat6& G = m.j_at_b ? G_B[j] : G_A[j];
    Mat6& block = numbers.lower[index_of(m.block)];
    if (body == body_other) {
      block.noalias() += (m.i_at_b ? T_B_[i] : T_A_[i]) * G.transpose();
    } else {
      const int k = interface_->box_of[index_of(body)];
      const auto row = 6 * interface_->place_of[index_of(body)];
      const auto column = 6 * interface_->place_of[index_of(body_other)];
      const Mat6 T =
          (m.i_at_b ? G_B[i] : G_A[i]) * responses[index_of(k)].W.block<6, 6>(row, column);
      block.noalias() += T * G.transpose();
    }
  }
}

}  // namespace sarrus::modular
