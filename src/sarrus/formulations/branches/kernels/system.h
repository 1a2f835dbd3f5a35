#pragma once

#include <cstddef>

/// What the kernels of `branches` work on: plain numbers, angular and linear parts in four lanes each,
/// the fourth always zero. All vectors are in world axes unless said otherwise.
namespace sarrus::branches {

struct alignas(32) Three {
  double x[4];
};
struct alignas(32) Six {
  double w[4], v[4];
};
/// A rotation matrix, or any other of three rows and columns, by columns.
struct Turn {
  Three column[3];
};

/// A frame in the world: its axes, its origin, and how it moves.
struct Frame {
  Turn R;
  Three p;
  Six V;
};

enum class Kind {
  kHinge,
  kSlider,
  kWeld,
  kGeneral,  ///< any other, or with prescribed motions: a GeneralJoint says where it is
};

/// A place on a flexible body where something sits: one of its nodes, or its frame.
struct AttachmentConstants {
  int body = 0;
  Turn R_0;  ///< undeformed, in the body's frame
  Three r_0;
  std::size_t shapes = 0;  ///< into System::shapes: shift, then turn of every mode
};

/// A body and the joint it hangs on. Its *reference frame* is what carries that joint on it: its own
/// frame, or one of its nodes. Motions and wrenches of the body are about that frame's origin.
struct BodyConstants {
  int parent = -1;  ///< −1: ground
  Kind kind = Kind::kWeld;
  bool is_free =
      false;  ///< the root of a branch that is not tied to ground: its joint is a connection
  bool on_path = false;       ///< on the way from the branch's root to a connection
  int attachment_below = -1;  ///< that carries its joint on the parent; −1: the parent's frame
  int own_attachment = -1;    ///< that carries its joint on itself; −1: its frame
  int first_attachment = 0, end_attachment = 0;
  int general = -1;               ///< which GeneralJoint
  int q = 0, v = 0;               ///< of a hinge or slider, in the state
  int freedom = 0, freedoms = 0;  ///< accelerations that are unknown
  int flexible = -1;              ///< which FlexibleConstants
  // Rows of the branch that connections beyond this body, or on it, have: [low, high).
  int low = 0, high = 0;
  bool takes_rows = false;  ///< they are those of one child, and no connection holds on to it
  std::size_t columns = 0;  ///< where their wrenches stand, from low rounded to lanes on
  std::size_t row = 0;      ///< where their products with the first freedom stand, likewise
  double mass = 0;
  Three moment;  ///< mass times centre of mass, body axes
  Turn J;        ///< about the origin of the body's frame, body axes
  /// The reference frame against what carries the joint on the parent: a hinge's are
  /// R + cos q R_cos + sin q R_sin, likewise p; a slider's p + q p_cos.
  Turn R, R_cos, R_sin;
  Three p, p_cos, p_sin;
  Six S;  ///< of a hinge or slider: motion for unit speed, in the axes of the reference frame
};

/// [flexible-invariants], per mode or per pair of modes; packed inertias are
/// (xx, yy, zz, –, xy, yz, zx, –).
struct FlexibleConstants {
  int modes = 0;
  int first = 0;   ///< its modes, among all
  int stride = 0;  ///< modes rounded up to lanes
  int width = 0;   ///< of a row of `coupled`: 12 and the rows of connections, rounded to lanes
  std::size_t matrix = 0;   ///< modes × stride in Scratch::modal_mass
  std::size_t coupled = 0;  ///< modes × width in Scratch::coupled
  std::size_t row = 0;      ///< where the products of the rows with the first mode stand
  std::size_t Z = 0;        ///< `stride` of Scratch::Z_beyond
  const Three* S = nullptr;
  const Three* B0 = nullptr;
  const Three* B1 = nullptr;  ///< k · modes + l
  const Six* J1 = nullptr;
  const Six* J2 = nullptr;       ///< of both orders of a pair together
  const double* mass = nullptr;  ///< modes × stride
  // By columns.
  const double *stiffness = nullptr, *damping = nullptr;
  const double* stiffening[6] = {};  ///< null: none
};

/// All unknowns of a branch that the same rows [low, high) act on; their products stand together.
struct RowGroup {
  int low = 0, high = 0;
  int unknowns = 0;
  std::size_t products = 0;
};

/// Bodies of a branch stand together, parents first.
struct BranchConstants {
  int index = 0;
  bool is_free = false;    ///< its root is: frames are found against the root first
  int first = 0, end = 0;  ///< bodies
  int rows = 0;            ///< of its connections
  int stride = 0;          ///< of its matrix
  int first_group = 0, end_group = 0;
  int first_hinge = 0, end_hinge = 0;  ///< of System::hinges
  std::size_t H = 0;                   ///< stride × stride, in Scratch::H
  std::size_t h = 0;                   ///< in Scratch::h
};

struct System {
  const BodyConstants* bodies = nullptr;
  const AttachmentConstants* attachments = nullptr;
  const FlexibleConstants* flexible = nullptr;
  const Three* shapes = nullptr;
  const RowGroup* groups = nullptr;
  const int* hinges = nullptr;  ///< bodies
  double gravity[3] = {};
};

/// A joint as its own maps give it, in the axes of the body's reference frame.
struct GeneralJoint {
  Turn R;  ///< of the reference frame against what carries the joint on the parent
  Three p;
  Six S[6];   ///< one for each unknown acceleration
  Six V;      ///< relative velocity
  Six given;  ///< relative acceleration without the unknown ones
};

struct Inputs {
  const double* q = nullptr;
  const double* v = nullptr;
  const double* eta = nullptr;
  const double* eta_rate = nullptr;
  const double* tau = nullptr;  ///< one for each unknown acceleration
};

/// The relative pose and velocity that a joint gives.
struct JointPose {
  Turn R;
  Three p;
};

/// A node against its body's frame, in body axes.
struct AttachmentPose {
  Turn R;
  Three r;
  Six rate;
  Three turn;       ///< rotation vector of the deformation
  Three turn_bias;  ///< [flexible-node]
  double a, b;      ///< Jl = 1 + a u~ + b u~²
};

/// A node against its body's reference frame, world axes: A = A_ref shifted by s + Z η̈ + bias.
struct AttachmentMotion {
  Frame frame;
  Three s;
  Six bias;
  std::size_t Z = 0;  ///< one of Scratch::Z for each mode
};

struct BodyData {
  Frame frame;   ///< the reference frame
  Three r;       ///< from the parent's reference point
  Six c;         ///< acceleration beyond that of the parent and of unknowns
  Six I[6];      ///< by columns: own inertia, then with all beyond
  Six p;         ///< own bias, then with all beyond
  Six A;         ///< acceleration, ground accelerating upwards instead of weight
  Six external;  ///< wrench at the body's own frame
  double power;  ///< of modal forces without a potential
};

struct FreedomData {
  Six S, U;
  double D_inverse, u;
  double scale;  ///< √D⁻¹
};

/// The mass matrix of a branch, its factor, and what goes with it.
struct DenseScratch {
  int stride = 0, width = 0;
  double* M = nullptr;
  double* B = nullptr;  ///< forces on the unknowns for unit forces on the rows
  double* force = nullptr;
  double* solution = nullptr;
};

struct Scratch {
  BodyData* bodies = nullptr;
  JointPose* poses = nullptr;
  Frame* relative = nullptr;  ///< of bodies on paths of free branches, against their branch's root
  GeneralJoint* general = nullptr;
  AttachmentPose* attachment_poses = nullptr;
  AttachmentMotion* attachments = nullptr;
  Six* Z = nullptr;
  Six* Z_beyond = nullptr;  ///< motion of what hangs on a node, for unit rates of the modes
  FreedomData* freedoms = nullptr;
  double* products = nullptr;  ///< of unknowns, scaled to unit inertia, and rows of connections
  Six* columns = nullptr;      ///< wrenches of rows
  double* modal_mass = nullptr;
  double* coupled = nullptr;
  double* external_modes = nullptr;
  double* H = nullptr;
  double* h = nullptr;
  DenseScratch* dense = nullptr;  ///< per branch, where there are mass matrices
  int* first_unknown = nullptr;   ///< per body
  /// What the diagonal of H would be if nothing cancelled, like h; null: nobody asks.
  double* bounds = nullptr;
};

/// Where an elimination stands after it could not go on.
struct Trouble {
  int body = -1;  ///< that moves without inertia; −1: none
};

/// A dense set of rows, some of which are closed here; symmetric.
struct FrontData {
  int rows = 0, closed = 0;  ///< closed ones first
  int stride = 0;
  double* F = nullptr;       ///< room for `stride` rows
  double* pivots = nullptr;  ///< 1/d in the order of elimination
  int* order = nullptr;      ///< closed rows that were eliminated
  double* left = nullptr;    ///< diagonal, of rows that were not eliminated
  double* live = nullptr;    ///< all bits, of those
  int rank = 0;
  int most = 0;  ///< rows that can be independent
  /// Of closed rows, 1 over a pivot that means something; of others zero.
  const double* inverse_scale = nullptr;
};

struct Kernel {
  const char* name;
  /// Poses of joints and nodes of a branch's bodies; those on paths against the branch's root.
  void (*prepare)(const System&, const BranchConstants&, const Inputs&, Scratch&);
  /// A frame that is carried along, from its parent's. World axes, or those of a branch's root.
  void (*carry)(const System&, int body, const Frame& carrier, const Inputs&, const Scratch&,
                Frame& to);
  /// A frame that is known against another one.
  void (*compose)(const Frame& below, const Frame& relative, Frame& to);
  /// An attachment's frame from that of its body, likewise.
  void (*attachment_frame)(const System&, int attachment, const Frame& body, const Scratch&,
                           Frame& to);
  /// All frames, inertias and biases; the frame of a free root must be in place.
  void (*place)(const System&, const BranchConstants&, const Inputs&, Scratch&);
  /// Articulated inertias, H and h.
  Trouble (*inward)(const System&, const BranchConstants&, const Inputs&, Scratch&);
  /// Accelerations under forces λ on the rows. Homogeneous: velocities that impulses λ make.
  void (*outward)(const System&, const BranchConstants&, const double* lambda, bool homogeneous,
                  Scratch&, double* v_rate, double* eta_rate);
  /// The same two by a mass matrix.
  Trouble (*dense_inward)(const System&, const BranchConstants&, const Inputs&, Scratch&);
  void (*dense_outward)(const System&, const BranchConstants&, const double* lambda,
                        bool homogeneous, Scratch&, double* v_rate, double* eta_rate);
  void (*factor)(FrontData&, double tolerance);
  /// h of the closed rows eliminated from all.
  void (*reduce)(const FrontData&, double* h);
  /// λ of closed rows, from those of the others.
  void (*expand)(const FrontData&, const double* h, double* lambda);
};

}  // namespace sarrus::branches
