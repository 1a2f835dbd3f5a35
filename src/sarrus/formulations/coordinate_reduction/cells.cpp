#include "sarrus/formulations/coordinate_reduction/cells.h"

#include <algorithm>
#include <map>

namespace sarrus::coordinate_reduction {
namespace {

/// With fewer, in all or in a block on the average, lanes are mostly empty.
constexpr int kFewestCells = 4;
constexpr int kFewestInBlock = 3;

/// More shapes than this are hardly a row of equal cells.
constexpr int kMostShapes = 32;

/// Squares. Where a column has lost so much of what is usual, or where so much cannot be reached.
constexpr double kUnusual = 1.0 / 16;
constexpr double kUnreached = 1e-6;
/// A column that has so little left is lost, whatever is usual.
constexpr double kFaint = 1e-6;

int place_in(const std::vector<int>& list, int item) {
  const auto found = std::find(list.begin(), list.end(), item);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

bool is_plain(const System& system, int slot) {
  return !system.gathers[slot] && system.joints[slot].drive < 0;
}

}  // namespace

CellRow::CellRow(const System& system, const Schedule::Front& front) {
  const std::vector<Operation>& operations = front.operations;
  if (operations.empty() || operations[0].kind != Operation::kExtend ||
      system.parents[operations[0].body] >= 0 || !is_plain(system, operations[0].body))
    return;
  std::vector<Cell> cells;
  while (cells.empty() || !cells.back().last) {
    Cell cell = cells.empty() ? next_cell(system, front, operations[0].body, 1)
                              : next_cell(system, front, cells.back().new_body, cells.back().end);
    if (cell.new_body < 0) break;
    cells.push_back(std::move(cell));
  }
  const std::vector<int> shapes = find_shapes(system, cells);
  cells.resize(shapes.size());
  place(shapes);
  if (empty()) return;
  lay_out(system, cells);
  Operation all;
  all.kind = Operation::kCells;
  all.body = cells.back().new_body;
  all.place = cells.back().place;
  all.staying = cells.back().last ? 0 : 1;
  operations_ = {all};
  // Where nobody stays after the last, its new body has still to be reduced.
  const int rest = cells.back().end - (cells.back().last ? 1 : 0);
  operations_.insert(operations_.end(), operations.begin() + rest, operations.end());
}

std::vector<int> CellRow::find_shapes(const System& system, const std::vector<Cell>& cells) {
  std::map<std::vector<int>, int> known;
  std::vector<int> found;
  for (const Cell& cell : cells) {
    const auto [entry, is_new] = known.emplace(cell.structure, static_cast<int>(shapes_.size()));
    if (is_new) {
      CellShape shape;
      if (entry->second == kMostShapes || !make_shape(system, cell, shape) ||
          (!shapes_.empty() && shape.old_columns != shapes_[0].old_columns))
        break;
      shapes_.push_back(shape);
    }
    if (cell.rank != shapes_[to_index(entry->second)].eliminated) break;
    found.push_back(entry->second);
  }
  return found;
}

// Each shape has blocks of its own; none at all where their lanes would be mostly empty.
void CellRow::place(const std::vector<int>& shapes) {
  std::vector<int> open(shapes_.size(), -1), filled(shapes_.size(), kCellLanes);
  for (const int shape : shapes) {
    if (filled[to_index(shape)] == kCellLanes) {
      open[to_index(shape)] = static_cast<int>(blocks_.size());
      filled[to_index(shape)] = 0;
      CellBlock block;
      block.shape = shape;
      blocks_.push_back(block);
    }
    places_.push_back({open[to_index(shape)], filled[to_index(shape)]++});
  }
  const std::size_t count = places_.size();
  if (count < kFewestCells || count < kFewestInBlock * blocks_.size()) places_.clear();
}

// From one body on ground to the next that stays alone; new_body < 0 where there is none. At the end
// of the front nobody stays, and the new body is the one that hangs on ground.
CellRow::Cell CellRow::next_cell(const System& system, const Schedule::Front& front, int old_body,
                                 int first) {
  Cell cell;
  cell.structure.reserve(32);
  for (std::vector<int>* few : {&cell.bodies, &cell.closures}) few->reserve(4);
  cell.bodies.push_back(old_body);
  std::vector<int> places = {-1};
  for (int i = first; i < static_cast<int>(front.operations.size()); ++i) {
    const Operation& operation = front.operations[to_index(i)];
    switch (operation.kind) {
      case Operation::kExtend: {
        const int slot = operation.body, parent = system.parents[slot];
        const int base = place_in(cell.bodies, parent);
        if (!is_plain(system, slot) || (parent >= 0 && base < 0)) return cell;
        const tree::JointConstants& joint = system.joints[slot];
        for (const int number : {0, base, joint.kind, joint.reversed ? 1 : 0, joint.columns})
          cell.structure.push_back(number);
        cell.bodies.push_back(slot);
        places.push_back(operation.place);
        break;
      }
      case Operation::kClose: {
        const ClosureConstants& closure = system.closures[operation.closure];
        const int a = place_in(cell.bodies, closure.body_a);
        const int b = place_in(cell.bodies, closure.body_b);
        if (closure.given || (closure.body_a >= 0 && a < 0) || (closure.body_b >= 0 && b < 0))
          return cell;
        for (const int number : {1, closure.kind, a, b, closure.rows})
          cell.structure.push_back(number);
        cell.closures.push_back(operation.closure);
        cell.rank += operation.nominal_rank;
        break;
      }
      case Operation::kReduce: {
        cell.last = operation.staying == 0;
        if (operation.staying > 1) break;
        int place = -1;
        for (int k = 1; k < static_cast<int>(cell.bodies.size()); ++k) {
          const int slot = cell.bodies[to_index(k)];
          const bool may = cell.last
                               ? system.parents[slot] < 0
                               : slot == front.staying_bodies[to_index(operation.first_staying)];
          if (may) place = k;
        }
        if (place < 0) return cell;
        if (system.parents[cell.bodies[to_index(place)]] >= 0) break;  // the row goes on
        cell.structure.push_back(place);
        cell.new_body = cell.bodies[to_index(place)];
        cell.place = places[to_index(place)];
        cell.end = i + 1;
        return cell;
      }
      default:
        return cell;
    }
  }
  return cell;
}

// Columns: of the old body, of those between, of the new one.
bool CellRow::make_shape(const System& system, const Cell& cell, CellShape& shape) {
  const int count = static_cast<int>(cell.bodies.size());
  if (count > kMostCellBodies || static_cast<int>(cell.closures.size()) > kMostCellBodies)
    return false;
  shape = {};
  shape.bodies = count;
  int column = 0;
  const auto number = [&](int i) {
    shape.body[i].first_column = column;
    shape.body[i].columns = system.joints[cell.bodies[to_index(i)]].columns;
    column += shape.body[i].columns;
  };
  const int fresh = place_in(cell.bodies, cell.new_body);
  number(0);
  shape.old_columns = column;
  for (int i = 1; i < count; ++i)
    if (i != fresh) number(i);
  shape.eliminated = column;
  number(fresh);
  shape.columns = column;
  shape.new_columns = column - shape.eliminated;
  int rows = 0;
  for (const int index : cell.closures) {
    const ClosureConstants& closure = system.closures[index];
    shape.closure[shape.closures++] = {closure.kind, place_in(cell.bodies, closure.body_a),
                                       place_in(cell.bodies, closure.body_b), closure.rows};
    rows += closure.rows;
  }
  if (shape.eliminated > kMostCellOld || shape.new_columns > kMostCellNew ||
      shape.new_columns != shape.old_columns || rows > kMostCellRows)
    return false;
  for (int i = 0; i < count; ++i) {
    CellShape::Body& body = shape.body[i];
    const tree::JointConstants& joint = system.joints[cell.bodies[to_index(i)]];
    const int parent = system.parents[cell.bodies[to_index(i)]];
    body.kind = joint.kind;
    body.reversed = joint.reversed;
    body.parent = parent < 0 ? -1 : place_in(cell.bodies, parent);
    body.seen = ((1u << body.columns) - 1) << body.first_column;
    if (body.parent >= 0) body.seen |= shape.body[body.parent].seen;
  }
  return true;
}

void CellRow::lay_out(const System& system, const std::vector<Cell>& cells) {
  int bodies = 0, closures = 0;
  for (const CellBlock& block : blocks_) {
    bodies += shapes_[to_index(block.shape)].bodies;
    closures += shapes_[to_index(block.shape)].closures;
  }
  bodies_ = AlignedArray<CellBody>(to_index(bodies));
  closures_ = AlignedArray<CellClosure>(to_index(closures));
  bodies = closures = 0;
  for (CellBlock& block : blocks_) {
    const CellShape& shape = shapes_[to_index(block.shape)];
    block.bodies = bodies_.data() + bodies;
    block.closures = closures_.data() + closures;
    block.result = static_cast<std::ptrdiff_t>(result_size_);
    bodies += shape.bodies;
    closures += shape.closures;
    result_size_ +=
        to_index((shape.eliminated + shape.new_columns) * (shape.new_columns + 1) * kCellLanes);
  }
  usual_.assign(shapes_.size(), {});
  for (std::size_t i = 0; i < cells.size(); ++i)  // and again where lanes are left
    for (int lane = places_[i].lane; lane < kCellLanes; ++lane)
      fill(system, cells[i], blocks_[to_index(places_[i].block)], lane);
}

void CellRow::fill(const System& system, const Cell& cell, const CellBlock& block, int lane) {
  const auto spread = [lane](const double* from, int count, double(*to)[kCellLanes]) {
    for (int k = 0; k < count; ++k) to[k][lane] = from[k];
  };
  for (std::size_t b = 0; b < cell.bodies.size(); ++b) {
    const int slot = cell.bodies[b];
    const tree::JointConstants& joint = system.joints[slot];
    const BodyConstants& body = system.bodies[slot];
    CellBody& to = bodies_[static_cast<std::size_t>(block.bodies - bodies_.data()) + b];
    spread(joint.R_PE, 9, to.R_PE);
    spread(joint.r_PE, 3, to.r_PE);
    spread(body.J, 6, to.J);
    spread(body.c, 3, to.c);
    to.m[lane] = body.m;
    to.slot[lane] = slot;
    to.q[lane] = joint.q;
    to.v[lane] = joint.v;
    to.column[lane] = joint.column;
  }
  for (std::size_t c = 0; c < cell.closures.size(); ++c) {
    const ClosureConstants& closure = system.closures[cell.closures[c]];
    CellClosure& to = closures_[static_cast<std::size_t>(block.closures - closures_.data()) + c];
    spread(closure.R_F, 9, to.R_F);
    spread(closure.s_A, 3, to.s_A);
    spread(closure.R_M, 9, to.R_M);
    spread(closure.s_B, 3, to.s_B);
    to.first_row[lane] = closure.first_row;
  }
}

Cells CellRow::cells() const {
  Cells cells;
  cells.count = static_cast<int>(places_.size());
  cells.block_count = static_cast<int>(blocks_.size());
  cells.shape_count = static_cast<int>(shapes_.size());
  cells.shapes = shapes_.data();
  cells.blocks = blocks_.data();
  cells.places = places_.data();
  return cells;
}

void CellRow::learn(const CellGuard* guards) {
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    for (int k = 0; k < shapes_[i].eliminated; ++k)
      if (guards[i].left[k] > usual_[i].left[k]) usual_[i].left[k] = guards[i].left[k];
}

bool CellRow::is_usual(const CellGuard* guards) const {
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    for (int k = 0; k < shapes_[i].eliminated; ++k)
      if (!(guards[i].left[k] >= std::max(kUnusual * usual_[i].left[k], kFaint))) return false;
    if (!(guards[i].unreached >= -kUnreached)) return false;
  }
  return true;
}

}  // namespace sarrus::coordinate_reduction
