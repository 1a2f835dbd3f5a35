#pragma once

#include <string>

namespace sarrus {

/// How a numerical operation ended. Trouble with numbers is a result, never an exception.
struct Status {
  enum class Code {
    kOk,
    kSingular,   ///< no unique answer: a free direction without inertia, contradictory constraints
    kDiverged,   ///< an iteration or a step-size control gave up
    kNotFinite,  ///< NaN or infinity appeared
    kInterrupted,  ///< the user asked to stop
    kRefused,      ///< a change that cannot be made; nothing has changed
    kDoubtful,     ///< reached, but not to be trusted: a law does not hold
  };
  Code code = Code::kOk;
  std::string reason;  ///< a sentence that names the elements; empty when ok

  bool ok() const { return code == Code::kOk; }
};

}  // namespace sarrus
