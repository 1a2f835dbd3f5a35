#include "sarrus/io/csv_results.h"

#include <fmt/format.h>

#include <iterator>
#include <system_error>

#include "sarrus/model/loads.h"

namespace sarrus {
namespace {

constexpr std::string_view kBodiesHeader =
    "time,body,px,py,pz,qw,qx,qy,qz,wx,wy,wz,vx,vy,vz,dwx,dwy,dwz,ax,ay,az\n";
constexpr std::string_view kJointsHeader = "time,joint,coordinate,position,speed,acceleration\n";
constexpr std::string_view kReactionsHeader = "time,joint,fx,fy,fz,tx,ty,tz,unique\n";
constexpr std::string_view kEnergyHeader = "time,kinetic,potential,total,supplied\n";
constexpr std::string_view kConstraintsHeader = "time,position,velocity,acceleration\n";
constexpr std::string_view kEventsHeader = "time,what\n";

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

template <class Elements>
std::vector<std::string> csv_names(const Elements& elements) {
  std::vector<std::string> names;
  for (const auto& element : elements) names.push_back(csv_field(element.name));
  return names;
}

/// One row: 17 significant digits tell any two doubles apart.
class RowText {
 public:
  explicit RowText(double time) { number(time); }

  RowText& number(double value) {
    separate();
    fmt::format_to(std::back_inserter(text_), "{:.17g}", value + 0.0);  // no negative zeros
    return *this;
  }
  RowText& word(std::string_view word) {
    separate();
    text_.append(word);
    return *this;
  }
  RowText& numbers(const Vec3& vector) {
    return number(vector.x()).number(vector.y()).number(vector.z());
  }
  void write_to(OutputFile& file) {
    text_.push_back('\n');
    file.write({text_.data(), text_.size()});
  }

 private:
  void separate() {
    if (text_.size() > 0) text_.push_back(',');
  }
  fmt::memory_buffer text_;
};

// Of q and −q, the same rotation, the one that continues `last`.
Quat with_sign_of(const Quat& q, const Quat& last) {
  return q.dot(last) < 0 ? Quat(-q.coeffs()) : q;
}

}  // namespace

CsvResults::CsvResults(const std::filesystem::path& directory, const Model& model)
    : directory_(make_directory(directory)),
      model_(model),
      body_names_(csv_names(model.bodies())),
      joint_names_(csv_names(model.joints())),
      // The identity's side of the sphere is qw ≥ 0.
      quaternions_(model.bodies().size(), Quat::Identity()),
      bodies_(directory / "bodies.csv"),
      joints_(directory / "joints.csv"),
      reactions_(directory / "reactions.csv"),
      energy_(directory / "energy.csv"),
      constraints_(directory / "constraints.csv"),
      flushed_(std::chrono::steady_clock::now()) {
  // Of an earlier run: must not be taken for this one's.
  std::error_code ignored;
  for (const char* old : {"events.csv", "summary.json"})
    std::filesystem::remove(directory / old, ignored);
  bodies_.write(kBodiesHeader);
  joints_.write(kJointsHeader);
  reactions_.write(kReactionsHeader);
  energy_.write(kEnergyHeader);
  constraints_.write(kConstraintsHeader);
}

void CsvResults::record(const Sample& sample) {
  const Motion& motion = sample.motion;
  record_bodies(motion);
  record_joints(motion);
  record_reactions(motion);
  RowText(motion.time)
      .number(sample.kinetic)
      .number(sample.potential)
      .number(sample.total())
      .number(motion.supplied)
      .write_to(energy_);
  RowText(motion.time)
      .number(sample.constraints.position)
      .number(sample.constraints.velocity)
      .number(sample.constraints.acceleration)
      .write_to(constraints_);

  const auto now = std::chrono::steady_clock::now();
  if (now - flushed_ < std::chrono::seconds(1)) return;
  for (OutputFile* file : {&bodies_, &joints_, &reactions_, &energy_, &constraints_}) file->flush();
  flushed_ = now;
}

void CsvResults::record_bodies(const Motion& motion) {
  for (std::size_t i = 1; i < model_.bodies().size(); ++i) {  // without ground
    const Transform& X_WB = motion.configuration.poses[i];
    const Vec6& V = motion.configuration.velocities[i];
    const Vec6& A = motion.accelerations[i];
    Quat& q = quaternions_[i];
    q = with_sign_of(X_WB.q, q);
    RowText(motion.time)
        .word(body_names_[i])
        .numbers(X_WB.p)
        .number(q.w())
        .numbers(q.vec())
        .numbers(V.head<3>())
        .numbers(V.tail<3>())
        .numbers(A.head<3>())
        .numbers(A.tail<3>())
        .write_to(bodies_);
  }
}

void CsvResults::record_joints(const Motion& motion) {
  const Configuration& c = motion.configuration;
  for (std::size_t j = 0; j < model_.joints().size(); ++j) {
    const Joint& joint = model_.joints()[j];
    const auto& names = model_.coordinate_names(JointId{static_cast<int>(j)});
    if (names.empty()) continue;
    const double* near = c.coordinates.data() + joint.first_freedom;
    const JointView view = view_of(joint, c);
    const Rows positions = joint.coordinate_rows(view, near);
    const Rows speeds = joint.speed_rows(view, near);
    const auto a = joint.a.slot();
    const auto b = joint.b.slot();
    for (int k = 0; k < speeds.count; ++k) {
      const Row& row = speeds[k];
      RowText(motion.time)
          .word(joint_names_[j])
          .word(names[static_cast<std::size_t>(k)])
          .number(positions[k].value)
          .number(row.rate(c.velocities[a], c.velocities[b]))
          .number(row.rate(motion.accelerations[a], motion.accelerations[b]) + row.gamma)
          .write_to(joints_);
    }
  }
}

void CsvResults::record_reactions(const Motion& motion) {
  for (std::size_t j = 0; j < model_.joints().size(); ++j)
    RowText(motion.time)
        .word(joint_names_[j])
        .numbers(motion.reactions[j].tail<3>())
        .numbers(motion.reactions[j].head<3>())
        .word(motion.reaction_is_unique[j] != 0 ? "1" : "0")
        .write_to(reactions_);
}

void CsvResults::write_events(const std::vector<Note>& notes) {
  if (notes.empty()) return;
  OutputFile events(directory_ / "events.csv");
  has_events_ = true;
  events.write(kEventsHeader);
  for (const Note& note : notes) RowText(note.time).word(csv_field(note.what)).write_to(events);
  events.close();
}

void CsvResults::close() {
  for (OutputFile* file : {&bodies_, &joints_, &reactions_, &energy_, &constraints_}) file->close();
}

std::vector<std::string> CsvResults::file_names() const {
  std::vector<std::string> names;
  for (const OutputFile* file : {&bodies_, &joints_, &reactions_, &energy_, &constraints_})
    names.push_back(file->path().filename().string());
  if (has_events_) names.emplace_back("events.csv");
  return names;
}

}  // namespace sarrus
