// The variance of noise, worked out once for many answers with the same noise.
#pragma once

#include "fugu/noise/law.hpp"

namespace fugu {

class NoiseVariance {
 public:
  double of(NoiseKind noise, Rational parameter) {
    if (noise != noise_ || parameter.num != parameter_.num || parameter.den != parameter_.den) {
      noise_ = noise;
      parameter_ = parameter;
      variance_ = NoiseLaw{noise, parameter}.variance();
    }
    return variance_;
  }

 private:
  NoiseKind noise_ = NoiseKind::laplace;
  Rational parameter_{0, 1};
  double variance_ = 0;
};

}  // namespace fugu
