#include "sarrus/formulations/branches/plan.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sarrus::branches {
namespace {

/// A square matrix in rows of `stride`.
AlignedArray<double> padded(const MatX& A, int stride) {
  AlignedArray<double> to(static_cast<std::size_t>(A.rows() * stride));
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      to[static_cast<std::size_t>(i * stride + j)] = A(i, j);
  return to;
}

Six packed(const Mat3& J) {
  return {{J(0, 0), J(1, 1), J(2, 2), 0}, {J(0, 1), J(1, 2), J(2, 0), 0}};
}

Vec3 axial_vector(const Mat3& Z) {
  return {Z(1, 2) - Z(2, 1), Z(2, 0) - Z(0, 2), Z(0, 1) - Z(1, 0)};
}

}  // namespace

Three three(const Vec3& v) { return {{v[0], v[1], v[2], 0}}; }
Six six(const Vec6& v) { return {{v[0], v[1], v[2], 0}, {v[3], v[4], v[5], 0}}; }
Turn turn(const Mat3& R) { return {{three(R.col(0)), three(R.col(1)), three(R.col(2))}}; }
Vec3 vec3(const Three& v) { return {v.x[0], v.x[1], v.x[2]}; }
Vec6 vec6(const Six& v) {
  Vec6 to;
  to << v.w[0], v.w[1], v.w[2], v.v[0], v.v[1], v.v[2];
  return to;
}
Mat3 mat3(const Turn& R) {
  Mat3 to;
  for (int k = 0; k < 3; ++k) to.col(k) = vec3(R.column[k]);
  return to;
}

Plan::Plan(const Tree& tree, const tree::Drives& drives, const std::vector<JointId>& loop_joints,
           const std::vector<char>& is_cut)
    : tree_(&tree) {
  order_bodies(is_cut);
  describe_flexible_bodies();
  add_connections(loop_joints);
  for (int i = 0; i < body_count(); ++i) {
    describe_joint(drives, i);
    const TreeBody& place = tree.bodies()[to_index(slot(i))];
    speeds_.push_back({place.v, place.nv, drives.drive_of()[to_index(slot(i))]});
  }
  number_rows();
  for (BranchConstants& branch : branch_constants_) {
    branch.first_hinge = static_cast<int>(hinges_.size());
    for (int i = branch.first; i < branch.end; ++i)
      if (body(i).kind == Kind::kHinge) hinges_.push_back(i);
    branch.end_hinge = static_cast<int>(hinges_.size());
  }
  system_.bodies = bodies_.data();
  system_.attachments = attachments_.data();
  system_.flexible = flexible_.data();
  system_.shapes = shapes_.data();
  system_.groups = groups_.data();
  system_.hinges = hinges_.data();
  for (int k = 0; k < 3; ++k) system_.gravity[k] = tree.model().gravity()[k];
}

// Branch after branch, by depth: parents first, and neighbours that do not wait for each other.
void Plan::order_bodies(const std::vector<char>& is_cut) {
  const auto& bodies = tree_->bodies();
  std::vector<std::vector<int>> children(bodies.size());
  std::vector<int> roots;
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    const int slot = static_cast<int>(s);
    if (bodies[s].parent < 0 || is_cut[s])
      roots.push_back(slot);
    else
      children[to_index(bodies[s].parent)].push_back(slot);
  }
  place_of_slot_.assign(bodies.size(), -1);
  order_in_chains_.assign(bodies.size(), -1);
  std::vector<int> depth(bodies.size(), 0);  // in the branch
  for (const int root : roots) {
    const int branch = static_cast<int>(branches_.size());
    BranchConstants constants;
    constants.index = branch;
    constants.is_free = is_cut[to_index(root)] != 0 && bodies[to_index(root)].parent >= 0;
    constants.first = static_cast<int>(slots_.size());
    // Chain after chain first: the order of the connections' rows.
    std::vector<int> next = {root}, chains;
    while (!next.empty()) {
      const int slot = next.back();
      next.pop_back();
      order_in_chains_[to_index(slot)] = static_cast<int>(chains.size());
      chains.push_back(slot);
      next.insert(next.end(), children[to_index(slot)].rbegin(), children[to_index(slot)].rend());
    }
    for (const int slot : chains)
      if (slot != root) depth[to_index(slot)] = 1 + depth[to_index(bodies[to_index(slot)].parent)];
    std::stable_sort(chains.begin(), chains.end(),
                     [&](int a, int b) { return depth[to_index(a)] < depth[to_index(b)]; });
    for (const int slot : chains) {
      BodyConstants body{};
      const int parent = bodies[to_index(slot)].parent;
      body.is_free = is_cut[to_index(slot)] != 0 && parent >= 0;
      body.parent = parent < 0 || body.is_free ? -1 : place_of_slot_[to_index(parent)];
      const Inertia& inertia = tree_->model().body(bodies[to_index(slot)].body).inertia;
      body.mass = inertia.mass;
      body.moment = three(inertia.mass * inertia.center);
      body.J = turn(inertia.about_origin());
      place_of_slot_[to_index(slot)] = static_cast<int>(slots_.size());
      slots_.push_back(slot);
      bodies_.push_back(body);
      branch_of_.push_back(branch);
    }
    constants.end = static_cast<int>(slots_.size());
    branch_constants_.push_back(constants);
    branches_.push_back({{}, {}, tree_->model().body(bodies[to_index(root)].body).name});
  }
}

// node −1: the body's frame.
void Plan::add_attachment(int body, int node) {
  const ModalBody& modal = *tree_->model().body(tree_->bodies()[to_index(slot(body))].body).modal;
  AttachmentConstants attachment;
  attachment.body = body;
  attachment.R_0 = turn(Mat3::Identity());
  attachment.r_0 = three(Vec3::Zero());
  attachment.shapes = shapes_.size();
  shapes_.resize(shapes_.size() + to_index(2 * modal.count()), Three{});
  if (node >= 0) {
    const ModalNode& shape = modal.nodes()[to_index(node)];
    attachment.R_0 = turn(shape.X_BN.R());
    attachment.r_0 = three(shape.X_BN.p);
    for (int k = 0; k < modal.count(); ++k) {
      shapes_[attachment.shapes + to_index(k)] = three(shape.shift.col(k));
      shapes_[attachment.shapes + to_index(modal.count() + k)] = three(shape.turn.col(k));
    }
  }
  attachments_.push_back(attachment);
  nodes_of_attachments_.push_back(node);
}

// Attachments of a body stand together: all nodes that joints sit at, and the frame where that is not the
// reference frame.
void Plan::describe_flexible_bodies() {
  const Model& model = tree_->model();
  std::vector<char> own_nodes(bodies_.size(),
                              0);  // does a node carry the joint of the body itself?
  for (int i = 0; i < body_count(); ++i) {
    const TreeBody& place = tree_->bodies()[to_index(slot(i))];
    if (!place.joint.valid()) continue;
    const Joint& joint = model.joint(place.joint);
    own_nodes[to_index(i)] = (place.reversed ? joint.attachment_a : joint.attachment_b) != nullptr;
  }
  std::vector<std::vector<int>> nodes(bodies_.size());
  for (const Joint& joint : model.joints()) {
    const auto note = [&](BodyId id, const Attachment& attachment) {
      if (id == kGround || attachment == nullptr) return;
      std::vector<int>& list = nodes[to_index(place_of_slot_[to_index(tree_->slot_of(id))])];
      if (std::find(list.begin(), list.end(), attachment->node) == list.end())
        list.push_back(attachment->node);
    };
    note(joint.a, joint.attachment_a);
    note(joint.b, joint.attachment_b);
  }
  for (int i = 0; i < body_count(); ++i) {
    const Body& body = model.body(tree_->bodies()[to_index(slot(i))].body);
    bodies_[to_index(i)].first_attachment = bodies_[to_index(i)].end_attachment =
        static_cast<int>(attachments_.size());
    if (body.modal == nullptr) continue;
    const ModalData& data = body.modal->data();
    const int n = data.count();
    FlexibleConstants own;
    own.modes = n;
    own.first = body.first_mode;
    own.stride = to_lanes(n);
    // [flexible-invariants]
    std::vector<Three> S, B0, B1;
    std::vector<Six> J1, J2;
    const auto inertia_of = [](const Mat3& X) -> Mat3 {
      return X.trace() * Mat3::Identity() - 0.5 * (X + X.transpose());
    };
    for (int k = 0; k < n; ++k) {
      S.push_back(three(data.S.col(k)));
      B0.push_back(three(axial_vector(data.X[to_index(k)]) + data.rotary_coupling.col(k)));
      J1.push_back(packed(2 * inertia_of(data.X[to_index(k)])));
      for (int l = 0; l < n; ++l) {
        B1.push_back(three(axial_vector(data.Y[to_index(k * n + l)])));
        J2.push_back(packed(inertia_of(data.Y[to_index(k * n + l)]) +
                            inertia_of(data.Y[to_index(l * n + k)])));
      }
    }
    own.S = threes_.keep(std::move(S));
    own.B0 = threes_.keep(std::move(B0));
    own.B1 = threes_.keep(std::move(B1));
    own.J1 = sixes_.keep(std::move(J1));
    own.J2 = sixes_.keep(std::move(J2));
    own.mass = numbers_.keep(padded(body.modal->modal_mass(), own.stride));
    own.stiffness = numbers_.keep(padded(data.stiffness.transpose(), own.stride));
    own.damping = numbers_.keep(padded(data.damping.transpose(), own.stride));
    for (std::size_t s = 0; s < data.stiffening.size(); ++s)
      if (data.stiffening[s].size() > 0)
        own.stiffening[s] = numbers_.keep(padded(data.stiffening[s].transpose(), own.stride));
    own.Z = Z_beyond_;
    Z_beyond_ += to_index(own.stride);
    own.matrix = matrices_;
    matrices_ += to_index(n * own.stride);
    bodies_[to_index(i)].flexible = static_cast<int>(flexible_.size());
    flexible_.push_back(own);
    // Where the joint sits at the frame, that is the reference frame itself.
    if (own_nodes[to_index(i)]) add_attachment(i, -1);
    for (const int node : nodes[to_index(i)]) add_attachment(i, node);
    bodies_[to_index(i)].end_attachment = static_cast<int>(attachments_.size());
    Z_ +=
        to_index(n * (bodies_[to_index(i)].end_attachment - bodies_[to_index(i)].first_attachment));
  }
}

Handle Plan::handle(BodyId id, const Attachment& attachment) {
  Handle handle;
  if (id == kGround) return handle;
  handle.body = place_of_slot_[to_index(tree_->slot_of(id))];
  handle.branch = branch_of_[to_index(handle.body)];
  const BodyConstants& body = bodies_[to_index(handle.body)];
  if (body.flexible < 0) return handle;
  for (int s = body.first_attachment; s < body.end_attachment; ++s)
    if (nodes_of_attachments_[to_index(s)] == (attachment == nullptr ? -1 : attachment->node))
      handle.attachment = s;
  return handle;
}

void Plan::add_connections(const std::vector<JointId>& loop_joints) {
  const Model& model = tree_->model();
  connection_below_.assign(branches_.size(), -1);
  const auto add = [&](JointId id, bool closes_loop) {
    const Joint& joint = model.joint(id);
    Connection connection;
    connection.joint = id;
    connection.closes_loop = closes_loop;
    connection.R_CF = tree_->model().joint(id).X_CF().R();
    connection.R_CM = tree_->model().joint(id).X_CM().R();
    connection.a = handle(joint.a, joint.attachment_a);
    connection.b = handle(joint.b, joint.attachment_b);
    for (const PrescribedMotion& motion : model.motions())
      if (motion.at.joint == id) connection.motions.push_back(&motion);
    connection.rows = joint.constraint_count() + static_cast<int>(connection.motions.size());
    connections_.push_back(std::move(connection));
  };
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const int root = branch_constants_[b].first;
    if (!bodies_[to_index(root)].is_free) continue;
    connection_below_[b] = static_cast<int>(connections_.size());
    add(tree_->bodies()[to_index(slot(root))].joint, false);
  }
  for (const JointId joint : loop_joints) add(joint, true);
}

void Plan::describe_joint(const tree::Drives& drives, int i) {
  const TreeBody& place = tree_->bodies()[to_index(slot(i))];
  BodyConstants& body = bodies_[to_index(i)];
  body.q = place.q;
  body.v = place.v;
  Transform on_parent, on_body;
  if (place.joint.valid()) {
    const Joint& joint = tree_->model().joint(place.joint);
    on_parent = place.reversed ? joint.X_CM() : joint.X_CF();
    on_body = place.reversed ? joint.X_CF() : joint.X_CM();
    const Handle parent = handle(place.reversed ? joint.b : joint.a,
                                 place.reversed ? joint.attachment_b : joint.attachment_a);
    const Attachment& attachment = place.reversed ? joint.attachment_a : joint.attachment_b;
    body.attachment_below = parent.attachment;
    if (attachment != nullptr) body.own_attachment = handle(place.body, attachment).attachment;
  }
  const bool driven = drives.drive_of()[to_index(slot(i))] >= 0;
  body.freedom = unknown_count_;
  body.freedoms = body.is_free ? 6 : drives.unknowns()[to_index(slot(i))];
  unknown_count_ += body.freedoms;

  const Mat3 R_E = on_parent.R(), R_C = on_body.R();
  const double sign = place.reversed ? -1 : 1;
  const Vec3 z = Vec3::UnitZ();
  const auto put = [&](const Mat3& K, Turn& R, Three& p) {
    R = turn(R_E * K * R_C.transpose());
    p = three(-(R_E * K * R_C.transpose() * on_body.p));
  };
  const auto put_fixed = [&] {
    put(Mat3::Identity(), body.R, body.p);
    body.p = three(on_parent.p + vec3(body.p));
  };
  if (!driven && place.type == JointType::kRevolute) {
    body.kind = Kind::kHinge;
    const Mat3 along = z * z.transpose();
    put(along, body.R, body.p);
    body.p = three(on_parent.p + vec3(body.p));
    put(Mat3::Identity() - along, body.R_cos, body.p_cos);
    put(sign * skew(z), body.R_sin, body.p_sin);
    const Vec3 axis = sign * R_C * z;
    body.S = six(spatial(axis, axis.cross(-on_body.p)));
  } else if (!driven && place.type == JointType::kPrismatic) {
    body.kind = Kind::kSlider;
    put_fixed();
    body.p_cos = three(sign * R_E * z);
    body.S = six(spatial(Vec3::Zero(), sign * R_C * z));
  } else if (place.type == JointType::kFixed && place.joint.valid()) {
    body.kind = Kind::kWeld;
    put_fixed();
  } else {
    body.kind = Kind::kGeneral;
    body.general = general_count_++;
  }
}

// Rows of a branch in the order of the bodies that they hold on to; every body knows those at or
// beyond it.
void Plan::number_rows() {
  for (Connection& connection : connections_) {
    connection.first_row = row_count_;
    row_count_ += connection.rows;
  }
  places_.resize(to_index(row_count_));
  for (auto& places : places_) places.reserve(2);
  for (std::size_t c = 0; c < connections_.size(); ++c) {
    const Connection& connection = connections_[c];
    for (const int branch : {connection.a.branch, connection.b.branch})
      if (branch >= 0) {
        std::vector<int>& list = branches_[to_index(branch)].connections;
        if (list.empty() || list.back() != static_cast<int>(c)) list.push_back(static_cast<int>(c));
      }
  }
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    Branch& branch = branches_[b];
    BranchConstants& constants = branch_constants_[b];
    const int own = static_cast<int>(b);
    const auto place_of = [&](int c) {
      const Connection& connection = connections_[to_index(c)];
      int place = -1;
      for (const Handle* handle : {&connection.a, &connection.b})
        if (handle->branch == own)
          place = std::max(place, order_in_chains_[to_index(slots_[to_index(handle->body)])]);
      return place;
    };
    std::stable_sort(branch.connections.begin(), branch.connections.end(),
                     [&](int c, int d) { return place_of(c) < place_of(d); });
    for (int i = constants.first; i < constants.end; ++i) {
      bodies_[to_index(i)].low = std::numeric_limits<int>::max();
      bodies_[to_index(i)].high = 0;
    }
    for (const int c : branch.connections) {
      Connection& connection = connections_[to_index(c)];
      for (Handle* handle : {&connection.a, &connection.b}) {
        if (handle->branch != own) continue;
        handle->row = constants.rows;
        for (int i = handle->body; i >= 0; i = bodies_[to_index(i)].parent) {
          BodyConstants& body = bodies_[to_index(i)];
          body.on_path = true;
          body.low = std::min(body.low, constants.rows);
          body.high = std::max(body.high, constants.rows + connection.rows);
        }
      }
      for (int r = 0; r < connection.rows; ++r) {
        places_[to_index(connection.first_row + r)].push_back({own, constants.rows + r});
        branch.rows.push_back(connection.first_row + r);
      }
      constants.rows += connection.rows;
    }
    constants.stride = to_lanes(constants.rows);
    constants.H = H_;
    constants.h = h_;
    H_ += to_index(constants.stride * constants.stride);
    h_ += to_index(constants.stride);
    for (int i = constants.first; i < constants.end; ++i)
      if (BodyConstants& body = bodies_[to_index(i)]; body.high <= body.low)
        body.low = body.high = 0;  // a connection may have no rows
    // What comes to a body from one side only need not be added to anything.
    std::vector<int> sides(to_index(constants.end - constants.first), 0);
    for (const int c : branch.connections)
      for (const Handle* handle : {&connections_[to_index(c)].a, &connections_[to_index(c)].b})
        if (handle->branch == own) sides[to_index(handle->body - constants.first)] += 2;
    for (int i = constants.first; i < constants.end; ++i)
      if (const BodyConstants& body = bodies_[to_index(i)]; body.high > 0 && body.parent >= 0)
        ++sides[to_index(body.parent - constants.first)];
    for (int i = constants.first; i < constants.end; ++i) {
      BodyConstants& body = bodies_[to_index(i)];
      body.takes_rows = sides[to_index(i - constants.first)] == 1;
      if (body.high > 0 && !body.takes_rows) branch.adding.push_back(i);
      const int width = to_lanes(body.high) - (body.low & ~3);
      body.columns = columns_;
      columns_ += to_index(width);
      if (body.flexible < 0) continue;
      FlexibleConstants& flexible = flexible_[to_index(body.flexible)];
      flexible.width = 12 + width;
      flexible.coupled = coupled_;
      coupled_ += to_index(flexible.modes * flexible.width);
    }
    group_unknowns(constants);
  }
}

void Plan::group_unknowns(BranchConstants& branch) {
  branch.first_group = static_cast<int>(groups_.size());
  for (int i = branch.first; i < branch.end; ++i) {
    const int low = bodies_[to_index(i)].low, high = bodies_[to_index(i)].high;
    const auto is_same = [&](const RowGroup& group) {
      return group.low == low && group.high == high;
    };
    if (high == low || std::any_of(groups_.begin() + branch.first_group, groups_.end(), is_same))
      continue;
    const std::size_t width = to_index(to_lanes(high) - (low & ~3));
    RowGroup group{low, high, 0, products_};
    for (int k = i; k < branch.end; ++k) {
      BodyConstants& body = bodies_[to_index(k)];
      if (body.low != low || body.high != high) continue;
      const auto take = [&](int unknowns) {
        group.unknowns += unknowns;
        return std::exchange(products_, products_ + to_index(unknowns) * width);
      };
      body.row = take(body.freedoms);
      if (body.flexible < 0) continue;
      FlexibleConstants& flexible = flexible_[to_index(body.flexible)];
      flexible.row = take(flexible.modes);
    }
    groups_.push_back(group);
  }
  branch.end_group = static_cast<int>(groups_.size());
}

}  // namespace sarrus::branches
