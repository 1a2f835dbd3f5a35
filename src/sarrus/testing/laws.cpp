#include "sarrus/testing/laws.h"

#include <algorithm>

#include "sarrus/testing/verdict_of.h"
#include "sarrus/testing/wrenches.h"

namespace sarrus::testing {
namespace {

/// Sums that should vanish, with the size of what was summed.
struct Balance {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  double force_size = 0, torque_size = 0;
  double length = 0;  ///< turns the size of forces into one of torques

  void add(const Vec3& f, const Vec3& arm, const Vec3& t) {
    force += f;
    torque += t + arm.cross(f);
    force_size += f.norm();
    torque_size += t.norm();
    length = std::max(length, arm.norm());
  }

  void add(const MomentumRate& rate, const Vec3& arm) {
    add(-rate.force, arm, -rate.torque);
    force_size += rate.force_size;
    torque_size += rate.torque_size;
  }

  void judge(const std::string& whose, VerdictOf& verdict) const {
    verdict.add(force.norm(), force_size, [&] { return whose + ": forces"; });
    verdict.add(torque.norm(), torque_size + length * force_size,
                [&] { return whose + ": torques"; });
  }
};

}  // namespace

Verdict newton_euler(const Model& model, const Motion& motion) {
  std::vector<Balance> balances(model.bodies().size());
  std::vector<Vec3> centers(model.bodies().size(), Vec3::Zero());
  for (int i = 1; i < model.body_count(); ++i) {
    const MomentumRate rate = momentum_rate(model, motion, BodyId{i});
    centers[BodyId{i}.slot()] = rate.center;
    balances[BodyId{i}.slot()].add(rate, Vec3::Zero());
    balances[BodyId{i}.slot()].length = rate.length;
  }
  const std::vector<std::vector<Wrench>> all = {outer_wrenches(model, motion),
                                                spring_wrenches(model, motion),
                                                reaction_wrenches(model, motion)};
  for (const auto& wrenches : all)
    for (const Wrench& w : wrenches)
      balances[w.on.slot()].add(w.force, w.point - centers[w.on.slot()], w.torque);
  VerdictOf verdict("fail to balance");
  for (std::size_t i = 1; i < balances.size(); ++i)
    balances[i].judge(fmt::format("body '{}'", model.bodies()[i].name), verdict);
  for (std::size_t i = 1; i < balances.size(); ++i) {
    const Body& body = model.bodies()[i];
    if (body.modal == nullptr) continue;
    const ModalBalance modes = modal_balance(model, motion, BodyId{static_cast<int>(i)}, all);
    for (Eigen::Index k = 0; k < modes.sum.size(); ++k)
      verdict.add(std::abs(modes.sum[k]), modes.size[k], [&] {
        return fmt::format("body '{}', mode '{}': forces", body.name,
                           body.modal->data().modes[static_cast<std::size_t>(k)]);
      });
  }
  return verdict.verdict();
}

Verdict momentum_balance(const Model& model, const Motion& motion) {
  Balance balance;
  for (int i = 1; i < model.body_count(); ++i) {
    const MomentumRate rate = momentum_rate(model, motion, BodyId{i});
    balance.add(rate, rate.center);
  }
  for (const Wrench& w : outer_wrenches(model, motion))
    if (w.on != kGround) balance.add(w.force, w.point, w.torque);
  // Between moving bodies action and reaction cancel and are left out. What they do to ground,
  // reversed, is what ground does to them.
  for (const auto& wrenches : {spring_wrenches(model, motion), reaction_wrenches(model, motion)})
    for (const Wrench& w : wrenches)
      if (w.on == kGround) balance.add(-w.force, w.point, -w.torque);
  VerdictOf verdict("fail to balance");
  balance.judge("the whole mechanism", verdict);
  return verdict.verdict();
}

}  // namespace sarrus::testing
