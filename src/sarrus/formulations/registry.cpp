#include "sarrus/formulations/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/augmented_dca/augmented_dca.h"
#include "sarrus/formulations/branches/branches.h"
#include "sarrus/formulations/coordinate_reduction/coordinate_reduction.h"
#include "sarrus/formulations/hamiltonian_dca/hamiltonian_dca.h"
#include "sarrus/formulations/modular/centralised.h"
#include "sarrus/formulations/modular/uzawa.h"
#include "sarrus/formulations/order_n/order_n.h"
#include "sarrus/formulations/reference/reference.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus {
namespace {

const MethodInfo& info_of(const std::string& name) {
  return *std::find_if(methods().begin(), methods().end(),
                       [&](const MethodInfo& m) { return m.name == name; });
}

void check_settings(const std::vector<MethodSetting>& settings, const std::string& method) {
  const std::vector<std::string>& known = info_of(method).settings;
  for (const MethodSetting& setting : settings)
    if (std::find(known.begin(), known.end(), setting.name) == known.end())
      throw UsageError(
          fmt::format("method {} has no setting '{}'\n  hint: {}", method, setting.name,
                      known.empty() ? "it has none" : suggestion(setting.name, known, "settings")));
}

[[noreturn]] void refuse_flexible(const std::string& method, const Model& model) {
  constexpr std::size_t kTold = 3;
  const std::vector<std::string> bodies = model.flexible_bodies();
  std::string names;
  for (std::size_t i = 0; i < std::min(kTold, bodies.size()); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", bodies[i]);
  if (bodies.size() > kTold) names += fmt::format(" and {} more", bodies.size() - kTold);
  std::vector<std::string> able;
  for (const MethodInfo& info : methods())
    if (info.flexible_bodies) able.push_back(info.name);
  throw UsageError(
      fmt::format("{} does not take flexible bodies yet, and {} {}\n  hint: these do: {}", method,
                  names, bodies.size() == 1 ? "is one" : "are", fmt::join(able, ", ")));
}

OrderNOptions order_n_options(const FormulationOptions& options) {
  OrderNOptions result;
  for (const MethodSetting& setting : options.settings)
    if (setting.name == "kernel")
      result.kernel = setting.value;
    else if (setting.name == "baumgarte")
      result.baumgarte = positive_number(setting, true);
  return result;
}

AugmentedDcaOptions augmented_dca_options(const FormulationOptions& options) {
  AugmentedDcaOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  for (const MethodSetting& setting : options.settings) {
    const std::string& name = setting.name;
    if (name == "penalty") {
      if (setting.value != "uniform" && setting.value != "deficient")
        throw UsageError(
            fmt::format("there is no penalty '{}'\n  hint: deficient (only directions "
                        "that are nearly lost) or uniform (every joint)",
                        setting.value));
      result.uniform_penalty = setting.value == "uniform";
    } else if (name == "alpha") {
      result.alpha = positive_number(setting);
    } else if (name == "omega") {
      result.omega = positive_number(setting, true);
    } else if (name == "mu") {
      result.mu = positive_number(setting, true);
    } else if (name == "grain") {
      result.grain = positive_number(setting, true);
    } else if (name == "part_bodies") {
      result.part_bodies = whole_number(setting, 1000000);
    } else if (name == "iterations") {
      result.most_iterations = whole_number(setting, 1000);
    } else if (name == "position_tolerance") {
      result.position_tolerance = positive_number(setting);
    } else if (name == "velocity_tolerance") {
      result.velocity_tolerance = positive_number(setting);
    } else if (name == "acceleration_tolerance") {
      result.acceleration_tolerance = positive_number(setting);
    }
  }
  return result;
}

CoordinateReductionOptions coordinate_reduction_options(const FormulationOptions& options) {
  CoordinateReductionOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  for (const MethodSetting& setting : options.settings) {
    if (setting.name == "level") {
      if (setting.value == "acceleration")
        result.enforced = Enforced::kAcceleration;
      else if (setting.value == "velocity")
        result.enforced = Enforced::kVelocity;
      else if (setting.value != "position")
        throw UsageError(
            fmt::format("there is no level '{}'\n  hint: position, velocity or acceleration: how "
                        "far the constraints of loops are enforced",
                        setting.value));
    } else if (setting.name == "state") {
      if (setting.value == "independent")
        result.state = StateChoice::kIndependent;
      else if (setting.value == "projected" && !result.preferred.empty())
        throw UsageError("method.independent asks for the state 'independent', not 'projected'");
      else if (setting.value != "projected")
        throw UsageError(
            fmt::format("there is no state '{}'\n  hint: projected (all joint coordinates) or "
                        "independent (as many as there are freedoms)",
                        setting.value));
    } else if (setting.name == "independent") {
      result.preferred = parts_of(setting.value);
      result.state = StateChoice::kIndependent;
    } else if (setting.name == "variant") {
      if (setting.value != "paper" && setting.value != "fronts")
        throw UsageError(fmt::format(
            "there is no variant '{}'\n  hint: fronts, or paper: the recursion as it was published",
            setting.value));
      result.paper = setting.value == "paper";
    } else if (setting.name == "grain") {
      result.grain = positive_number(setting, true);
    }
  }
  return result;
}

HamiltonianDcaOptions hamiltonian_dca_options(const FormulationOptions& options) {
  HamiltonianDcaOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  if (options.projection == Projection::kStage)
    throw UsageError(
        "hamiltonian-dca obeys the constraints on velocities at every stage by itself; positions "
        "are "
        "corrected after steps only\n  hint: --projection step");
  for (const MethodSetting& setting : options.settings) {
    if (setting.name == "regauge") {
      if (setting.value != "on" && setting.value != "off")
        throw UsageError(fmt::format(
            "method.regauge is on or off, not '{}'\n  hint: off lets the impulses of loops grow "
            "with time, to show why it is on",
            setting.value));
      result.regauge = setting.value == "on";
    } else if (setting.name == "friction") {
      if (setting.value != "explicit" && setting.value != "implicit")
        throw UsageError(fmt::format(
            "method.friction is explicit or implicit, not '{}'\n  hint: implicit lets steps be "
            "longer than stiff friction of joints allows",
            setting.value));
      if (setting.value == "explicit") continue;
      if (!(options.step > 0))
        throw UsageError(
            "implicit friction goes by the length of the steps and needs a fixed one\n  hint: "
            "--integrator rk4 --step 0.001");
      result.implicit_friction = options.step;
    } else if (setting.name == "position_tolerance") {
      result.position_tolerance = positive_number(setting, true);
    } else if (setting.name == "grain") {
      result.grain = positive_number(setting, true);
    } else if (setting.name == "part_bodies") {
      result.part_bodies = whole_number(setting, 1000000);
    }
  }
  return result;
}

BranchesOptions branches_options(const FormulationOptions& options) {
  BranchesOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  for (const MethodSetting& setting : options.settings) {
    if (setting.name == "connections") {
      if (setting.value != "simultaneous" && setting.value != "sequential")
        throw UsageError(fmt::format(
            "method.connections is simultaneous or sequential, not '{}'\n  hint: simultaneous "
            "solves one matrix of all connections, sequential two clusters of branches at a time",
            setting.value));
      result.connections = setting.value == "simultaneous" ? branches::Solution::kSimultaneous
                                                           : branches::Solution::kSequential;
    } else if (setting.name == "cuts") {
      result.cuts = parts_of(setting.value);
    } else if (setting.name == "branches") {
      result.branches = whole_number(setting, 100000);
    } else if (setting.name == "baumgarte") {
      result.baumgarte = positive_number(setting, true);
    } else if (setting.name == "grain") {
      result.grain = positive_number(setting, true);
    }
  }
  if (!result.cuts.empty() && result.branches > 0)
    throw UsageError(
        "method.cuts says where the branches end, method.branches how many to choose\n  hint: give "
        "one of them");
  return result;
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = {
      {"order-n",
       "joint coordinates, articulated-body recursion: open mechanisms at linear cost; cut loops "
       "drift",
       "Featherstone 1983",
       {"kernel", "baumgarte"},
       /*projects=*/false},
      {"coordinate-reduction",
       "joint coordinates; loops reduce them where they close: linear cost in bodies and loops",
       "Anderson, Critchley 2003",
       {"level", "state", "independent", "variant", "grain"}},
      {"augmented-dca",
       "divide and conquer over any graph, in parallel; redundant and singular systems",
       "Malczyk, Frączek 2012",
       {"penalty", "alpha", "omega", "mu", "iterations", "position_tolerance", "velocity_tolerance",
        "acceleration_tolerance", "part_bodies", "grain"}},
      {"hamiltonian-dca",
       "canonical momenta of the joints; velocities by divide and conquer, no accelerations: "
       "constraints hardly drift",
       "Chadaj, Malczyk, Frączek 2015",
       {"regauge", "friction", "position_tolerance", "part_bodies", "grain"}},
      {"branches",
       "order-N branches, rigid or flexible, and the forces that connect them; in parallel",
       "NASA JSC",
       {"connections", "cuts", "branches", "baumgarte", "grain"},
       /*projects=*/true,
       /*contends=*/true,
       /*flexible_bodies=*/true},
      {"mass-matrix",
       "joint and modal coordinates, one mass matrix of composite bodies: the classical baseline",
       "Walker, Orin 1982",
       {"baumgarte"},
       /*projects=*/true,
       /*contends=*/true,
       /*flexible_bodies=*/true},
      {"uzawa",
       "subsystems that show only how they respond, glued by joints that iterate; edit while it "
       "runs",
       "Joli, Séguy, Feng 2008",
       {"iteration", "tolerance", "max-iterations", "stopping", "start", "rho", "regularisation",
        "subsystems", "omega", "damping"},
       /*projects=*/true,
       /*contends=*/false,
       /*flexible_bodies=*/true},
      {"baumgarte",
       "maximal coordinates, one dense system; constraints stabilised at fixed steps (omega h = "
       "0.63, "
       "a tenth of critical damping), projected at adaptive ones",
       "Baumgarte 1972",
       {"omega", "damping"},
       /*projects=*/true,
       /*contends=*/false},
      {"augmented-lagrangian",
       "the same with a penalty and a few iterations instead of ranks",
       "Bayo, García de Jalón, Serna 1988",
       {"omega", "damping", "alpha", "tolerance", "max-iterations"},
       /*projects=*/true,
       /*contends=*/false},
      {"reference",
       "maximal coordinates, one dense system: slow, obvious, the judge of the others",
       "textbook",
       {},
       /*projects=*/true,
       /*contends=*/true,
       /*flexible_bodies=*/true},
  };
  return all;
}

std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, const Model& model,
                                              const Topology& topology,
                                              const Configuration& assembled) {
  RankStudy study(model, topology, assembled);
  return make_formulation(options, study);
}

std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, RankStudy& study) {
  const Model& model = study.model();
  const Topology& topology = study.topology();
  std::string method = options.method;
  const bool is_flexible = model.mode_count() > 0;
  if (method == "auto")
    method = is_flexible ? "branches" : topology.is_tree() ? "order-n" : "coordinate-reduction";
  std::vector<std::string> names = {"auto"};
  for (const MethodInfo& known : methods()) names.push_back(known.name);
  if (std::find(names.begin(), names.end(), method) == names.end())
    throw UsageError(fmt::format("there is no method '{}'; {}", options.method,
                                 suggestion(options.method, names, "methods")));
  check_settings(options.settings, method);
  if (is_flexible && !info_of(method).flexible_bodies) refuse_flexible(method, model);
  const bool wants_projection =
      options.projection == Projection::kStep || options.projection == Projection::kStage;
  if (wants_projection && !topology.is_tree() && !info_of(method).projects)
    throw UsageError(fmt::format(
        "{} has no projection, and '{}' has {} {}\n  hint: these project: "
        "coordinate-reduction, augmented-dca, reference; or stabilise with the setting 'baumgarte'",
        method, model.name(), topology.loop_count(),
        topology.loop_count() == 1 ? "loop" : "loops"));
  constexpr int kMostThreads = 256;
  if (options.threads < 1 || options.threads > kMostThreads)
    throw UsageError(
        fmt::format("threads must be from 1 to {}, not {}; more than there are cores "
                    "do not help",
                    kMostThreads, options.threads));
  if (options.own_steps && method != "uzawa")
    throw UsageError(
        fmt::format("the integrator multirate lets subsystems take steps of their own, and {} has "
                    "no subsystems\n"
                    "  hint: --method uzawa, or another integrator",
                    method));
  if (method == "order-n") return std::make_unique<OrderN>(study, order_n_options(options));
  if (method == "coordinate-reduction") {
    auto reduction =
        std::make_unique<CoordinateReduction>(study, coordinate_reduction_options(options));
    if (!reduction->too_wide()) return reduction;
    if (options.method != "auto")
      throw UsageError(
          fmt::format("the loops of '{}' are so interwoven that more than 255 joint accelerations "
                      "would be open "
                      "at once\n  hint: augmented-dca takes such meshes",
                      model.name()));
    method = "augmented-dca";
    check_settings(options.settings, method);
  }
  if (method == "augmented-dca")
    return std::make_unique<AugmentedDca>(study, augmented_dca_options(options));
  if (method == "hamiltonian-dca")
    return std::make_unique<HamiltonianDca>(study, hamiltonian_dca_options(options));
  if (method == "branches" || method == "mass-matrix") {
    BranchesOptions chosen = branches_options(options);
    chosen.mass_matrix = method == "mass-matrix";
    return std::make_unique<Branches>(study, chosen);
  }
  if (method == "uzawa") {
    modular::UzawaOptions chosen = modular::uzawa_options(options.settings);
    chosen.projection = options.projection;
    chosen.step = options.step;
    chosen.own_steps = options.own_steps;
    return std::make_unique<modular::Uzawa>(study, chosen, options.subsystems);
  }
  const auto conditioning = [&] {
    return topology.is_tree() ? 0.0 : generic_conditioning(model, study.assembled());
  };
  if (method == "baumgarte" || method == "augmented-lagrangian") {
    modular::CentralisedOptions chosen = modular::centralised_options(options.settings);
    chosen.projection = options.projection;
    chosen.step = options.step;
    return std::make_unique<modular::Centralised>(
        method == "baumgarte" ? modular::Centralised::Solver::kBaumgarte
                              : modular::Centralised::Solver::kAugmentedLagrangian,
        model, study.mobility(), conditioning(), chosen);
  }
  return std::make_unique<Reference>(model, study.mobility(), conditioning(), options.projection);
}

}  // namespace sarrus
