#include "sarrus/model/state_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sarrus/base/assert.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus {
namespace {

using Kind = StateLayout::Kind;

Quat read_quaternion(const double* x) { return {x[0], x[1], x[2], x[3]}; }

void write_quaternion(const Quat& q, double* x) {
  x[0] = q.w();
  x[1] = q.x();
  x[2] = q.y();
  x[3] = q.z();
}

Vec3 read_vector(const double* u) { return {u[0], u[1], u[2]}; }

void write_vector(const Vec3& v, double* u) { std::copy_n(v.data(), 3, u); }

}  // namespace

void StateLayout::add_vector(int size, double strictness) {
  SARRUS_ASSERT(size >= 0 && strictness >= 0);
  blocks_.push_back({.kind = Kind::kVector,
                     .size = size,
                     .offset = size_,
                     .tangent_size = size,
                     .tangent_offset = tangent_size_,
                     .strictness = strictness});
  size_ += size;
  tangent_size_ += size;
}

void StateLayout::add_momenta(int size, int moved, double strictness) {
  SARRUS_ASSERT(moved >= 0 && moved + size <= tangent_size_);
  add_vector(size, strictness);
  blocks_.back().sized_by = moved;
}

void StateLayout::add_quaternion() {
  blocks_.push_back({.kind = Kind::kQuaternion,
                     .size = 4,
                     .offset = size_,
                     .tangent_size = 3,
                     .tangent_offset = tangent_size_});
  size_ += 4;
  tangent_size_ += 3;
}

// [layout-retract]  q = exp(u) q0. Normalised, so that round-off cannot pile up over many steps.
void StateLayout::retract(std::span<const double> x0, std::span<const double> u,
                          std::span<double> x) const {
  for (const Block& block : blocks_) {
    const double* from = x0.data() + block.offset;
    const double* by = u.data() + block.tangent_offset;
    double* to = x.data() + block.offset;
    if (block.kind == Kind::kQuaternion) {
      write_quaternion((exp_rotation(read_vector(by)) * read_quaternion(from)).normalized(), to);
    } else {
      for (int i = 0; i < block.size; ++i) to[i] = from[i] + by[i];
    }
  }
}

void StateLayout::difference(std::span<const double> x, std::span<const double> x0,
                             std::span<double> u) const {
  for (const Block& block : blocks_) {
    const double* to = x.data() + block.offset;
    const double* from = x0.data() + block.offset;
    double* by = u.data() + block.tangent_offset;
    if (block.kind == Kind::kQuaternion) {
      write_vector(log_rotation(read_quaternion(to) * read_quaternion(from).conjugate()), by);
    } else {
      for (int i = 0; i < block.size; ++i) by[i] = to[i] - from[i];
    }
  }
}

// [layout-chart-rate]
void StateLayout::chart_rate(std::span<const double> u, std::span<const double> dx,
                             std::span<double> du) const {
  for (const Block& block : blocks_) {
    const double* at = u.data() + block.tangent_offset;
    const double* rate = dx.data() + block.tangent_offset;
    double* out = du.data() + block.tangent_offset;
    if (block.kind == Kind::kQuaternion) {
      write_vector(left_jacobian_inverse(read_vector(at)) * read_vector(rate), out);
    } else if (out != rate) {
      std::copy_n(rate, block.size, out);
    }
  }
}

double StateLayout::largest_rotation(std::span<const double> u) const {
  double largest = 0;
  for (const Block& block : blocks_) {
    if (block.kind != Kind::kQuaternion) continue;
    const double angle = read_vector(u.data() + block.tangent_offset).norm();
    if (std::isnan(angle)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, angle);
  }
  return largest;
}

// [layout-error-norm]  A NaN makes the norm infinite: it must never look like a small error.
double StateLayout::error_norm(std::span<const double> e, std::span<const double> x,
                               std::span<const double> y, std::span<const double> rates,
                               double rtol, double atol) const {
  double norm = 0;
  for (const Block& block : blocks_) {
    if (block.strictness == 0) continue;
    SARRUS_ASSERT(block.sized_by < 0 || !rates.empty());
    const double* error = e.data() + block.tangent_offset;
    if (block.kind == Kind::kQuaternion) {
      const double ratio = 0.5 * read_vector(error).norm() / std::max(rtol, atol);
      if (std::isnan(ratio)) return std::numeric_limits<double>::infinity();
      norm = std::max(norm, ratio);
      continue;
    }
    for (int i = 0; i < block.size; ++i) {
      const auto k = static_cast<std::size_t>(block.offset + i);
      const double size = block.sized_by < 0
                              ? std::max(std::abs(x[k]), std::abs(y[k]))
                              : std::abs(rates[static_cast<std::size_t>(block.sized_by + i)]);
      const double ratio = block.strictness * std::abs(error[i]) / std::max(rtol * size, atol);
      if (std::isnan(ratio)) return std::numeric_limits<double>::infinity();
      norm = std::max(norm, ratio);
    }
  }
  return norm;
}

}  // namespace sarrus
