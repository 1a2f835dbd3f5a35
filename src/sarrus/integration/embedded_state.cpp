#include "sarrus/integration/embedded_state.h"

#include <algorithm>

#include "sarrus/spatial/transform.h"

namespace sarrus {
namespace {

Quat quaternion_at(const double* x) { return {x[0], x[1], x[2], x[3]}; }

void put_quaternion(const Quat& q, double* x) {
  x[0] = q.w();
  x[1] = q.x();
  x[2] = q.y();
  x[3] = q.z();
}

}  // namespace

// [layout-embedded]
void embedded_rate(const StateLayout& layout, std::span<const double> x, std::span<const double> dx,
                   std::span<double> rate) {
  for (const StateLayout::Block& block : layout.blocks()) {
    const double* from = dx.data() + block.tangent_offset;
    double* to = rate.data() + block.offset;
    if (block.kind == StateLayout::Kind::kQuaternion)
      put_quaternion(Quat(0, 0.5 * from[0], 0.5 * from[1], 0.5 * from[2]) *
                         quaternion_at(x.data() + block.offset),
                     to);
    else
      std::copy_n(from, block.size, to);
  }
}

void normalise(const StateLayout& layout, std::span<double> x) {
  for (const StateLayout::Block& block : layout.blocks())
    if (block.kind == StateLayout::Kind::kQuaternion)
      put_quaternion(quaternion_at(x.data() + block.offset).normalized(), x.data() + block.offset);
}

}  // namespace sarrus
