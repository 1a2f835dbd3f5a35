#include "sarrus/io/results/csv_text.h"

namespace sarrus {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_header(const ResultTable& table) {
  std::string text = "time";
  for (const std::string& key : table.keys) text += ',' + key;
  for (const Quantity& quantity : table.quantities)
    for (const std::string& column : quantity.columns) text += ',' + column;
  return text + '\n';
}

std::string csv_names(const ResultRow& row) {
  std::string fields;
  for (const std::string& name : row.names) fields += ',' + csv_field(name);
  return fields;
}

}  // namespace sarrus
