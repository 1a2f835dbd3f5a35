#include "sarrus/formulations/coordinate_reduction/fronts.h"

#include <algorithm>

#include "sarrus/constraints/projector.h"

namespace sarrus::coordinate_reduction {
namespace {

constexpr int kWidths[] = {1, 2, 4, 32};

/// Expected cost [ns] of a body in a front, for dividing the work.
constexpr double kBodyCost = 250;

void put_rotation(const Mat3& R, double* to) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) to[3 * r + c] = R(r, c);
}

/// Does coordinate k of a joint turn?
bool turns(JointType type, int k) {
  switch (type) {
    case JointType::kPrismatic:
      return false;
    case JointType::kCylindrical:
      return k == 0;
    case JointType::kPlanar:
      return k == 2;
    case JointType::kFree:
      return k < 3;
    default:
      return true;
  }
}

/// The coordinates that the unknowns of a joint are rates of. Where components of a rotation vector
/// are prescribed they are combinations: then simply the first.
std::vector<int> free_coordinates(const Model& model, const tree::TreeBody& body, int unknowns) {
  std::vector<int> free;
  for (int k = 0; k < body.nv; ++k) {
    const auto prescribes = [&](const PrescribedMotion& motion) {
      return motion.at.joint == body.joint && motion.at.index == k;
    };
    if (unknowns == body.nv ||
        std::none_of(model.motions().begin(), model.motions().end(), prescribes))
      free.push_back(k);
  }
  return free;
}

}  // namespace

std::vector<JointId> closing_joints(const tree::Tree& tree, const ConstraintSystem& rows) {
  std::vector<JointId> closing;
  for (int j = 0; j < tree.model().joint_count(); ++j)
    if (tree.slot_of(JointId{j}) < 0 && rows.first_row(j + 1) > rows.first_row(j))
      closing.push_back(JointId{j});
  return closing;
}

Fronts::Fronts(const tree::Tree& tree, const articulated::KernelModel& kernel_model,
               const ConstraintSystem& rows, const std::vector<int>& unknowns, bool with_chains)
    : tree_(&tree),
      kernel_model_(&kernel_model),
      rows_(&rows),
      closures_(closing_joints(tree, rows)) {
  const Model& model = tree.model();
  const std::size_t count = tree.bodies().size();
  for (std::size_t i = 0; i < count; ++i) {
    const tree::TreeBody& body = tree.bodies()[i];
    const int slot = static_cast<int>(i);
    joints_.push_back(kernel_model.joint(slot));
    parents_.push_back(body.parent);
    const Transform X_CB = kernel_model.X_BC(slot).inverse();
    const Inertia inertia = model.body(body.body).inertia.in_frame(X_CB.R(), X_CB.p);
    X_CB_.push_back(X_CB);
    const Mat3& J = inertia.central;
    const Vec3& c = inertia.center;
    bodies_.push_back(
        {{J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)}, {c[0], c[1], c[2]}, inertia.mass});
    for (const int k : free_coordinates(model, body, unknowns[i]))
      scales_.push_back(turns(body.type, k) ? 1 / rows.length() : 1.0);
  }
  unknown_count_ = static_cast<int>(scales_.size());

  for (const JointId id : closures_) {
    const int row_count = rows.first_row(id.index + 1) - rows.first_row(id.index);
    const Joint& joint = model.joint(id);
    ClosureConstants closure;
    closure.kind = static_cast<int>(joint.type());
    closure.given = row_count > joint.constraint_count() || joint.type() == JointType::kHelical;
    closure.body_a = joint.a == kGround ? -1 : tree.slot_of(joint.a);
    closure.body_b = joint.b == kGround ? -1 : tree.slot_of(joint.b);
    closure.rows = row_count;
    closure.first_row = closing_rows_;
    closing_rows_ += row_count;
    has_given_ = has_given_ || closure.given;
    const auto frame = [&](int slot, const Transform& X, double* R, double* s) {
      Transform in_C = X;
      Vec3 center = Vec3::Zero();
      if (slot >= 0) {
        in_C = kernel_model.X_BC(slot).inverse() * X;
        center = Eigen::Map<const Vec3>(bodies_[to_index(slot)].c);
      }
      put_rotation(in_C.R(), R);
      Eigen::Map<Vec3> place(s);
      place = in_C.p - center;
    };
    frame(closure.body_a, joint.X_AF, closure.R_F, closure.s_A);
    frame(closure.body_b, joint.X_BM, closure.R_M, closure.s_B);
    constants_.push_back(closure);
  }
  schedule_ = make_schedule(tree, closures_, unknowns, with_chains);
  for (const std::vector<int>& chain : schedule_.chains)
    chains_.push_back({chain.data(), static_cast<int>(chain.size())});
  for (const Schedule::Front& front : schedule_.fronts) {
    const int index = static_cast<int>(tasks_.nodes.size());
    tasks_.nodes.push_back({index, kBodyCost * front.bodies, {}});
    tasks_.roots.push_back(index);
    blocks.push_back(1);
  }
  system_.body_count = static_cast<int>(count);
  system_.joints = joints_.data();
  system_.parents = parents_.data();
  system_.bodies = bodies_.data();
  system_.scales = scales_.data();
  system_.closures = constants_.data();
  system_.chains = chains_.data();
  system_.order = schedule_.order.data();
  system_.in_loops = schedule_.in_loops;
  system_.gathers = schedule_.gathers.data();
  system_.length = rows.length();
  for (int k = 0; k < 3; ++k) system_.gravity[k] = model.gravity()[k];
}

void Fronts::prefer(const std::vector<JointId>& joints, double factor) {
  for (const JointId joint : joints) {
    const int slot = tree_->slot_of(joint);
    if (slot < 0) continue;
    const tree::JointConstants& constants = joints_[to_index(slot)];
    for (int k = 0; k < constants.columns; ++k) scales_[to_index(constants.column + k)] *= factor;
  }
}

int Fronts::rank() const {
  int sum = 0;
  for (const Schedule::Front& front : schedule_.fronts)
    for (const Operation& operation : front.operations)
      if (operation.kind == Operation::kClose) sum += operation.nominal_rank;
  return sum;
}

Program Fronts::program(int front) const {
  const Schedule::Front& from = schedule_.fronts[to_index(front)];
  return {static_cast<int>(from.operations.size()), from.operations.data(), from.staying.data(),
          from.staying_bodies.data(), from.places};
}

Program Fronts::program_with_cells(int front) const {
  Program program = this->program(front);
  program.operation_count = static_cast<int>(cells(front).operations().size());
  program.operations = cells(front).operations().data();
  return program;
}

void Fronts::find_cells() {
  for (const Schedule::Front& front : schedule_.fronts) cells_.emplace_back(system_, front);
}

FrontSolver::FrontSolver(const Fronts& fronts, const Executor& executor, FrontSolver* shares)
    : fronts_(&fronts),
      executor_(&executor),
      kernel_(&best_kernel()),
      cut_(executor, fronts.tasks()),
      memories_(fronts.fronts().size()),
      results_(fronts.fronts().size()),
      appendages_(fronts.tree(), fronts.kernel_model(), fronts.system()) {
  const std::size_t bodies = to_index(fronts.system().body_count);
  const std::size_t rows = to_index(fronts.closing_row_count());
  if (shares == nullptr) motions_ = AlignedArray<BodyMotion>(bodies);
  accelerations_ = AlignedArray<double>(6 * bodies);
  phi_ = AlignedArray<double>(rows);
  phi_rate_ = AlignedArray<double>(rows);
  scratch_.motions = shares == nullptr ? motions_.data() : shares->scratch_.motions;
  scratch_.appended = appendages_.gathered();
  if (fronts.has_chains()) {
    chain_columns_ = AlignedArray<ChainColumn>(to_index(fronts.unknown_count()));
    chain_steps_.resize(bodies);
    chain_factors_.resize(fronts.chain_count());
  }
  scratch_.chain_columns = chain_columns_.data();
  scratch_.chain_steps = chain_steps_.data();
  scratch_.chain_factors = chain_factors_.data();
  scratch_.accelerations = accelerations_.data();
  scratch_.phi = phi_.data();
  scratch_.phi_rate = phi_rate_.data();
  for (std::size_t i = 0; i < memories_.size(); ++i)
    size(static_cast<int>(i), fronts.blocks[i], false);
}

// Memory of a front whose rows have so many blocks.
void FrontSolver::size(int index, int blocks, bool details) {
  Memory& memory = memories_[to_index(index)];
  const Schedule::Front& front = fronts_->fronts()[to_index(index)];
  const std::size_t stride = 8 * to_index(blocks);
  const std::size_t unknowns = to_index(front.unknowns);
  memory.blocks = blocks;
  memory.details = details;
  memory.N = AlignedArray<double>(6 * stride * to_index(front.places));
  memory.H = AlignedArray<double>(stride * stride);
  memory.work =
      AlignedArray<double>(stride * (kMostWaiting + std::max<std::size_t>(kMostRows, stride)));
  memory.rows = AlignedArray<double>(stride * (2 * unknowns + 6 * to_index(front.asked)));
  memory.records.resize(3 * unknowns + to_index(front.asked + front.bodies + 2 * front.closings));
  memory.ranks.resize(front.operations.size());
  memory.least_pivots.resize(front.operations.size());
  FrontScratch& scratch = memory.scratch;
  scratch = {};
  scratch.N = memory.N.data();
  scratch.H = memory.H.data();
  scratch.work = memory.work.data();
  scratch.rows = memory.rows.data();
  scratch.records = memory.records.data();
  scratch.ranks = memory.ranks.data();
  scratch.least_pivots = memory.least_pivots.data();
  if (fronts_->has_cells(index)) {
    const CellRow& row = fronts_->cells(index);
    memory.cell_results = AlignedArray<double>(row.result_size());
    scratch.cells = row.cells();
    scratch.cells.results = memory.cell_results.data();
    memory.cell_guards.resize(to_index(scratch.cells.shape_count));
  }
  if (!details) return;
  memory.closings.resize(to_index(front.closings));
  const std::size_t waiting = kMostWaiting * to_index(front.closings);
  memory.pivots.resize(unknowns + waiting);
  memory.detail_numbers = AlignedArray<double>(
      unknowns * (stride + kMostRows + 6 * to_index(front.most_staying)) + waiting * kMostRows);
}

void FrontSolver::read_motions(Configuration& to) const {
  const tree::Tree& tree = fronts_->tree();
  to.poses.resize(tree.model().bodies().size());
  to.velocities.resize(tree.model().bodies().size());
  to.poses[0] = {};
  to.velocities[0].setZero();
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const BodyMotion& motion = scratch_.motions[i];
    const std::size_t body = tree.bodies()[i].body.slot();
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R_C(motion.R);
    const Eigen::Map<const Vec3> p(motion.p), c(motion.c), w(motion.w), v(motion.v);
    const Transform& X_CB = fronts_->X_CB()[i];
    const Vec3 back = R_C * X_CB.p - c;  // from the mass centre to the body's own origin
    Transform& pose = to.poses[body];
    pose.q = (Quat(Mat3(R_C)) * X_CB.q).normalized();
    pose.p = p + back;
    to.velocities[body].head<3>() = w;
    to.velocities[body].tail<3>() = v + w.cross(back);
  }
}

void FrontSolver::place(const Inputs& in) {
  kernel_->place(fronts_->system(), in, scratch_, fronts_->system().body_count);
}

FrontSolver::Result FrontSolver::run(int index, const Inputs& in, double* unknowns,
                                     bool with_details) {
  while (true) {
    Memory& memory = memories_[to_index(index)];
    if (with_details && !memory.details) size(index, memory.blocks, true);
    FrontScratch& scratch = memory.scratch;
    scratch.closings = with_details ? memory.closings.data() : nullptr;
    scratch.pivots = with_details ? memory.pivots.data() : nullptr;
    scratch.details = with_details ? memory.detail_numbers.data() : nullptr;
    const bool by_cells = !with_details && !in.geometric && in.held == nullptr &&
                          fronts_->has_cells(index) &&
                          fronts_->cells(index).is_usual(cell_guards(index, in));
    const Program program = by_cells ? fronts_->program_with_cells(index) : fronts_->program(index);
    const Outcome outcome =
        kernel_->run(fronts_->system(), program, in, scratch_, scratch, memory.blocks);
    if (outcome == Outcome::kDone) {
      kernel_->back(fronts_->system(), scratch, scratch_, memory.blocks, unknowns);
      return {};
    }
    if (outcome == Outcome::kNoInertia) return {no_inertia(scratch.bad_body)};
    if (outcome == Outcome::kFaintChain) return {{}, true};
    const int* wider = std::upper_bound(std::begin(kWidths), std::end(kWidths), memory.blocks);
    if (wider == std::end(kWidths))
      return {{Status::Code::kSingular,
               "the loops are so interwoven that more than 255 coordinates are open at once"},
              false,
              true};
    size(index, *wider, memory.details);
  }
}

Status FrontSolver::no_inertia(int slot) const {
  return massless_status(fronts_->tree().model(), fronts_->tree().bodies()[to_index(slot)].body);
}

FrontSolver::Result FrontSolver::solve(const Inputs& given, std::span<double> unknowns,
                                       bool with_details) {
  Inputs in = given;
  // With independent unknowns held there is nothing to choose, whatever the inertias.
  in.appended = !appendages_.empty() && !in.geometric && in.held == nullptr;
  if (in.held != nullptr) std::fill(unknowns.begin(), unknowns.end(), 0.0);
  if (in.appended) {
    kernel_->place(fronts_->system(), in, scratch_, fronts_->system().in_loops);
    appendages_.gather(in, scratch_.motions);
  }
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i)
      results_[to_index(i)] = run(i, in, unknowns.data(), with_details);
  });
  for (const Result& result : results_)
    if (result.faint_chain || !result.status.ok()) return result;
  if (in.appended) appendages_.spread(scratch_.motions, accelerations_.data(), unknowns.data());
  return {};
}

double FrontSolver::accelerate(const Inputs& in, std::span<const double> unknowns) {
  return kernel_->accelerate(fronts_->system(), in, scratch_, unknowns.data());
}

double FrontSolver::smallest_pivot() const {
  double least = 1;
  for (const Memory& memory : memories_) least = std::min(least, memory.scratch.smallest_pivot);
  return least;
}

double FrontSolver::least_pivot() const {
  double least = 1e300;
  for (std::size_t f = 0; f < memories_.size(); ++f) {
    const std::vector<Operation>& operations = fronts_->fronts()[f].operations;
    for (std::size_t i = 0; i < operations.size(); ++i)
      if (operations[i].kind == Operation::kClose)
        least = std::min(least, memories_[f].least_pivots[i]);
  }
  return least;
}

// A pivot that a closing took belongs to the unknown that came into its slot last.
void FrontSolver::independent(std::vector<std::int64_t>& unknowns) const {
  unknowns.clear();
  const System& system = fronts_->system();
  for (int i = system.in_loops; i < system.body_count; ++i) {
    const tree::JointConstants& joint = system.joints[system.order[i]];
    for (int k = 0; k < joint.columns; ++k) unknowns.push_back(joint.column + k);
  }
  for (const Memory& memory : memories_) {
    std::vector<int> holder(8 * to_index(memory.blocks), -1);
    bool closing = false;
    for (int i = 0; i < memory.scratch.record_count; ++i) {
      const Record& record = memory.scratch.records[i];
      if (record.kind == Record::kOutput) holder[to_index(record.slot)] = record.to;
      if (record.kind == Record::kClosing) closing = true;
      if (record.kind == Record::kClosed) closing = false;
      if (record.kind == Record::kPivot && !closing)
        unknowns.push_back(holder[to_index(record.slot)]);
    }
  }
  std::sort(unknowns.begin(), unknowns.end());
}

const CellGuard* FrontSolver::cell_guards(int front, const Inputs& in) {
  Memory& memory = memories_[to_index(front)];
  kernel_->run_cells(fronts_->system(), memory.scratch.cells, in, scratch_,
                     memory.cell_guards.data());
  return memory.cell_guards.data();
}

int FrontSolver::lost() const {
  int sum = 0;
  for (const Memory& memory : memories_) sum += memory.scratch.lost;
  return sum;
}

}  // namespace sarrus::coordinate_reduction
