#pragma once

namespace sarrus {

enum class JointType {
  kRevolute,
  kPrismatic,
  kHelical,
  kCylindrical,
  kUniversal,
  kSpherical,
  kPlanar,
  kFree,
  kFixed,
};

}  // namespace sarrus
