#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sarrus/io/model_file.h"
#include "sarrus/model/model.h"

namespace sarrus {
namespace {

/// A model file with one mistake. In its text `¶` stands before the place the message must name;
/// `sarrus: 1` is put before it, unless `whole`.
struct BadModel {
  std::string name;
  std::string text;
  std::string what;  ///< must be in the message
  std::string hint;  ///< must be in the hint
  bool whole = false;
  bool from_model = false;  ///< the file reads well; only Model sees the mistake
};

// What GoogleTest shows of one that fails.
void PrintTo(const BadModel& bad, std::ostream* out) { *out << bad.text; }

std::vector<BadModel> bad_models() {
  const std::string body = "bodies:\n  - name: b\n    ";
  const std::string joint =
      "joints:\n  - name: J\n    type: revolute\n    bodies: [ground, b]\n    ";
  const std::string universal =
      "joints:\n  - name: U\n    type: universal\n    bodies: [ground, b]\n    at: [0, 0, 0]\n    ";
  const std::string force = "forces:\n  - name: f\n    ";
  const std::string drive = "drives:\n  - name: d\n    joint: J\n    ";
  return {
      // YAML and the head
      {"EmptyFile", "¶", "the file is empty", "sarrus: 1", true},
      {"NotAMap", "¶- 1\n- 2\n", "a model file must be a map, not a list", "sarrus: 1", true},
      {"NoVersion", "¶name: x\n", "'sarrus' is missing", "begins with 'sarrus: 1'", true},
      {"OtherVersion", "sarrus: ¶2\nbodees: 3\n", "format version 2 is not known",
       "reads version 1", true},
      {"TwoDocuments", "¶sarrus: 1\n---\nsarrus: 1\n", "more than one YAML document", "'---'",
       true},
      {"UnclosedBracket", "gravity: [0, 0, 1\nname¶: x\n", "this is not YAML",
       "close every bracket"},
      {"BadIndent", "bodies:\n  - name: b\n   ¶mass: 1\n", "this is not YAML",
       "indent with spaces"},
      {"Tabs", "bodies:\n\t¶- name: b\n", "this is not YAML", "YAML does not allow tabs"},
      {"UnquotedPlace", "joints:\n  - bodies: [ground, link¶{i}]\n", "this is not YAML",
       "in quotes: [\"link{i-1}\", \"link{i}\"]"},
      {"AliasOfItself", "bodies: &all\n  - name: b\n    shapes: ¶*all\n", "inside its own anchor",
       "*name repeats the value that &name marks"},
      {"UnknownTopKey", "¶bodie: []\n", "a model file has no key 'bodie'",
       "did you mean 'bodies'?"},
      {"SubsystemWithoutBodies", "subsystems:\n  - ¶{name: arm}\n", "'bodies' is missing",
       "bodies: [crank, rod]"},
      {"SubsystemKey", "subsystems:\n  - {name: arm, bodies: [b], ¶step: 3}\n",
       "a subsystem has no key 'step'", "did you mean 'steps'?"},
      {"SubsystemHalfStep", "subsystems:\n  - {name: arm, bodies: [b], steps: ¶2.5}\n",
       "steps is 2.5, not a whole number", "round()"},
      {"SubsystemOfNobody",
       "bodies: [{name: rod, mass: 1}]\nsubsystems:\n  - {name: arm, bodies: ¶[rad]}\n",
       "subsystem 'arm' names no such body 'rad'", "did you mean 'rod'?", false, true},
      {"SubsystemNoSteps",
       "bodies: [{name: rod, mass: 1}]\nsubsystems:\n  - {name: arm, bodies: [rod], steps: ¶0}\n",
       "subsystem 'arm' takes 0 steps", "from 1", false, true},
      {"BodyInTwoSubsystems",
       "bodies: [{name: rod, mass: 1}]\nsubsystems:\n  - {name: arm, bodies: [rod]}\n"
       "  - {name: leg, bodies: ¶[rod]}\n",
       "body 'rod' is in two subsystems, 'arm' and 'leg'", "one at most", false, true},
      {"KeyTwice", "name: a\n¶name: b\n", "key 'name' is given twice", "line 2 already"},
      {"GravityIsNumber", "gravity: ¶-9.81\n", "gravity must be a list, not a single value",
       "[x, y, z]"},
      {"GravityTooShort", "gravity: ¶[0, -9.81]\n", "gravity has 2 entries; it needs three",
       "[x, y, z]"},
      {"BodiesAreAMap", "bodies:\n  ¶link: {mass: 1}\n", "must be a list, not a map", "'- '"},
      {"ElementIsAWord", "bodies:\n  - ¶link1\n", "body must be a map, not a single value",
       "name: …"},

      // Parameters and expressions
      {"ParameterUnknownName", "parameters:\n  a: 1\n  b: 2*¶lenght + a\n",
       "parameter 'b': unknown name 'lenght'", "known parameters: a"},
      {"ParameterLater", "parameters:\n  b: ¶a + 1\n  a: 1\n", "unknown name 'a'",
       "there are no parameters"},
      {"ParameterIsAList", "parameters: {a: ¶[1, 2]}\n",
       "parameter 'a' must be a single value, not a list", "give a number"},
      {"ParameterEmpty", "parameters: {¶a: }\n", "parameter 'a' has no value", "give a number"},
      {"ParameterNameOfFunction", "parameters: {¶sin: 1}\n", "has the name of a function",
       "letters, digits and _"},
      {"ParameterBadName", "parameters: {¶2nd: 1}\n", "'2nd' cannot be the name of a parameter",
       "letters, digits and _"},
      {"ParameterNotAChoice", "parameters:\n  a: {value: ¶ree, choices: [red, green]}\n",
       "parameter 'a' cannot be 'ree'", "did you mean 'red'? known choices: red, green"},
      {"ParameterWithoutChoices", "parameters: {a: ¶{value: red}}\n",
       "parameter 'a' is a map without choices or limits",
       "a value alone, {value: word, choices: [word, other, …]} or {value: number, least: number"},
      {"ParameterWithoutValue", "parameters: {a: ¶{choices: [red]}}\n", "'value' is missing",
       "{value: word, choices: [word, other, …]}"},
      {"ParameterChoicesNotAList", "parameters: {a: {value: red, choices: ¶red}}\n",
       "parameter 'a': choices must be a list, not a single value", "choices: [word"},
      {"ParameterUnknownKey", "parameters: {a: {value: red, choices: [red], ¶unit: m}}\n",
       "a parameter with choices has no key 'unit'", "value, choices"},
      {"ParameterTooSmall", "parameters:\n  a: {value: ¶1 - 1, least: 1, whole: true}\n",
       "parameter 'a' is 0; it must be whole and at least 1", "change it, or the parameters above"},
      {"ParameterTooLarge", "parameters: {b: 2, a: {value: ¶9, above: 0, most: 2*b}}\n",
       "parameter 'a' is 9; it must be above 0 and at most 4",
       "change it, or the parameters above"},
      {"ParameterAtALimitOutside",
       "parameters: {a: {value: ¶1, above: 0, below: 1, whole: true}}\n",
       "parameter 'a' is 1; it must be whole, above 0 and below 1",
       "change it, or the parameters above"},
      {"ParameterNotWhole", "parameters: {a: {value: ¶2.5, whole: true}}\n",
       "parameter 'a' is 2.5; it must be whole", "change it, or the parameters above"},
      {"ParameterWordWithLimits", "parameters: {a: {value: ¶red, least: 1}}\n",
       "parameter 'a' has limits; 'red' is not a number", "give a number"},
      {"ParameterLimitsWithoutValue", "parameters: {a: ¶{least: 1}}\n", "'value' is missing",
       "{value: number, least: number, most: number}"},
      {"ParameterLimitUnknownName", "parameters: {a: {value: 1, most: ¶lenght}}\n",
       "parameter 'a': most: unknown name 'lenght'", "no parameters"},
      {"ParameterLimitUnknownKey", "parameters: {a: {value: 1, least: 0, ¶moast: 2}}\n",
       "a parameter with limits has no key 'moast'", "did you mean 'most'?"},
      {"ParameterChoicesAndLimits", "parameters: {a: {value: red, choices: [red], ¶least: 2}}\n",
       "a parameter with choices has no key 'least'", "value, choices"},
      {"ParameterTwice", "parameters: {a: 1, ¶a: 2}\n", "parameter 'a' is given twice", "keep one"},
      {"DivisionByZero", "parameters: {n: 0}\n" + body + "mass: 1¶/n\n",
       "body 'b': mass: division by zero", "if("},
      {"NotFinite", body + "mass: 2 + ¶sqrt(0 - 1)\n", "mass: sqrt(-1) is not a number", "finite"},
      {"UnknownNameInVector", "parameters: {length: 1}\n" + body + "position: [0, ¶lenght/2, 0]\n",
       "body 'b': position: unknown name 'lenght'", "did you mean 'length'?"},
      {"UnknownNameInQuotes", body + "mass: \"1 + ¶x\"\n", "unknown name 'x'", "no parameters"},
      {"TextForNumber", "parameters: {kind: heavy}\n" + body + "mass: ¶kind\n",
       "the text 'heavy' stands where a number is needed", "give a number"},
      {"ParenthesisOpen", body + "mass: 2*(1 + 3¶\n", "')' is missing before the end",
       "every ( needs its )"},
      {"ParenthesisOpenInList", body + "position: ¶[1, (2, 3]\n", "position has 2 entries",
       "close every ("},
      {"OperatorMissing", body + "mass: 2¶pi\n", "'pi' is not expected here", "2*pi"},
      {"FunctionArguments", body + "mass: ¶atan2(1)\n", "atan2 takes two arguments, not 1",
       "atan2(a, b)"},

      // Bodies
      {"BodyNoName", "bodies:\n  - ¶mass: 1\n", "body without a name: 'name' is missing",
       "give every element a name"},
      {"BodyEmptyName", "bodies:\n  - name: ¶\"\"\n", "name is empty", "give every element a name"},
      {"BodyIsGround", "bodies:\n  - name: ¶ground\n", "'ground' is the fixed world", "remove"},
      {"BodyUnknownKey", body + "¶mas: 1\n", "body 'b': a body has no key 'mas'",
       "did you mean 'mass'?"},
      {"BodyKeyTwice", body + "mass: 1\n    ¶mass: 2\n", "body 'b': key 'mass' is given twice",
       "line 4 already"},
      {"MassIsAList", body + "mass: ¶[1]\n", "body 'b': mass must be a single value, not a list",
       "give a number"},
      {"MassEmpty", body + "¶mass:\n    position: [0, 0, 0]\n", "mass has no value",
       "give a number"},
      {"InertiaFourEntries", body + "inertia: ¶[1, 2, 3, 4]\n", "inertia has 4 entries",
       "[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]"},
      {"FromWithoutTo", "bodies:\n  - ¶name: b\n    from: [0, 0, 0]\n", "'to' is missing",
       "'from' and 'to' together"},
      {"FromIsTo", body + "from: [1, 0, 0]\n    to: ¶[1, 0, 0]\n", "are the same point",
       "give two points"},
      {"FromAndPosition", body + "from: [0, 0, 0]\n    to: [1, 0, 0]\n    position: ¶[0, 0, 0]\n",
       "'from' and 'position' exclude each other", "keep one"},
      {"InertiaAndSolid", body + "inertia: 1\n    solid: ¶{type: sphere, radius: 1}\n",
       "'inertia' and 'solid' exclude each other", "keep one"},
      {"SolidUnknownType", body + "solid: {type: ¶bal, radius: 1}\n", "unknown type 'bal'",
       "known types: box, rod, cylinder, sphere"},
      {"SolidWrongKey", body + "solid: {type: sphere, ¶size: [1, 1, 1], radius: 1}\n",
       "a solid of type sphere has no key 'size'", "known keys: type, radius"},
      {"SolidBetweenABrokenPoint",
       body + "from: [0, 0, ¶x]\n    to: [1, 0, 0]\n    solid: {type: rod}\n", "unknown name 'x'",
       "no parameters"},
      {"SolidNoLength", body + "solid: ¶{type: rod}\n", "'length' is missing", "'from' and 'to'"},
      {"SolidNegativeRod", body + "solid: {type: rod, length: 1, radius: ¶-1}\n",
       "radius is -1; it must not be negative", "thin rod"},
      {"SolidNegative", body + "solid: {type: sphere, radius: ¶-1}\n",
       "radius is -1; it must be greater than zero", "metres"},
      {"BoxNegative", body + "solid: {type: box, size: ¶[1, -1, 1]}\n", "edge of the box", "edges"},
      {"OrientationIsAList", body + "orientation: ¶[1, 0, 0, 0]\n",
       "orientation must be a map, not a list", "{quaternion: [w, x, y, z]}"},
      {"OrientationEmpty", body + "orientation: ¶{}\n", "orientation is empty", "{axis: [..]"},
      {"OrientationUnknownForm", body + "orientation: {¶euler: [0, 0, 0]}\n",
       "orientation has no key 'euler'", "known keys: axis, angle, quaternion, x, z, rpy"},
      {"OrientationMixed", body + "orientation: {axis: [0, 0, 1], angle: 1, ¶rpy: [0, 0, 1]}\n",
       "an orientation by axis and angle has no key 'rpy'", "known keys: axis, angle"},
      {"OrientationZeroAxis", body + "orientation: {axis: ¶[0, 0, 0], angle: 1}\n",
       "axis is the zero vector", "give a direction"},
      {"OrientationNoAngle", body + "orientation: ¶{axis: [0, 0, 1]}\n", "'angle' is missing",
       "add 'angle"},
      {"QuaternionZero", body + "orientation: {quaternion: ¶[0, 0, 0, 0]}\n",
       "the quaternion is zero", "[w, x, y, z]"},
      {"QuaternionThree", body + "orientation: {quaternion: ¶[0, 0, 1]}\n",
       "quaternion has 3 entries; it needs four", "the scalar first"},
      {"DirectionsParallel", body + "orientation: {x: ¶[0, 0, 1], z: [0, 0, -2]}\n",
       "x and z are parallel", "two directions that differ"},
      {"DirectionsOnlyX", body + "orientation: ¶{x: [1, 0, 0]}\n", "'z' is missing", "both"},
      {"ShapeUnknownType", body + "shapes: [{type: ¶ball, radius: 1}]\n", "unknown type 'ball'",
       "known types: box, sphere, cylinder, capsule, mesh"},
      {"ShapeColorComment",
       body + "shapes:\n      - type: box\n        size: [1, 1, 1]\n        "
              "¶color: #ff0000\n",
       "color has no value", "must be quoted"},
      {"ShapeBadColor", body + "shapes: [{type: box, size: [1, 1, 1], color: ¶red}]\n",
       "'red' is not a colour", "#rrggbb"},
      {"ShapeNoRadius", body + "shapes: [¶{type: sphere}]\n", "'radius' is missing", "in metres"},

      // Joints
      {"JointUnknownType", "joints:\n  - {name: J, type: ¶revolut, bodies: [ground, b]}\n",
       "joint 'J': unknown type 'revolut'", "did you mean 'revolute'? known types: revolute,"},
      {"JointNoType", "joints:\n  - ¶name: J\n    bodies: [ground, b]\n    at: [0, 0, 0]\n",
       "'type' is missing", "one of revolute, prismatic"},
      {"JointNoBodies", "joints:\n  - ¶name: J\n    type: fixed\n    at: [0, 0, 0]\n",
       "'bodies' is missing", "bodies: [ground, link1]"},
      {"JointThreeBodies",
       "joints:\n  - {name: J, type: fixed, at: [0, 0, 0], bodies: ¶[a, b, c]}\n",
       "bodies names 3; a joint joins two", "name two bodies"},
      {"JointNowhere", "joints:\n  - ¶name: J\n    type: revolute\n    bodies: [ground, b]\n",
       "'at' is missing", "at: [x, y, z]"},
      {"JointZeroAxis", joint + "at: [0, 0, 0]\n    axis: ¶[0, 0, 0]\n",
       "joint 'J': axis is the zero vector", "[0, 0, 1]"},
      {"JointXAlongAxis", joint + "at: [0, 0, 0]\n    axis: [0, 1, 0]\n    x_axis: ¶[0, -2, 0]\n",
       "x_axis is parallel to axis", "across the axis"},
      {"JointUselessLead", joint + "at: [0, 0, 0]\n    ¶lead: 0.1\n",
       "a revolute joint has no key 'lead'", "known keys"},
      {"JointHelicalNoLead",
       "joints:\n  - ¶name: J\n    type: helical\n    bodies: [ground, b]\n    at: [0, 0, 0]\n",
       "'lead' is missing", "add 'lead"},
      {"JointUnknownCut", joint + "at: [0, 0, 0]\n    cut: ¶never\n", "unknown cut 'never'",
       "known cuts: auto, prefer, forbid"},
      {"JointAtAndFrames", joint + "at: ¶[0, 0, 0]\n    frames: [{}, {}]\n",
       "'frames' and 'at' exclude each other", "keep one"},
      {"JointOneFrame", joint + "frames: ¶[{at: [0, 0, 0]}]\n", "frames has 1 entries", "give two"},
      {"JointFrameUnknownKey", joint + "frames: [{¶pos: [0, 0, 0]}, {}]\n",
       "a frame of this joint has no key 'pos'", "known keys: at, axis, x_axis, orientation"},
      {"JointAxisAndOrientation",
       joint + "at: [0, 0, 0]\n    axis: ¶[0, 0, 1]\n    orientation: {rpy: [0, 0, 1]}\n",
       "'orientation' and 'axis' exclude each other", "keep one"},
      {"JointStartNumber",
       "joints:\n  - {name: J, type: planar, bodies: [ground, b], at: [0, 0, 0], start: ¶1}\n",
       "start must be a map, as a planar joint has 3 coordinates", "coordinates: x, y, angle"},
      {"JointFixedStart",
       "joints:\n  - {name: J, type: fixed, bodies: [ground, b], at: [0, 0, 0], start: ¶1}\n",
       "a fixed joint has no coordinates", "remove it"},
      {"JointStartTwice", joint + "at: [0, 0, 0]\n    start: {angle: 1, ¶angle: 2}\n",
       "start: 'angle' is given twice", "keep one"},
      {"UniversalNotPerpendicular", universal + "axis: [1, 0, 0]\n    axis2: ¶[1, 1, 0]\n",
       "axis2 is not perpendicular to axis: they stand at 45 degrees", "perpendicular"},
      {"UniversalOneAxis",
       "joints:\n  - ¶name: U\n    type: universal\n    bodies: [ground, b]\n    at: [0, 0, 0]\n"
       "    axis: [1, 0, 0]\n",
       "'axis2' is missing", "then about 'axis2'"},
      {"UniversalXAxis",
       universal + "axis: [1, 0, 0]\n    axis2: [0, 1, 0]\n    ¶x_axis: [0, 1, 0]\n",
       "a universal joint has no key 'x_axis'", "did you mean 'axis'"},

      // Forces, drives and functions of time
      {"ForceUnknownType", force + "type: ¶sprin\n", "force 'f': unknown type 'sprin'",
       "did you mean 'spring'?"},
      {"DriveUnknownType", drive + "type: ¶moter\n", "drive 'd': unknown type 'moter'",
       "known types: torque, motor, motion"},
      {"SpringNoPoints",
       "forces:\n  - ¶name: f\n    type: spring\n    bodies: [a, b]\n    stiffness: 1\n",
       "'points' is missing", "give a point on each"},
      {"SpringOnePoint",
       force + "type: spring\n    bodies: [a, b]\n    stiffness: 1\n    points: ¶[[0, 0, 0]]\n",
       "points has 1 entries; it needs two", "give a point on each"},
      {"SpringDoesNothing",
       "forces:\n  - ¶name: f\n    type: spring\n    bodies: [a, b]\n    points: [[0, 0, 0], [1, "
       "0, 0]]\n",
       "has neither 'stiffness' nor 'damping'", "add 'stiffness"},
      {"ForceWrongKey",
       force + "type: joint_spring\n    joint: J\n    stiffness: 1\n    ¶damping: 2\n",
       "a force of type joint_spring has no key 'damping'", "known keys"},
      {"ForceNoJoint", "forces:\n  - ¶name: f\n    type: joint_spring\n    stiffness: 1\n",
       "'joint' is missing", "name the joint"},
      {"ForceZeroDirection",
       force + "type: force\n    body: b\n    point: [0, 0, 0]\n    direction: ¶[0, 0, 0]\n",
       "direction is the zero vector", "give a direction"},
      {"ForceUnknownFrame",
       force + "type: torque\n    body: b\n    direction: [0, 0, 1]\n    frame: ¶local\n",
       "unknown frame 'local'", "known frames: world, body"},
      {"FrictionTransition",
       force + "type: friction\n    joint: J\n    coulomb: 1\n    transition_speed: ¶0\n",
       "transition_speed is 0; it must be greater than zero", "SI units"},
      {"DriveNoValue", "drives:\n  - ¶name: d\n    type: motion\n    joint: J\n",
       "'value' is missing", "a function of time"},
      {"FunctionUnknownType", drive + "type: torque\n    value: {type: ¶sinus, amplitude: 1}\n",
       "unknown type 'sinus'", "known types: constant, step, ramp, sine, table"},
      {"FunctionWrongKey",
       drive + "type: torque\n    value: {type: sine, amplitude: 1, ¶frequency: 1, "
               "angular_frequency: 2}\n",
       "a sine function has no key 'frequency'", "angular_frequency"},
      {"FunctionOfTime", drive + "type: torque\n    value: 3*sin(¶t)\n", "unknown name 't'",
       "functions of time are written {type: step|ramp|sine|table"},
      {"FunctionIsAList", drive + "type: torque\n    value: ¶[1, 2]\n",
       "value must be a map, not a list", "{type: step|ramp|sine|table, …}"},
      {"TableFalls",
       drive + "type: torque\n    value: ¶{type: table, times: [0, 2, 1], values: [0, 1, 2]}\n",
       "times do not rise", "keys of a table function"},
      {"TableSizes",
       drive + "type: torque\n    value: ¶{type: table, times: [0, 1], values: [0]}\n",
       "2 times but 1 values", "keys of a table function"},
      {"StepDuration", drive + "type: torque\n    value: ¶{type: step, to: 1, duration: -1}\n",
       "the duration is negative", "keys of a step function"},

      // Simulation
      {"SimulationUnknownKey", "simulation: {¶untill: 3}\n", "simulation has no key 'untill'",
       "did you mean 'until'?"},
      {"SimulationNegative", "simulation: {until: ¶-3}\n", "until is negative", "seconds"},
      {"SimulationZero", "simulation: {every: ¶0}\n", "every is 0; it must be greater than zero",
       "seconds"},
      {"SimulationProjection", "simulation: {projection: ¶stp}\n", "unknown projection 'stp'",
       "did you mean 'step'?"},

      // Repeat
      {"RepeatIsANumber", body + "repeat: ¶5\n", "repeat must be a map, not a single value",
       "{index: i, from: 1, to: n}"},
      {"RepeatNoIndex", body + "repeat: ¶{from: 1, to: 2}\n", "'index' is missing", "index: i"},
      {"RepeatNoTo", body + "repeat: ¶{index: i}\n", "'to' is missing", "to: n"},
      {"RepeatUnknownKey", body + "repeat: {index: i, to: 2, ¶step: 2}\n",
       "repeat has no key 'step'", "known keys: index, from, to"},
      {"RepeatFraction", body + "repeat: {index: i, from: 1, to: ¶5/2}\n",
       "to is 2.5; it must be a whole number", "round()"},
      {"RepeatTooMany", body + "repeat: {index: i, from: 1, to: ¶1e9}\n",
       "makes more than 5000000 elements", "at most five million"},
      {"RepeatTooManyNested", body + "repeat: [{index: i, to: 3000}, {index: k, to: ¶3000}]\n",
       "makes more than 5000000 elements", "at most five million"},
      {"RepeatIndexIsParameter", "parameters: {n: 1}\n" + body + "repeat: {index: ¶n, to: 2}\n",
       "the index 'n' has the name of something else", "no parameter"},
      {"RepeatIndexBadName", body + "repeat: {index: ¶2i, to: 2}\n",
       "'2i' cannot be the name of an index", "letters, digits"},
      {"RepeatUnknownName", "bodies:\n  - repeat: {index: i, to: 3}\n    name: link{¶j}\n",
       "body 'link{j}': name: unknown name 'j'", "known parameters: i"},
      {"RepeatThirdFails",
       "bodies:\n  - repeat: {index: i, to: 9}\n    name: link{i}\n    mass: 1¶/(i - 3)\n",
       "body 'link3': mass: division by zero", "if("},
      {"RepeatOpenPlace", "bodies:\n  - repeat: {index: i, to: 3}\n    name: link¶{i\n",
       "'{' is not closed", "{{"},
      {"IndexOutsideRepeat", body + "mass: ¶i\n", "unknown name 'i'", "no parameters"},
      {"WhenIsAList", body + "when: ¶[1]\n", "when must be a single value, not a list",
       "give a number"},

      // What only the model can see
      {"UnknownBody",
       body + "mass: 1\n" +
           "joints:\n  - {name: J, type: fixed, bodies: [ground, "
           "¶lnk], at: [0, 0, 0]}\n",
       "'lnk'", "known bodies", false, true},
      {"BodyTwice", "bodies:\n  - {name: b, mass: 1}\n  - {name: ¶b, mass: 1}\n",
       "there are two bodies named 'b'", "", false, true},
      {"NegativeMass", body + "mass: ¶-1\n", "body 'b'", "", false, true},
  };
}

// Takes the mark out of `text` and tells where it stood, line and column from 1.
std::pair<int, int> take_mark(std::string& text) {
  const std::string mark = "¶";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {0, 0};
  text.erase(at, mark.size());
  const auto line_start = text.rfind('\n', at == 0 ? std::string::npos : at - 1);
  const bool first_line = at == 0 || line_start == std::string::npos;
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return {static_cast<int>(lines) + 1, static_cast<int>(first_line ? at : at - line_start - 1) + 1};
}

// All mistakes of a text; of the model too, where the file itself has none.
std::vector<Diagnostic> diagnose(const std::string& text, const Overrides& overrides = {},
                                 bool from_model = false) {
  try {
    const Description description = parse_description(text, "bad.yaml", overrides);
    if (from_model) Model{description};
  } catch (const ModelError& error) {
    return error.diagnostics();
  }
  return {};
}

class BadModels : public ::testing::TestWithParam<BadModel> {};

TEST_P(BadModels, AreToldWhereWhatAndHow) {
  BadModel bad = GetParam();
  std::string text = bad.whole ? bad.text : "sarrus: 1\n" + bad.text;
  const auto [line, column] = take_mark(text);
  if (bad.from_model) {
    EXPECT_TRUE(diagnose(text).empty()) << "the file alone";
  }
  const auto diagnostics = diagnose(text, {}, bad.from_model);
  ASSERT_EQ(diagnostics.size(), 1u) << ModelError(diagnostics).what();
  const Diagnostic& told = diagnostics[0];
  SCOPED_TRACE(to_string(told));
  EXPECT_EQ(told.where.file, "bad.yaml");
  EXPECT_EQ(told.where.line, line);
  EXPECT_EQ(told.where.column, column);
  EXPECT_NE(told.what.find(bad.what), std::string::npos);
  EXPECT_NE(told.hint.find(bad.hint), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Io, BadModels, ::testing::ValuesIn(bad_models()),
                         [](const auto& bad) { return bad.param.name; });

TEST(BadModelFile, TellsAllMistakesInTheOrderOfTheFile) {
  const auto diagnostics = diagnose(
      "sarrus: 1\n"
      "gravty: [0, 0, 0]\n"
      "joints:\n"
      "  - {name: J, type: revolut, bodies: [ground], cut: x}\n"
      "  - {name: K, type: revolute, bodies: [ground, b], at: [a, b, 0]}\n"
      "bodies:\n"
      "  - {name: b, mas: 1, inertia: [1, 2]}\n"
      "  - {mass: x, repeat: {index: i, to: 100}}\n");
  std::vector<std::pair<int, int>> places;
  for (const Diagnostic& told : diagnostics) {
    places.emplace_back(told.where.line, told.where.column);
    EXPECT_FALSE(told.hint.empty()) << to_string(told);
  }
  EXPECT_EQ(
      places,
      (std::vector<std::pair<int, int>>{
          {2, 1}, {4, 21}, {4, 38}, {4, 53}, {5, 57}, {5, 60}, {7, 15}, {7, 32}, {8, 5}, {8, 12}}));
}

TEST(BadModelFile, TellsABrokenParameterOnce) {
  const auto diagnostics = diagnose(
      "sarrus: 1\nparameters: {a: 1/0, b: a + 1}\n"
      "bodies:\n  - {name: x, mass: a, position: [b, a, 0]}\n");
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].where.line, 2);
}

TEST(BadModelFile, StopsAtAHundredMessages) {
  std::string text = "sarrus: 1\nbodies:\n";
  for (int i = 0; i < 500; ++i) text += "  - {mass: 1}\n";
  EXPECT_EQ(diagnose(text).size(), 100u);
}

TEST(BadOverride, NamesTheParametersThereAre) {
  const std::string text = "sarrus: 1\nparameters: {links: 3, mass: 1}\n";
  const auto unknown = diagnose(text, {{"lnks", "4"}});
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(to_string(unknown[0]),
            "--set lnks=4: error: the model has no parameter 'lnks'\n"
            "  hint: did you mean 'links'? known parameters: links, mass");
  const auto word = diagnose(text, {{"links", "many"}});
  ASSERT_EQ(word.size(), 1u);
  EXPECT_NE(word[0].what.find("parameter 'links' is a number; 'many' is not"), std::string::npos);
  const auto wrong = diagnose(text, {{"mass", "1/0"}});
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_NE(wrong[0].what.find("parameter 'mass': division by zero"), std::string::npos);
  const auto choice = diagnose("sarrus: 1\nparameters: {a: {value: red, choices: [red, green]}}\n",
                               {{"a", "gren"}});
  ASSERT_EQ(choice.size(), 1u);
  EXPECT_EQ(to_string(choice[0]),
            "--set a=gren: error: parameter 'a' cannot be 'gren'\n"
            "  hint: did you mean 'green'? known choices: red, green");
  const std::string limited =
      "sarrus: 1\nparameters:\n  links: {value: 3, least: 2, most: 1e6, whole: true}\n";
  const auto few = diagnose(limited, {{"links", "1"}});
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(
      to_string(few[0]),
      "--set links=1: error: parameter 'links' is 1; it must be whole, at least 2 and at most "
      "1000000\n"
      "  hint: its limits are in bad.yaml:3");
  const auto none = diagnose("sarrus: 1\n", {{"links", "1"}});
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].hint, "there are no parameters");
}

}  // namespace
}  // namespace sarrus
