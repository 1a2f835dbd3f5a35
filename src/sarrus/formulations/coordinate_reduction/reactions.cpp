#include "sarrus/formulations/coordinate_reduction/reactions.h"

#include <algorithm>

namespace sarrus::coordinate_reduction {
namespace {

/// Goes back through a front: what later joints do to a body is known when it is its turn.
class Walk {
 public:
  Walk(const Fronts& fronts, const FrontSolver& solver, double t, const Configuration& c,
       std::span<Vec6> needed, Reactions& to)
      : fronts_(fronts),
        solver_(solver),
        t_(t),
        c_(c),
        needed_(needed),
        to_(to),
        later_(needed.size(), Vec6::Zero()) {}

  // The front knows an appendage as part of the body that it hangs on.
  void appendage(int slot) {
    to_.through[to_index(slot)] = needed_[to_index(slot)];
    if (const int parent = fronts_.system().parents[slot]; parent >= 0)
      needed_[to_index(parent)] += moved_down(slot, parent);
  }

  void front(int index) {
    const FrontScratch& from = solver_.front(index);
    const Program program = fronts_.program(index);
    const int stride = 8 * solver_.blocks(index);
    std::vector<double> y(to_index(stride), 0.0);
    y[to_index(stride - 1)] = 1;
    const double* row = from.rows + static_cast<std::ptrdiff_t>(stride) * from.row_count;
    std::vector<double> lambda, waited;
    int pivot = from.pivot_count - 1;
    for (int i = from.record_count - 1; i >= 0; --i) {
      const Record& record = from.records[i];
      switch (record.kind) {
        case Record::kPivot: {
          row -= stride;
          y[to_index(record.slot)] = 0;
          y[to_index(record.slot)] = -dot(row, y.data(), stride);
          if (pivot >= 0 && from.pivots[pivot].record == i)
            take_back(from, program, from.pivots[pivot--], stride, y, lambda);
          break;
        }
        case Record::kCombine:
          row -= stride;
          for (int k = 0; k < stride; ++k) y[to_index(k)] -= row[k] * y[to_index(record.slot)];
          break;
        case Record::kAcceleration:
          row -= 6 * stride;
          break;
        case Record::kExtended:
          take_out(record.to);
          break;
        case Record::kClosed: {
          const ClosingRecord& closing = from.closings[record.to];
          operation_ = &program.operations[closing.operation];
          lambda.assign(to_index(closing.rows), 0.0);
          for (int k = 0; k < closing.waiting; ++k)
            lambda[to_index(closing.left[k])] =
                k < static_cast<int>(waited.size()) ? waited[to_index(k)] : 0;
          // What was taken from the other rows for those that wait.
          for (int k = 0; k < closing.waiting; ++k) {
            const PivotRecord& left = from.pivots[pivot--];
            const double* factors = from.details + left.details;
            for (int r = 0; r < closing.rows; ++r)
              lambda[to_index(left.row)] -= factors[r] * lambda[to_index(r)];
          }
          break;
        }
        case Record::kClosing: {
          const ClosureConstants& closure = fronts_.closure(operation_->closure);
          waited.assign(lambda.begin() + closure.rows, lambda.end());
          lambda.resize(to_index(closure.rows));
          apply(operation_->closure, lambda);
          break;
        }
        case Record::kCells:
        case Record::kChain:  // there are none where reactions are asked for
        case Record::kOutput:
          break;
      }
    }
  }

 private:
  void take_out(int slot) {
    to_.through[to_index(slot)] = needed_[to_index(slot)] - later_[to_index(slot)];
    if (const int parent = fronts_.system().parents[slot]; parent >= 0)
      later_[to_index(parent)] -= moved_down(slot, parent);
  }

  /// What passes through a body's joint, at its parent's mass centre.
  Vec6 moved_down(int slot, int parent) const {
    return shift_force(to_.through[to_index(slot)],
                       Eigen::Map<const Vec3>(solver_.motion(parent).p) -
                           Eigen::Map<const Vec3>(solver_.motion(slot).p));
  }

  static double dot(const double* a, const double* b, int count) {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += a[k] * b[k];
    return sum;
  }

  // Balance of the coordinate that the pivot's row expressed: the row's multiplier.
  void take_back(const FrontScratch& from, const Program& program, const PivotRecord& pivot,
                 int stride, const std::vector<double>& y, std::vector<double>& lambda) const {
    const double* H = from.details + pivot.details;
    const double* factors = H + stride;
    const double* columns = factors + lambda.size();
    double nu = -dot(H, y.data(), stride);
    for (int i = 0; i < operation_->staying; ++i) {
      const int body = program.staying_bodies[operation_->first_staying + i];
      const Vec6& wrench = later_[to_index(body)];
      nu += Eigen::Map<const Vec6>(columns + 6 * i).dot(wrench);
    }
    for (std::size_t r = 0; r < lambda.size(); ++r)
      if (static_cast<int>(r) != pivot.row) nu -= factors[r] * lambda[r];
    lambda[to_index(pivot.row)] = nu / pivot.pivot;
  }

  // The rows' forces on the two bodies.
  void apply(int closure, const std::vector<double>& lambda) {
    const ClosureConstants& constants = fronts_.closure(closure);
    const int joint = fronts_.closures()[to_index(closure)].index;
    const int first = fronts_.rows().first_row(joint);
    fronts_.rows().visit_rows(
        joint, t_, c_, [&](int r, const Row& row, const TimeFunction::Value&) {
          const int k = r - first;
          const double force = lambda[to_index(k)] * fronts_.rows().row_scale()[r];
          to_.lambda[to_index(constants.first_row + k)] = force;
          put(constants.body_a, -force * row.J_A);
          put(constants.body_b, -force * row.J_B);
        });
  }
  void put(int slot, const Vec6& at_origin) {
    if (slot < 0) return;
    const BodyId body = fronts_.tree().bodies()[to_index(slot)].body;
    const Vec3 center = Eigen::Map<const Vec3>(solver_.motion(slot).p) - c_.poses[body.slot()].p;
    later_[to_index(slot)] += shift_force(at_origin, center);
  }

  const Fronts& fronts_;
  const FrontSolver& solver_;
  double t_;
  const Configuration& c_;
  std::span<Vec6> needed_;
  Reactions& to_;
  std::vector<Vec6> later_;  ///< what joints that come later do to a body
  const Operation* operation_ = nullptr;
};

}  // namespace

void find_reactions(const Fronts& fronts, const FrontSolver& solver, double t,
                    const Configuration& c, std::span<Vec6> needed, Reactions& to) {
  to.lambda.assign(to_index(fronts.closing_row_count()), 0.0);
  to.through.assign(needed.size(), Vec6::Zero());
  Walk walk(fronts, solver, t, c, needed, to);
  const System& system = fronts.system();
  for (int i = system.body_count - 1; i >= system.in_loops; --i) walk.appendage(system.order[i]);
  for (std::size_t f = 0; f < fronts.fronts().size(); ++f) walk.front(static_cast<int>(f));
}

}  // namespace sarrus::coordinate_reduction
