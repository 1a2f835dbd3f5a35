#include "sarrus/formulations/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/assert.h"
#include "sarrus/base/diagnostics.h"

namespace sarrus {
namespace {

const Method* find_method(const std::string& name) {
  const auto found =
      std::ranges::find(all_methods(), name, [](const Method& m) { return m.info.name; });
  return found == all_methods().end() ? nullptr : &*found;
}

void check_settings(const std::vector<MethodSetting>& settings, const MethodInfo& method) {
  const std::vector<std::string>& known = method.settings;
  for (const MethodSetting& setting : settings)
    if (std::find(known.begin(), known.end(), setting.name) == known.end())
      throw UsageError(
          fmt::format("method {} has no setting '{}'\n  hint: {}", method.name, setting.name,
                      known.empty() ? "it has none" : suggestion(setting.name, known, "settings")));
}

void check_flexible_bodies(const MethodInfo& method, const Model& model) {
  if (method.flexible_bodies || model.mode_count() == 0) return;
  constexpr std::size_t kTold = 3;
  const std::vector<std::string> bodies = model.flexible_bodies();
  std::string names;
  for (std::size_t i = 0; i < std::min(kTold, bodies.size()); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", bodies[i]);
  if (bodies.size() > kTold) names += fmt::format(" and {} more", bodies.size() - kTold);
  throw UsageError(fmt::format(
      "{} does not take flexible bodies yet, and {} {}\n  hint: these do: {}", method.name, names,
      bodies.size() == 1 ? "is one" : "are", methods_that(&MethodInfo::flexible_bodies)));
}

void check_projection(const MethodInfo& method, Projection projection, const RankStudy& study) {
  const bool is_wanted = projection == Projection::kStep || projection == Projection::kStage;
  const Topology& topology = study.topology();
  if (!is_wanted || topology.is_tree() || method.projects) return;
  throw UsageError(fmt::format(
      "{} has no projection, and '{}' has {} {}\n  hint: these project: {}; or stabilise "
      "with the setting 'baumgarte'",
      method.name, study.model().name(), topology.loop_count(),
      topology.loop_count() == 1 ? "loop" : "loops", methods_that(&MethodInfo::projects)));
}

void check_threads(int threads) {
  constexpr int kMostThreads = 256;
  if (threads < 1 || threads > kMostThreads)
    throw UsageError(
        fmt::format("threads must be from 1 to {}, not {}; more than there are cores "
                    "do not help",
                    kMostThreads, threads));
}

void check_own_steps(const MethodInfo& method) {
  if (!method.own_steps)
    throw UsageError(
        fmt::format("the integrator multirate lets subsystems take steps of their own, and {} has "
                    "no subsystems\n"
                    "  hint: --method {}, or another integrator",
                    method.name, methods_that(&MethodInfo::own_steps)));
}

std::unique_ptr<Formulation> make(const Method& method, const FormulationOptions& options,
                                  RankStudy& study) {
  check_settings(options.settings, method.info);
  check_flexible_bodies(method.info, study.model());
  check_projection(method.info, options.projection, study);
  check_threads(options.threads);
  if (options.own_steps) check_own_steps(method.info);
  return method.make(options, study);
}

std::unique_ptr<Formulation> make_first_that_suits(const FormulationOptions& options,
                                                   RankStudy& study) {
  const auto suits = [&](const Method& method) {
    return method.suits != nullptr && method.suits(study);
  };
  auto method = std::ranges::find_if(all_methods(), suits);
  for (;;) {
    SARRUS_ASSERT(method != all_methods().end());
    try {
      return make(*method, options, study);
    } catch (const NotForThisModel&) {
      const auto next = std::find_if(method + 1, all_methods().end(), suits);
      if (next == all_methods().end()) throw;
      method = next;
    }
  }
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> infos;
    for (const Method& method : all_methods()) infos.push_back(method.info);
    return infos;
  }();
  return all;
}

std::string methods_that(bool MethodInfo::*like_that) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods())
    if (info.*like_that) names.push_back(info.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const MethodInfo& judging_method() {
  return *std::ranges::find(methods(), true, &MethodInfo::judges);
}

Model prepared(Model model, const std::string& method, std::vector<MethodSetting>& settings) {
  const Method* found = find_method(method);
  if (found == nullptr || found->prepare == nullptr) return model;
  return found->prepare(std::move(model), settings);
}

bool can_step_itself(const std::string& method) {
  const Method* found = find_method(method);
  return found != nullptr && found->info.own_steps;
}

std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, const Model& model,
                                              const Topology& topology,
                                              const Configuration& assembled) {
  RankStudy study(model, topology, assembled);
  return make_formulation(options, study);
}

std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, RankStudy& study) {
  if (options.method == "auto") return make_first_that_suits(options, study);
  if (const Method* method = find_method(options.method)) return make(*method, options, study);
  std::vector<std::string> names = {"auto"};
  for (const MethodInfo& known : methods()) names.push_back(known.name);
  throw UsageError(fmt::format("there is no method '{}'; {}", options.method,
                               suggestion(options.method, names, "methods")));
}

}  // namespace sarrus
