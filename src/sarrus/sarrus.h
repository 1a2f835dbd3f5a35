#pragma once

/// All that a program needs that moves mechanisms: models from files or from C++, runs, comparisons,
/// results, pages and pictures. What laws a motion must obey is in <sarrus/testing/laws.h>.

#include "sarrus/analysis/inverse_dynamics.h"
#include "sarrus/base/version.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/picture/picture.h"
#include "sarrus/io/report/report.h"
#include "sarrus/io/results/results.h"
#include "sarrus/io/summary.h"
#include "sarrus/mobility/mobility.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/simulation/comparison.h"
#include "sarrus/simulation/simulation.h"
#include "sarrus/simulation/verification.h"
