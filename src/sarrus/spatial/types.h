#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

/// Conventions of the whole engine: spatial vectors are angular first, linear second; quaternions
/// are w first in every list of numbers and turn body components into world components; SI units.
namespace sarrus {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using Mat3X = Eigen::Matrix3Xd;
using Mat6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using Quat = Eigen::Quaterniond;

/// At most six rows or columns, no heap: motion and constraint subspaces of a joint.
using Mat6xUpTo6 = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using VecUpTo6 = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using MatUpTo6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

}  // namespace sarrus
