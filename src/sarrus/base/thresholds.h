#pragma once

/// Where numbers end and rounding begins. What decides whether a mechanism has inertia somewhere, whether
/// a constraint says something of its own, and whether a joint is closed stands here, each with its
/// reason; what belongs to one algorithm alone (when an iteration ends, what a step may grow by) stays
/// with it. Rounding of one operation is 1.1e-16.
namespace sarrus::thresholds {

// --- inertia: of a pivot, in parts of what it is the difference of

/// Rounding of a zero: a hundred operations.
inline constexpr double kNoInertia = 1e-14;

/// The same where the pivot is left by the other directions of a joint and by all that hangs on it in a
/// part: ten times as many operations.
inline constexpr double kNoInertiaInPart = 1e-13;

/// Where forces of closed loops act along motions that only the cuts allow: their rounding, 1e-16, over
/// this is what accelerations are off by, so a trace of inertia is not enough.
inline constexpr double kLittleInertia = 1e-11;

// --- dependence: of what a constraint direction keeps beside others

/// Pivots of the rows themselves, in parts of the largest. Rows are scaled to lengths of order one, so this
/// is the angle [rad] at which two constraint directions are told apart; it must exceed the noise of typed
/// geometry and of projected states (1e-15 … 1e-12).
inline constexpr double kDependent = 1e-9;

/// The same for pivots of closings by accelerations of joints, which are of order one: nearer to
/// rounding, for the nominal rank has decided already.
inline constexpr double kDependentPivot = 1e-10;

/// The same for a row's own response, a square: of 3e-6; rounding leaves some 1e-15.
inline constexpr double kDependentResponse = 1e-11;

/// Rows of one joint, which are orthonormal but for rounding.
inline constexpr double kDependentInJoint = 1e-13;

// --- weakness: σ of the weakest constraint direction, over that at a generic pose

/// Rounding φ ≈ 1e-16 of a closed pose leaves the weak direction undetermined by φ/σ, its velocity by φ/σ²
/// and its acceleration by φ/σ³: below this that exceeds what tight tolerances control.  [kkt-weak]
inline constexpr double kWeak = 0.2;

/// … and below this it is 1e-6 and better stepped over.
inline constexpr double kFaint = 5e-4;

// --- closedness

/// Of the typical length: what cannot be closed better than this is open. Six digits above rounding.
inline constexpr double kOpen = 1e-9;

}  // namespace sarrus::thresholds
