#pragma once

#include <string>

#include "sarrus/io/results/layout.h"

namespace sarrus {

/// The name as part of an HDF5 path, where a slash, a percent sign and a single dot cannot stand:
/// they become %2F, %25 and %2E.
std::string hdf5_name(const std::string& name);

/// The group of a row, such as /joints/A/angle, and the dataset of one of its quantities.
std::string hdf5_group(const ResultTable& table, const ResultRow& row);
std::string hdf5_dataset(const ResultTable& table, const ResultRow& row, const Quantity& quantity);

inline constexpr int kHdf5Format = 1;               ///< root attribute `format`
inline const std::string kHdf5File = "results.h5";  ///< in the folder of results

}  // namespace sarrus
