#pragma once

#include "sarrus/formulations/branches/kernels/angles.h"

/// Where everything is, how it moves, and its own inertia and bias.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// Four hinges at a time, those missing from the last four instead of others.  [branches-joint]
SARRUS_INLINE void pose_hinges(const System& system, const BranchConstants& branch,
                               const Inputs& in, Scratch& scratch) {
  for (int first = branch.first_hinge; first < branch.end_hinge; first += 4) {
    const int last = branch.end_hinge - 1;
    int at[4];
    for (int lane = 0; lane < 4; ++lane)
      at[lane] = system.hinges[first + lane < last ? first + lane : last];
    const auto angle = [&](int lane) { return in.q[system.bodies[at[lane]].q]; };
    V4 sine, cosine;
    sines_and_cosines(V4{angle(0), angle(1), angle(2), angle(3)}, sine, cosine);
#pragma GCC unroll 4
    for (int lane = 0; lane < 4; ++lane) {
      const BodyConstants& body = system.bodies[at[lane]];
      JointPose& to = scratch.poses[at[lane]];
      const V4 c = all(cosine[lane]), s = all(sine[lane]);
      for (int k = 0; k < 3; ++k)
        store(to.R.column[k], load(body.R.column[k]) + c * load(body.R_cos.column[k]) +
                                  s * load(body.R_sin.column[k]));
      store(to.p, load(body.p) + c * load(body.p_cos) + s * load(body.p_sin));
    }
  }
}

SARRUS_INLINE void pose_joint(const BodyConstants& body, const Inputs& in, const Scratch& scratch,
                              JointPose& to) {
  switch (body.kind) {
    case Kind::kHinge:
      break;  // it is there
    case Kind::kSlider:
      to.R = body.R;
      store(to.p, load(body.p) + in.q[body.q] * load(body.p_cos));
      break;
    case Kind::kWeld:
      to.R = body.R;
      to.p = body.p;
      break;
    case Kind::kGeneral:
      to.R = scratch.general[body.general].R;
      to.p = scratch.general[body.general].p;
      break;
  }
}

/// Relative velocity through the joint, in the axes that R turns the body's into.
SARRUS_INLINE W6 joint_velocity(const BodyConstants& body, const M3& R, const Inputs& in,
                                const Scratch& scratch) {
  if (body.kind == Kind::kGeneral) return R * scratch.general[body.general].V;
  if (body.kind == Kind::kWeld) return nothing();
  return in.v[body.v] * (R * body.S);
}

/// [flexible-node]
static void pose_attachment(const System& system, const AttachmentConstants& attachment,
                            const Inputs& in, AttachmentPose& to) {
  const FlexibleConstants& own = system.flexible[system.bodies[attachment.body].flexible];
  const Three* shift = system.shapes + attachment.shapes;
  const Three* turn = shift + own.modes;
  const double* eta = in.eta + own.first;
  const double* rate = in.eta_rate + own.first;
  V4 r = load(attachment.r_0), u = zero(), r_rate = zero(), u_rate = zero();
  for (int k = 0; k < own.modes; ++k) {
    r += eta[k] * load(shift[k]);
    u += eta[k] * load(turn[k]);
    r_rate += rate[k] * load(shift[k]);
    u_rate += rate[k] * load(turn[k]);
  }
  const double t = dot(u, u);
  // sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³ and the slopes of the last two by θ, over θ.
  double sine, a, b, a_slope, b_slope;
  if (t < 1e-2) {
    sine = 1 - t * (1.0 / 6 - t * (1.0 / 120 - t * (1.0 / 5040 - t * (1.0 / 362880))));
    a = 0.5 - t * (1.0 / 24 - t * (1.0 / 720 - t * (1.0 / 40320 - t / 3628800)));
    b = 1.0 / 6 - t * (1.0 / 120 - t * (1.0 / 5040 - t * (1.0 / 362880 - t / 39916800)));
    a_slope = -1.0 / 12 + t * (1.0 / 180 - t * (1.0 / 6720 - t * (1.0 / 453600 - t / 47900160)));
    b_slope =
        -1.0 / 60 + t * (1.0 / 1260 - t * (1.0 / 60480 - t * (1.0 / 4989600 - t / 622702080)));
  } else {
    const double theta = std::sqrt(t);
    const double s = std::sin(theta), versine = 1 - std::cos(theta);
    sine = s / theta;
    a = versine / t;
    b = (theta - s) / (t * theta);
    a_slope = (theta * s - 2 * versine) / (t * t);
    b_slope = (theta * versine - 3 * (theta - s)) / (t * t * theta);
  }
  // R = (1 + sine u~ + a u~²) R_0
  for (int k = 0; k < 3; ++k) {
    const V4 x = load(attachment.R_0.column[k]);
    const V4 ux = cross(u, x);
    store(to.R.column[k], x + sine * ux + a * cross(u, ux));
  }
  const V4 uu = cross(u, u_rate);
  const V4 w = u_rate + a * uu + b * cross(u, uu);
  const double slow = dot(u, u_rate);
  store(to.r, r);
  store(to.rate, W6{w, r_rate});
  store(to.turn, u);
  // d/dt of Jl, times u̇: ȧ u×u̇ + ḃ u×(u×u̇) + b u̇×(u×u̇)
  store(to.turn_bias,
        (a_slope * slow) * uu + (b_slope * slow) * cross(u, uu) + b * cross(u_rate, uu));
  to.a = a;
  to.b = b;
}

static void carry(const System& system, int i, const Frame& carrier, const Inputs& in,
                  const Scratch& scratch, Frame& to) {
  const BodyConstants& body = system.bodies[i];
  const JointPose& pose = scratch.poses[i];
  const M3 R_P = load(carrier.R);
  const M3 R = R_P * pose.R;
  const V4 r = R_P * pose.p;
  store(to.R, R);
  store(to.p, load(carrier.p) + r);
  store(to.V, shift_motion(load(carrier.V), r) + joint_velocity(body, R, in, scratch));
}

static void compose(const Frame& below, const Frame& relative, Frame& to) {
  const M3 R = load(below.R);
  const V4 r = R * relative.p;
  const W6 V = shift_motion(load(below.V), r) + R * relative.V;
  store(to.R, R * relative.R);
  store(to.p, load(below.p) + r);
  store(to.V, V);
}

/// The body's own frame, from its reference frame; `room` for it, where it is another one.
SARRUS_INLINE const Frame& own_frame(const BodyConstants& body, const Frame& reference,
                                     const Scratch& scratch, Frame& room) {
  if (body.own_attachment < 0) return reference;
  const AttachmentPose& attachment = scratch.attachment_poses[body.own_attachment];
  const M3 R = load(reference.R) * transposed(load(attachment.R));
  const V4 s = R * attachment.r;
  store(room.R, R);
  store(room.p, load(reference.p) - s);
  store(room.V, shift_motion(load(reference.V) - R * attachment.rate, -s));
  return room;
}

static void attachment_frame(const System& system, int i, const Frame& reference,
                             const Scratch& scratch, Frame& to) {
  Frame room;
  const Frame& own = own_frame(system.bodies[system.attachments[i].body], reference, scratch, room);
  const AttachmentPose& attachment = scratch.attachment_poses[i];
  const M3 R = load(own.R);
  const V4 s = R * attachment.r;
  store(to.R, R * attachment.R);
  store(to.p, load(own.p) + s);
  store(to.V, shift_motion(load(own.V), s) + R * attachment.rate);
}

SARRUS_INLINE void rest(Frame& frame) {
  store(frame.R, identity());
  store(frame.p, zero());
  store(frame.V, nothing());
}

static void prepare(const System& system, const BranchConstants& branch, const Inputs& in,
                    Scratch& scratch) {
  pose_hinges(system, branch, in, scratch);
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    pose_joint(body, in, scratch, scratch.poses[i]);
    for (int s = body.first_attachment; s < body.end_attachment; ++s)
      pose_attachment(system, system.attachments[s], in, scratch.attachment_poses[s]);
    if (!body.on_path) continue;
    // Of a branch that hangs on ground this is where the bodies are.
    const auto frame = [&](int k) -> Frame& {
      return branch.is_free ? scratch.relative[k] : scratch.bodies[k].frame;
    };
    Frame below;
    if (body.is_free) {
      rest(frame(i));
    } else if (body.parent < 0) {
      rest(below);
      carry(system, i, below, in, scratch, frame(i));
    } else if (body.attachment_below < 0) {
      carry(system, i, frame(body.parent), in, scratch, frame(i));
    } else {
      const Frame& attachment = scratch.attachments[body.attachment_below].frame;
      carry(system, i, attachment, in, scratch, frame(i));
    }
    for (int s = body.first_attachment; s < body.end_attachment; ++s)
      attachment_frame(system, s, frame(i), scratch, scratch.attachments[s].frame);
  }
}

SARRUS_INLINE void put_inertia(const M3& J, V4 moment, double mass, Six (&I)[6]) {
  for (int k = 0; k < 3; ++k) {
    V4 e = zero();
    e[k] = 1;
    const V4 turned = cross(moment, e);
    store(I[k], W6{J.column[k], -turned});
    store(I[3 + k], W6{turned, mass * e});
  }
}

static void place_rigid(const BodyConstants& body, BodyData& data) {
  const M3 R = load(data.frame.R);
  const M3 RJ = R * body.J;
  const M3 J = product_with_transposed(RJ, data.frame.R);
  const V4 moment = R * body.moment;
  const V4 w = load(data.frame.V.w);
  put_inertia(J, moment, body.mass, data.I);
  store(data.p, W6{cross(w, J * w), cross(w, cross(w, moment))} - load(data.external));
}

/// A node in world axes against the body's own frame: s, Z and bias.  [flexible-node]
static void place_attachment(const System& system, int i, const M3& R, V4 w,
                             const FlexibleConstants& own, Scratch& scratch, AttachmentMotion& to) {
  const AttachmentPose& pose = scratch.attachment_poses[i];
  const Three* shift = system.shapes + system.attachments[i].shapes;
  const Three* turn = shift + own.modes;
  const V4 u = load(pose.turn);
  Six* Z = scratch.Z + to.Z;
  for (int k = 0; k < own.modes; ++k) {
    const V4 x = load(turn[k]);
    const V4 ux = cross(u, x);
    store(Z[k], W6{R * (x + pose.a * ux + pose.b * cross(u, ux)), R * shift[k]});
  }
  const V4 s = R * pose.r;
  const W6 rate = R * pose.rate;
  store(to.s, s);
  store(to.bias,
        W6{cross(w, rate.w) + R * pose.turn_bias, cross(w, cross(w, s)) + 2 * cross(w, rate.v)});
}

/// [flexible-mass], [flexible-bias]
template <int kModes>
static void place_flexible(const System& system, const BodyConstants& body,
                           const FlexibleConstants& own, const Inputs& in, BodyData& data,
                           Scratch& scratch) {
  const int n = count_of<kModes>(own), stride = stride_of<kModes>(own);
  const double* eta = in.eta + own.first;
  const double* rate = in.eta_rate + own.first;
  double* mass = scratch.modal_mass + own.matrix;
  double* coupled = scratch.coupled + own.coupled;
  Frame room;
  const Frame& frame = own_frame(body, data.frame, scratch, room);
  const M3 R = load(frame.R);
  const V4 w_W = load(frame.V.w);
  const V4 w = transposed_product(R, w_W);

  V4 moment = load(body.moment), moment_rate = zero(), turning_rate = zero(), slope_w = zero();
  W6 J_sum = nothing();
  for (int k = 0; k < n; ++k) {
    moment += eta[k] * load(own.S[k]);
    moment_rate += rate[k] * load(own.S[k]);
    const W6 J1 = load(own.J1[k]);
    W6 slope = J1;
    V4 B = load(own.B0[k]), gyration = zero();
    for (int l = 0; l < n; ++l) {
      slope = slope + eta[l] * load(own.J2[k * n + l]);
      const V4 B1 = load(own.B1[l * n + k]);
      B += eta[l] * B1;
      gyration += rate[l] * B1;
    }
    J_sum = J_sum + (0.5 * eta[k]) * (J1 + slope);
    turning_rate += rate[k] * B;
    const V4 turned = packed_product(slope, w);
    slope_w += rate[k] * turned;
    double* row = coupled + k * own.width;
    for (int j = 8; j < own.width; j += 4) store(row + j, zero());
    store(row, R * B);
    store(row + 4, R * own.S[k]);
    row[8] = 2 * dot(w, gyration) - 0.5 * dot(w, turned);
  }
  const double products[6] = {w[0] * w[0], w[1] * w[1], w[2] * w[2],
                              w[0] * w[1], w[1] * w[2], w[2] * w[0]};
  double power = 0;
  for (int first = 0; first < stride; first += 4) {
    V4 elastic = zero(), lossy = zero();
    for (int l = 0; l < n; ++l) {
      elastic += eta[l] * load(own.stiffness + l * stride + first);
      lossy += rate[l] * load(own.damping + l * stride + first);
    }
    for (int s = 0; s < 6; ++s)
      if (own.stiffening[s] != nullptr)
        for (int l = 0; l < n; ++l)
          lossy += (products[s] * eta[l]) * load(own.stiffening[s] + l * stride + first);
    const V4 force = elastic + lossy;
    for (int k = first; k < first + 4 && k < n; ++k) {
      coupled[k * own.width + 8] += force[k - first] - scratch.external_modes[own.first + k];
      power -= rate[k] * lossy[k - first];
    }
  }
  data.power = power;
  for (int i = 0; i < n * stride; i += 4) store(mass + i, load(own.mass + i));

  M3 J = load(body.J);
  J.column[0] += V4{J_sum.w[0], J_sum.v[0], J_sum.v[2], 0};
  J.column[1] += V4{J_sum.v[0], J_sum.w[1], J_sum.v[1], 0};
  J.column[2] += V4{J_sum.v[2], J_sum.v[1], J_sum.w[2], 0};
  const V4 Jw = J * w;
  const W6 bias = {cross(w, Jw + turning_rate) + slope_w,
                   cross(w, cross(w, moment)) + 2 * cross(w, moment_rate)};
  const M3 RJ = R * J;
  const M3 J_W = product_with_transposed(RJ, frame.R);
  put_inertia(J_W, R * moment, body.mass, data.I);
  store(data.p, R * bias - load(data.external));

  for (int s = body.first_attachment; s < body.end_attachment; ++s)
    place_attachment(system, s, R, w_W, own, scratch, scratch.attachments[s]);
  if (body.own_attachment >= 0) {
    // Everything about the node that carries the joint instead.  [branches-rebase]
    const AttachmentMotion attachment = scratch.attachments[body.own_attachment];
    const V4 s = load(attachment.s);
    const Six* Z = scratch.Z + attachment.Z;
    W6 p = load(data.p);
    const W6 held = nothing() - shift_motion(load(attachment.bias), -s);
    p = p + product(data.I, held);
    for (int k = 0; k < n; ++k) {
      double* row = coupled + k * own.width;
      row[8] += dot(W6{load(row), load(row + 4)}, held);
    }
    for (int k = 0; k < n; ++k) {
      const W6 W_k = nothing() - shift_motion(load(Z[k]), -s);
      const W6 IW = product(data.I, W_k);
      double* row = coupled + k * own.width;
      const W6 before = {load(row), load(row + 4)};
      const W6 after = before + IW;
      row[8] += dot(W_k, p);
      // Row and column k of the modal mass: rows before k have been changed already.
      for (int l = 0; l < n; ++l) {
        const double* other = coupled + l * own.width;
        const double change = dot(W_k, W6{load(other), load(other + 4)});
        mass[k * stride + l] += change;
        mass[l * stride + k] += change;
      }
      mass[k * stride + k] += dot(W_k, IW);
      store(row, after.w);
      store(row + 4, after.v);
    }
    W6 I[6];
    Three back;
    store(back, -s);
    shift_inertia_back(data.I, back, cross_matrix(back), I);
    for (int k = 0; k < 6; ++k) store(data.I[k], I[k]);
    store(data.p, shift_force(p, s));
    for (int k = 0; k < n; ++k) {
      double* row = coupled + k * own.width;
      const W6 there = shift_force(W6{load(row), load(row + 4)}, s);
      store(row, there.w);
      store(row + 4, there.v);
    }
    // The own attachment last, for the others are told by it.
    const auto rebase = [&](AttachmentMotion& other) {
      const V4 d = load(other.s) - s;
      Six* Z_other = scratch.Z + other.Z;
      for (int k = 0; k < n; ++k) store(Z_other[k], load(Z_other[k]) - shift_motion(load(Z[k]), d));
      store(other.bias, load(other.bias) - shift_motion(load(attachment.bias), d));
      store(other.s, d);
    };
    for (int t = body.first_attachment; t < body.end_attachment; ++t)
      if (t != body.own_attachment) rebase(scratch.attachments[t]);
    rebase(scratch.attachments[body.own_attachment]);
  }
}

static void place(const System& system, const BranchConstants& branch, const Inputs& in,
                  Scratch& scratch) {
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    if (!body.is_free) {
      // [branches-motion]
      Frame ground;
      const Frame* below = &ground;
      W6 bias = nothing();
      V4 arm = zero();
      if (body.parent < 0) {
        rest(ground);
      } else if (body.attachment_below >= 0) {
        const AttachmentMotion& attachment = scratch.attachments[body.attachment_below];
        below = &attachment.frame;
        bias = load(attachment.bias);
        arm = load(attachment.s);
      } else {
        below = &scratch.bodies[body.parent].frame;
      }
      if (branch.is_free || !body.on_path) carry(system, i, *below, in, scratch, data.frame);
      const M3 R = load(data.frame.R);
      const V4 r = load(below->R) * scratch.poses[i].p;
      store(data.r, arm + r);
      const W6 V = joint_velocity(body, R, in, scratch);
      const V4 w_P = load(below->V.w);
      W6 c = shift_motion(bias, r) +
             W6{cross(w_P, V.w), cross(w_P, cross(w_P, r) + 2 * V.v) + cross(V.w, V.v)};
      FreedomData* freedoms = scratch.freedoms + body.freedom;
      if (body.kind == Kind::kGeneral) {
        const GeneralJoint& joint = scratch.general[body.general];
        c = c + R * joint.given;
        for (int k = 0; k < body.freedoms; ++k) store(freedoms[k].S, R * joint.S[k]);
      } else if (body.freedoms > 0) {
        store(freedoms[0].S, R * body.S);
      }
      store(data.c, c);
    }
    data.power = 0;
    if (body.flexible < 0)
      place_rigid(body, data);
    else
      with_modes(system.flexible[body.flexible].modes, [&]<int kModes>(Modes<kModes>) {
        place_flexible<kModes>(system, body, system.flexible[body.flexible], in, data, scratch);
      });
    if (!branch.is_free && body.on_path) continue;  // they are there
    for (int s = body.first_attachment; s < body.end_attachment; ++s)
      attachment_frame(system, s, data.frame, scratch, scratch.attachments[s].frame);
  }
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
