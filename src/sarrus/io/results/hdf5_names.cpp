#include "sarrus/io/results/hdf5_names.h"

namespace sarrus {

std::string hdf5_name(const std::string& name) {
  if (name == ".") return "%2E";
  std::string escaped;
  for (const char c : name) {
    if (c == '/')
      escaped += "%2F";
    else if (c == '%')
      escaped += "%25";
    else
      escaped += c;
  }
  return escaped;
}

std::string hdf5_group(const ResultTable& table, const ResultRow& row) {
  std::string path = "/" + table.name;
  for (const std::string& name : row.names) path += "/" + hdf5_name(name);
  return path;
}

std::string hdf5_dataset(const ResultTable& table, const ResultRow& row, const Quantity& quantity) {
  return hdf5_group(table, row) + "/" + quantity.name;
}

}  // namespace sarrus
