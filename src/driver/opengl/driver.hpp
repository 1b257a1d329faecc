// OpenGL 4.3 and newer (`opengl`) and OpenGL ES 3.1 and newer (`gles`), through EGL without any window.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::opengl {

std::unique_ptr<driver::Driver> make_driver();
std::unique_ptr<driver::Driver> make_es_driver();

}  // namespace quern::opengl
