#include "sarrus/topology/elimination/wide.h"

#include <Eigen/Core>

namespace sarrus::wide {

void subtract_closed(const double* L, std::size_t stride, std::size_t rank, double* Y,
                     double* Lambda, std::size_t width) {
  if (rank == 0) return;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(rank), w = static_cast<Eigen::Index>(width);
  const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> factor(
      L, n, n, Eigen::OuterStride<>(static_cast<Eigen::Index>(stride)));
  Eigen::Map<Rows> y(Y, n, w);
  factor.triangularView<Eigen::Lower>().solveInPlace(y);
  Eigen::Map<Rows> lambda(Lambda, w, w);
  lambda.selfadjointView<Eigen::Lower>().rankUpdate(y.transpose(), -1);
  lambda.triangularView<Eigen::StrictlyUpper>() = lambda.transpose();
}

}  // namespace sarrus::wide
