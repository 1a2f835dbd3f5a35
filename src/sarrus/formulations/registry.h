#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sarrus/formulations/method.h"

namespace sarrus {

/// The methods there are, in the order in which `auto` prefers them where they can represent the
/// model.
const std::vector<MethodInfo>& methods();

/// The dense one that others are held to.
const MethodInfo& judging_method();

/// Names of those that are like that, between commas: for hints.
std::string methods_that(bool MethodInfo::*like_that);

/// The model as the method's settings change it before anything is made of it; they are taken out.
/// @throws UsageError for mistakes in them.
Model prepared(Model model, const std::string& method, std::vector<MethodSetting>& settings);

/// Does the method step by itself, when asked? `auto` does not.
bool can_step_itself(const std::string& method);

/// The nominal rank is found by `study` where the method needs it, from a closed pose. The model must
/// outlive the formulation; the study need not.
/// @throws UsageError when no method has that name, it cannot represent the model (the message lists
///         those that would do), or a setting means nothing to it.
std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, RankStudy& study);

/// The same with a study of its own.
std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, const Model& model,
                                              const Topology& topology,
                                              const Configuration& assembled);

}  // namespace sarrus
