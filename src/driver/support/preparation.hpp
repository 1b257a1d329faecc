// Code is made for a device at its first launch, and takes the time that compilers take, which is none of the
// device's: limits of time leave it out.
#pragma once

namespace quern::driver {

// While one lives, somewhere in this process code is being made.
class Preparation {
 public:
  Preparation();
  ~Preparation();
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  // How long at least one has lived, up to now.
  static double seconds();
};

}  // namespace quern::driver
