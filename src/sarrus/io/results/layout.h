#pragma once

#include <string>
#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// Neighbouring columns that are one thing: px, py and pz are the position.
struct Quantity {
  std::string name;
  std::vector<std::string> columns;
  std::string unit;          ///< "m/s"; empty where there is none
  std::string angular_unit;  ///< in rows about an angle, where that differs; else empty
};

/// What a row of a table is about.
struct ResultRow {
  std::vector<std::string> names;  ///< as many as the table has keys
  bool angular = false;
};

/// One table of the results: at every instant the same rows of numbers.
struct ResultTable {
  std::string name;               ///< "bodies"
  std::vector<std::string> keys;  ///< what names a row: nothing, a body, a joint and a coordinate
  std::vector<Quantity> quantities;
  std::vector<ResultRow> rows;
  std::size_t width = 0;  ///< numbers a row
  std::size_t first = 0;  ///< where its numbers start among those of an instant

  const std::string& unit(const Quantity& quantity, const ResultRow& row) const {
    return row.angular && !quantity.angular_unit.empty() ? quantity.angular_unit : quantity.unit;
  }
};

/// What every instant of a run is told by, whatever the format: the one definition of tables, rows,
/// columns and units. The numbers of an instant are one list: table by table, row by row.
struct ResultsLayout {
  std::vector<ResultTable>
      tables;            ///< bodies, joints, reactions, energy, constraints; modes, nodes
                         ///< where bodies are flexible, connections where the method has some
  std::size_t size = 0;  ///< numbers an instant

  const ResultTable& table(const std::string& name) const;
  const ResultTable* find_table(const std::string& name) const;  ///< null: there is none
};

/// A joint as far as its results are concerned.
struct JointOutline {
  std::string name;
  JointType type;
};

/// A flexible body, likewise.
struct FlexibleOutline {
  std::string body;
  std::vector<std::string> modes;
  std::vector<std::string> nodes;
};

/// A joint that connects pieces of the mechanism in the method's eyes.
struct ConnectionOutline {
  std::string joint;
  bool closes_loop = false;
  int piece_a = -1, piece_b = -1;
};

/// Bodies and joints that a model has at the start or gets from its timeline, in this order.
/// @param bodies without ground
void list_elements(const Model& model, std::vector<std::string>& bodies,
                   std::vector<JointOutline>& joints);

/// The flexible ones among those bodies.
std::vector<FlexibleOutline> list_flexible(const Model& model);

/// @param bodies names, without ground
ResultsLayout make_results_layout(const std::vector<std::string>& bodies,
                                  const std::vector<JointOutline>& joints,
                                  const std::vector<FlexibleOutline>& flexible = {},
                                  const std::vector<ConnectionOutline>& connections = {});
ResultsLayout make_results_layout(const Model& model);

}  // namespace sarrus
