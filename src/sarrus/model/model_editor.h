#pragma once

#include <string>
#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// Where the elements of a model are in the one that an edit made of it; invalid: no more.
struct IdMap {
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
};

/// A model with changes made. Its reference configuration is where the mechanism is and how it moves.
struct EditedModel {
  Model model;
  IdMap map;
  bool closes = false;            ///< constraints were added: velocities may have to jump
  bool snaps = false;             ///< a joint is open by a little: poses have to move
  std::vector<std::string> told;  ///< what was done, a phrase each
};

/// When edits are judged: at their moment, or beforehand, when nobody knows where things will be.
enum class JudgedAt { kNow, kBeforeRun };

/// Where joints are restored whose bodies have hardly moved apart: in their old places, or where their
/// bodies are, as all others.  [edit-return]
enum class Rejoin { kReturns, kHere };

/// Makes a new model of one that is moving, edit by edit.  [edit-new-model]
///
/// @code
/// ModelEditor editor(model, configuration, t);
/// editor.apply({.what = CutJoint{"hinge"}});
/// EditedModel edited = editor.finish();
/// @endcode
class ModelEditor {
 public:
  ModelEditor(const Model& model, const Configuration& now, double t,
              JudgedAt judge = JudgedAt::kNow);

  /// What is wrong with it goes to problems().
  void apply(const Edit& edit);

  void set_rejoin(Rejoin where) { rejoin_ = where; }

  /// The soft joint of that name becomes the joint it stands for.
  void harden(const std::string& soft_joint);

  /// New tuning of a soft joint, of which all else stays.
  void tune(std::size_t soft_joint, const SoftJoint& tuned);

  void set_lead(const std::string& soft_joint, const Vec6& lead);

  const std::vector<Diagnostic>& problems() const { return problems_; }
  const Model& model() const { return model_; }

  /// @throws ModelError when there were problems. The editor is spent.
  EditedModel finish();

 private:
  void apply(const CutJoint& edit, const Source& source);
  void apply(const RestoreJoint& edit, const Source& source);
  void apply(const AddBody& edit, const Source& source);
  void apply(const AddJoint& edit, const Source& source);
  void apply(const AddForce& edit, const Source& source);
  void apply(const RemoveBody& edit, const Source& source);
  void apply(const RemoveJoint& edit, const Source& source);
  void apply(const RemoveForce& edit, const Source& source);
  void apply(const SetNumber& edit, const Source& source);
  void apply(const GrabBody& edit, const Source& source);
  void apply(const MoveGrab& edit, const Source& source);
  void apply(const ReleaseGrab& edit, const Source& source);

  void error(const SourceLocation& where, std::string what, std::string hint = {});
  bool append(const Description& additions);
  int find_body(const std::string& name, const SourceLocation& where);
  int find_joint(const std::string& name, const SourceLocation& where);
  int find_grab(const std::string& name, const SourceLocation& where);
  void check_motion(const PrescribedMotion& motion, const SourceLocation& where);
  void close_here(Joint& joint, const std::vector<PrescribedMotion>& motions) const;
  bool faces_the_wrong_way(const Joint& joint) const;
  Vec6 gap_of(const Joint& joint) const;
  void read_coordinates(Joint& joint) const;
  void pull_together(const CutAway& away, bool keeps);
  void put_back(CutAway away);
  CutAway take_out(int joint);
  void erase_body(int body);
  std::vector<std::string> forces_on(JointId joint) const;
  std::vector<std::string> users_of(BodyId body) const;
  void erase_forces_on(BodyId body);
  void index_names();
  void index_modes();
  bool refused_for_flexible(const Edit& edit);

  Model model_;
  double t_;
  JudgedAt judge_;
  Rejoin rejoin_ = Rejoin::kReturns;
  std::vector<int> old_body_, old_joint_;  ///< where the elements come from; −1: they are new
  std::size_t body_count_, joint_count_;   ///< of the model at the start
  bool closes_ = false;
  bool snaps_ = false;
  std::vector<std::string> told_;
  std::vector<Diagnostic> problems_;
};

/// All edits at once.
/// @throws ModelError with every mistake; nothing has changed then.
EditedModel edit(const Model& model, const Configuration& now, double t,
                 const Transaction& transaction, Rejoin rejoin = Rejoin::kReturns);

/// A configuration of the old model in terms of the new one: what is new stands and moves as the new
/// model's reference configuration says.  [edit-transfer]
Configuration transfer(const Configuration& configuration, const IdMap& map, const Model& from,
                       const Model& to);

}  // namespace sarrus
