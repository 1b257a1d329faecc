// OpenGL 4.3 and newer (`opengl`) and OpenGL ES 3.1 and newer (`gles`), through EGL without any window: a
// device for each that EGL lists. `webgl2` only says why it is none.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::opengl {

std::unique_ptr<driver::Driver> make_driver();
std::unique_ptr<driver::Driver> make_es_driver();
std::unique_ptr<driver::Driver> make_webgl_driver();

}  // namespace quern::opengl
