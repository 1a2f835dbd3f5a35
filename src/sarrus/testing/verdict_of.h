#pragma once

#include <fmt/format.h>

#include <limits>

#include "sarrus/testing/laws.h"

namespace sarrus::testing {

/// Keeps the worst of many residuals with the sentence that names it.
class VerdictOf {
 public:
  explicit VerdictOf(std::string failure) : failure_(std::move(failure)) {}

  /// `who` is a function: sentences are only written for what becomes the worst.
  template <class Who>
  void add(double residual, double scale, Who who) {
    double defect = residual == 0 ? 0 : residual / scale;
    // Not a number is never a small defect.
    if (!(defect < std::numeric_limits<double>::infinity()))
      defect = std::numeric_limits<double>::infinity();
    if (defect < verdict_.defect || (defect == 0 && !verdict_.sentence.empty())) return;
    verdict_ = {defect, fmt::format("{} {} by {:.3g}, {:.3g} of the largest term", who(), failure_,
                                    residual, defect)};
  }

  const Verdict& verdict() const { return verdict_; }

 private:
  std::string failure_;
  Verdict verdict_;
};

}  // namespace sarrus::testing
