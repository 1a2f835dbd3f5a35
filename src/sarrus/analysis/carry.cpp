#include "sarrus/analysis/carry.h"

#include "sarrus/spatial/vectors.h"

namespace sarrus {

void carry(const Joint& joint, const Transform& X_FM, const Vec6& V_FM, bool from_a,
           Configuration& c) {
  const Carrier parent = from_a ? carrier_of(joint.a, joint.attachment_a, c)
                                : carrier_of(joint.b, joint.attachment_b, c);
  Carrier child;
  child.X = from_a ? parent.X * joint.X_CF() * X_FM * joint.X_CM().inverse()
                   : parent.X * joint.X_CM() * X_FM.inverse() * joint.X_CF().inverse();
  const Transform X_WM = (from_a ? child.X : parent.X) * joint.X_CM();
  const Vec6 relative = rotated(X_WM.R(), V_FM);
  const Vec6 at_M = shift_motion(parent.V, X_WM.p - parent.X.p);
  child.V =
      shift_motion(from_a ? Vec6(at_M + relative) : Vec6(at_M - relative), child.X.p - X_WM.p);
  if (from_a)
    place_by_carrier(joint.b, joint.attachment_b, child, c);
  else
    place_by_carrier(joint.a, joint.attachment_a, child, c);
}

Transform pose_in_joint(const Joint& joint, const Configuration& c) {
  return (carrier_of(joint.a, joint.attachment_a, c).X * joint.X_CF()).inverse() *
         carrier_of(joint.b, joint.attachment_b, c).X * joint.X_CM();
}

}  // namespace sarrus
