#include "sarrus/integration/cvode.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "sarrus/base/assert.h"
#include "sarrus/integration/embedded_state.h"
#include "sarrus/integration/step_control.h"

namespace sarrus {
namespace {

/// What is outside error control weighs this much: nothing, but CVODE divides by it.
constexpr double kNoWeight = 1e-20;

/// Attempts at one step, each shorter, before CVODE gives up.
constexpr int kMostAttempts = 30;

/// A projection corrects what a step's error has done: some tolerances. Whoever changes more gives the
/// state another meaning, and the history ends.
constexpr double kLargestCorrection = 100;

/// CVODE wants to know how far it will go, and not that it is almost there.
constexpr double kLeastOutlook = 1e-6;

}  // namespace

/// The memory of CVODE, its vectors and its callbacks, which forward to the stepper.
class Cvode::Solver {
 public:
  struct Step {
    int flag = 0;
    double reached = 0;
    bool moved = false;
    int rejected = 0;
  };

  Solver(Cvode& owner, double largest_step) : owner_(owner) {
    const auto size = static_cast<sunindextype>(owner.x_.size());
    check(SUNContext_Create(nullptr, &context_) == 0);
    state_ = N_VNew_Serial(size, context_);
    matrix_ = SUNDenseMatrix(size, size, context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    check(state_ != nullptr && matrix_ != nullptr && memory_ != nullptr);
    linear_ = SUNLinSol_Dense(state_, matrix_, context_);
    check(linear_ != nullptr);
    put(owner.x_);
    require(CVodeInit(memory_, rates, owner.time_, state_));
    require(CVodeSetErrHandlerFn(memory_, keep_silent, nullptr));
    require(CVodeSetUserData(memory_, &owner));
    require(CVodeWFtolerances(memory_, weigh));
    require(CVodeSetLinearSolver(memory_, linear_, matrix_));
    require(CVodeSetProjFn(memory_, project));
    require(CVodeSetProjErrEst(memory_, SUNFALSE));
    require(CVodeSetProjFrequency(memory_, 1));
    require(CVodeSetMaxNumProjFails(memory_, kMostAttempts));
    require(CVodeSetMaxErrTestFails(memory_, kMostAttempts));
    require(CVodeSetMaxConvFails(memory_, kMostAttempts));
    require(CVodeSetStabLimDet(memory_, SUNTRUE));
    if (std::isfinite(largest_step)) require(CVodeSetMaxStep(memory_, largest_step));
  }
  ~Solver() {
    CVodeFree(&memory_);
    if (linear_ != nullptr) SUNLinSolFree(linear_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    if (state_ != nullptr) N_VDestroy(state_);
    SUNContext_Free(&context_);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// From the owner's state, without a past.
  void begin() {
    put(owner_.x_);
    require(CVodeReInit(memory_, owner_.time_, state_));
  }

  Step advance(double limit) {
    require(CVodeSetStopTime(memory_, limit));
    require(CVodeSetMinStep(memory_, smallest_step(owner_.time_)));
    const Statistics before = statistics();
    const double outlook =
        std::max(limit, owner_.time_ + kLeastOutlook * (1 + std::abs(owner_.time_)));
    Step step;
    step.flag = CVode(memory_, outlook, state_, &step.reached, CV_ONE_STEP);
    const Statistics after = statistics();
    step.moved = after.steps > before.steps;
    step.rejected = static_cast<int>(after.rejected - before.rejected);
    owner_.work_.iterations += after.iterations - before.iterations;
    owner_.work_.factorizations += after.setups - before.setups;
    return step;
  }

  bool interpolate(double t, std::span<double> y) {
    if (CVodeGetDky(memory_, t, 0, state_) != CV_SUCCESS) return false;
    std::ranges::copy(numbers(state_), y.begin());
    return true;
  }

  /// What a flag of CVode() means, for those who did not fail themselves.
  static const char* meaning(int flag) {
    switch (flag) {
      case CV_CONV_FAILURE:
      case CV_LSETUP_FAIL:
      case CV_LSOLVE_FAIL:
        return "Newton's method does not converge";
      default:
        return "the motion jumps or grows without bound";
    }
  }

 private:
  struct Statistics {
    long steps = 0, rejected = 0, iterations = 0, setups = 0;
  };

  static void check(bool fine) {
    if (!fine) throw std::bad_alloc();
  }
  static void require([[maybe_unused]] int flag) { SARRUS_ASSERT(flag == CV_SUCCESS); }

  static std::span<double> numbers(N_Vector v) {
    return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))};
  }
  void put(std::span<const double> x) { std::ranges::copy(x, numbers(state_).begin()); }

  Statistics statistics() const {
    Statistics s;
    long errors = 0, failures = 0, projections = 0;
    CVodeGetNumSteps(memory_, &s.steps);
    CVodeGetNumErrTestFails(memory_, &errors);
    CVodeGetNumNonlinSolvConvFails(memory_, &failures);
    CVodeGetNumProjFails(memory_, &projections);
    CVodeGetNumNonlinSolvIters(memory_, &s.iterations);
    CVodeGetNumLinSolvSetups(memory_, &s.setups);
    s.rejected = errors + failures + projections;
    return s;
  }

  /// 0: done; 1: try a shorter step; −1: stop.
  static int answer(const Cvode& owner, bool fine) {
    if (fine) return 0;
    return owner.failure_.code == Status::Code::kInterrupted ? -1 : 1;
  }
  static int rates(double t, N_Vector y, N_Vector rate, void* user) {
    Cvode& owner = *static_cast<Cvode*>(user);
    return answer(owner, owner.embedded_rates(t, numbers(y), numbers(rate)));
  }
  static int project(double t, N_Vector y, N_Vector correction, double, N_Vector, void* user) {
    Cvode& owner = *static_cast<Cvode*>(user);
    return answer(owner, owner.project(t, numbers(y), numbers(correction)));
  }
  static int weigh(N_Vector y, N_Vector weights, void* user) {
    static_cast<const Cvode*>(user)->weigh(numbers(y), numbers(weights));
    return 0;
  }
  static void keep_silent(int, const char*, const char*, char*, void*) {}

  Cvode& owner_;
  SUNContext context_ = nullptr;
  void* memory_ = nullptr;
  N_Vector state_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
};

Cvode::Cvode(const Formulation& formulation, Start start, const IntegratorOptions& options)
    : Integrator(formulation, std::move(start)),
      rtol_(options.rtol),
      atol_(options.atol),
      normalised_(x_),
      tangent_(static_cast<std::size_t>(layout_.tangent_size())) {
  solver_ = std::make_unique<Solver>(*this, StepControl(options, time_).largest_step());
}

Cvode::~Cvode() = default;

// [layout-embedded]
bool Cvode::embedded_rates(double t, std::span<const double> y, std::span<double> rate) {
  ++work_.evaluations;
  std::ranges::copy(y, normalised_.begin());
  normalise(layout_, normalised_);
  // A jump at the limit belongs to the next step.
  failure_ =
      formulation_.rates(std::min(t, before_limit_), normalised_, discrete_, *workspace_, tangent_);
  if (!failure_.ok()) return false;
  embedded_rate(layout_, y, tangent_, rate);
  if (all_finite(rate)) return true;
  failure_ = {Status::Code::kNotFinite, "a rate of change is not a finite number"};
  return false;
}

// [cvode-projection]  On copies: CVODE has yet to look at the error of the step.
bool Cvode::project(double t, std::span<const double> y, std::span<double> correction) {
  std::ranges::copy(y, trial_.begin());
  normalise(layout_, trial_);
  layout_.difference(trial_, x_, tangent_);
  if (layout_.largest_rotation(tangent_) > kLargestRotation) {
    failure_ = {Status::Code::kDiverged, "a body turns too far in one step"};
    return false;
  }
  failure_ = after_step(t);
  if (!failure_.ok()) return false;
  std::ranges::copy(y, normalised_.begin());
  normalise(layout_, normalised_);
  layout_.difference(trial_, normalised_, tangent_);
  // No method whose state has momenta comes here: rates are not asked for.
  switched_ = changed_ && (trial_discrete_.integers != discrete_.integers ||
                           layout_.error_norm(tangent_, normalised_, trial_, {}, rtol_, atol_) >
                               kLargestCorrection);
  for (std::size_t i = 0; i < trial_.size(); ++i)
    correction[i] = switched_ ? 0.0 : trial_[i] - y[i];
  return true;
}

// [cvode-tolerance]  So that CVODE's norm is at most 1 only where each error is within its tolerance.
void Cvode::weigh(std::span<const double> y, std::span<double> weights) const {
  const double all = std::sqrt(static_cast<double>(y.size()));
  for (const StateLayout::Block& block : layout_.blocks())
    for (int i = 0; i < block.size; ++i) {
      const auto k = static_cast<std::size_t>(block.offset + i);
      const double size = block.kind == StateLayout::Kind::kQuaternion ? 1.0 : std::abs(y[k]);
      const double weight = block.strictness * all / std::max(rtol_ * size, atol_);
      weights[k] = std::max(weight, kNoWeight);
    }
}

StepReport Cvode::advance(double limit) {
  StepReport report;
  report.time = time_;
  if (!(limit > time_)) return report;
  before_limit_ = std::nextafter(limit, time_);
  if (!has_history_) {
    solver_->begin();
    previous_time_ = time_;  // its polynomial is gone
    has_history_ = true;
  }
  failure_ = {};
  const Solver::Step step = solver_->advance(limit);
  report.rejected = step.rejected;
  if (step.flag < 0) {
    has_history_ = false;
    report.status = failure(Solver::meaning(step.flag));
    return report;
  }
  const double end = step.flag == CV_TSTOP_RETURN ? limit : step.reached;
  if (step.moved) {
    has_history_ = !switched_;
  } else {  // the limit is as near as rounding
    trial_ = x_;
    trial_discrete_ = discrete_;
    notes_.clear();
  }
  accept_trial(end, report);
  return report;
}

Status Cvode::failure(const char* cause) const {
  if (failure_.code == Status::Code::kInterrupted) return failure_;
  if (!failure_.ok())
    return {
        failure_.code,
        failure_.reason + fmt::format(" (just after t = {:.9g} s, however short the step)", time_)};
  return {Status::Code::kDiverged,
          fmt::format("at t = {:.9g} s the tolerance asks for steps below round-off: {}", time_,
                      cause)};
}

// CVODE's own polynomial; a time that rounding puts outside it is the start.
std::span<const double> Cvode::inside(double t) {
  if (t == previous_time_ || !solver_->interpolate(t, sample_)) return start_;
  normalise(layout_, sample_);
  return sample_;
}

}  // namespace sarrus
