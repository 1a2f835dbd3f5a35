#include "sarrus/formulations/coordinate_reduction/cells.h"

#include <algorithm>

namespace sarrus::coordinate_reduction {
namespace {

using order_n::of;

/// With fewer the lanes are mostly empty.
constexpr int kFewestCells = 4;

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
    const Cell* before = cells.empty() ? nullptr : &cells.back();
    Cell cell = next_cell(system, front, before, before == nullptr ? 1 : before->end);
    if (cell.new_body < 0 || (before != nullptr && cell.structure != before->structure)) break;
    cells.push_back(std::move(cell));
  }
  if (static_cast<int>(cells.size()) < kFewestCells || !shape_from(system, cells[0])) return;
  for (const Cell& cell : cells)
    if (cell.rank != shape_.eliminated) return;
  count_ = static_cast<int>(cells.size());
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

// From one body on ground to the next that stays alone; new_body < 0 where there is none. At the end
// of the front nobody stays, and the new body is the one in the same place as before.
CellRow::Cell CellRow::next_cell(const System& system, const Schedule::Front& front,
                                 const Cell* before, int first) {
  Cell cell;
  cell.old_body = before == nullptr ? front.operations[0].body : before->new_body;
  cell.bodies = {cell.old_body};
  std::vector<int> places = {-1};
  for (int i = first; i < static_cast<int>(front.operations.size()); ++i) {
    const Operation& operation = front.operations[of(i)];
    switch (operation.kind) {
      case Operation::kExtend: {
        const int slot = operation.body, parent = system.parents[slot];
        const int base = place_in(cell.bodies, parent);
        if (!is_plain(system, slot) || (parent >= 0 && base < 0)) return cell;
        const order_n::JointConstants& joint = system.joints[slot];
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
        const int place =
            !cell.last ? place_in(cell.bodies, front.staying_bodies[of(operation.first_staying)])
            : before != nullptr ? before->structure.back()
                                : -1;
        if (place <= 0 || place >= static_cast<int>(cell.bodies.size()) ||
            system.parents[cell.bodies[of(place)]] >= 0)
          return cell;
        cell.structure.push_back(place);
        cell.new_body = cell.bodies[of(place)];
        cell.place = places[of(place)];
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
bool CellRow::shape_from(const System& system, const Cell& cell) {
  const int count = static_cast<int>(cell.bodies.size());
  if (count > kMostCellBodies || static_cast<int>(cell.closures.size()) > kMostCellBodies)
    return false;
  shape_ = {};
  shape_.bodies = count;
  int column = 0;
  const auto number = [&](int i) {
    shape_.body[i].first_column = column;
    shape_.body[i].columns = system.joints[cell.bodies[of(i)]].columns;
    column += shape_.body[i].columns;
  };
  const int fresh = place_in(cell.bodies, cell.new_body);
  number(0);
  shape_.old_columns = column;
  for (int i = 1; i < count; ++i)
    if (i != fresh) number(i);
  shape_.eliminated = column;
  number(fresh);
  shape_.columns = column;
  shape_.new_columns = column - shape_.eliminated;
  int rows = 0;
  for (const int index : cell.closures) {
    const ClosureConstants& closure = system.closures[index];
    shape_.closure[shape_.closures++] = {closure.kind, place_in(cell.bodies, closure.body_a),
                                         place_in(cell.bodies, closure.body_b), closure.rows};
    rows += closure.rows;
  }
  if (shape_.eliminated > kMostCellOld || shape_.new_columns > kMostCellNew ||
      shape_.new_columns != shape_.old_columns || rows > kMostCellRows)
    return false;
  for (int i = 0; i < count; ++i) {
    CellShape::Body& body = shape_.body[i];
    const order_n::JointConstants& joint = system.joints[cell.bodies[of(i)]];
    const int parent = system.parents[cell.bodies[of(i)]];
    body.kind = joint.kind;
    body.reversed = joint.reversed;
    body.parent = parent < 0 ? -1 : place_in(cell.bodies, parent);
    body.seen = ((1u << body.columns) - 1) << body.first_column;
    if (body.parent >= 0) body.seen |= shape_.body[body.parent].seen;
  }
  return true;
}

void CellRow::lay_out(const System& system, const std::vector<Cell>& cells) {
  const int blocks = (count_ + kCellLanes - 1) / kCellLanes;
  bodies_ = AlignedArray<CellBody>(of(blocks * shape_.bodies));
  closures_ = AlignedArray<CellClosure>(of(blocks * shape_.closures));
  const auto spread = [](const double* from, int count, double(*to)[kCellLanes], int lane) {
    for (int k = 0; k < count; ++k) to[k][lane] = from[k];
  };
  for (int i = 0; i < blocks * kCellLanes; ++i) {
    const int block = i / kCellLanes, lane = i % kCellLanes;
    const Cell& cell = cells[of(std::min(i, count_ - 1))];  // the last again where lanes are left
    for (int b = 0; b < shape_.bodies; ++b) {
      const int slot = cell.bodies[of(b)];
      const order_n::JointConstants& joint = system.joints[slot];
      const BodyConstants& body = system.bodies[slot];
      CellBody& to = bodies_[of(block * shape_.bodies + b)];
      spread(joint.R_PE, 9, to.R_PE, lane);
      spread(joint.r_PE, 3, to.r_PE, lane);
      spread(body.J, 6, to.J, lane);
      spread(body.c, 3, to.c, lane);
      to.m[lane] = body.m;
      to.slot[lane] = slot;
      to.q[lane] = joint.q;
      to.v[lane] = joint.v;
      to.column[lane] = joint.column;
    }
    for (int c = 0; c < shape_.closures; ++c) {
      const ClosureConstants& closure = system.closures[cell.closures[of(c)]];
      CellClosure& to = closures_[of(block * shape_.closures + c)];
      spread(closure.R_F, 9, to.R_F, lane);
      spread(closure.s_A, 3, to.s_A, lane);
      spread(closure.R_M, 9, to.R_M, lane);
      spread(closure.s_B, 3, to.s_B, lane);
      to.first_row[lane] = closure.first_row;
    }
  }
}

Cells CellRow::cells() const {
  Cells cells;
  cells.shape = &shape_;
  cells.count = count_;
  cells.numbers = (shape_.eliminated + shape_.new_columns) * (shape_.new_columns + 1);
  cells.bodies = bodies_.data();
  cells.closures = closures_.data();
  return cells;
}

std::size_t CellRow::result_size() const {
  return of((count_ + kCellLanes - 1) / kCellLanes * cells().numbers * kCellLanes);
}

void CellRow::learn(const CellGuard& guard) {
  for (int k = 0; k < shape_.eliminated; ++k)
    if (guard.left[k] > usual_.left[k]) usual_.left[k] = guard.left[k];
}

bool CellRow::is_usual(const CellGuard& guard) const {
  for (int k = 0; k < shape_.eliminated; ++k)
    if (!(guard.left[k] >= std::max(kUnusual * usual_.left[k], kFaint))) return false;
  return guard.unreached >= -kUnreached;
}

}  // namespace sarrus::coordinate_reduction
