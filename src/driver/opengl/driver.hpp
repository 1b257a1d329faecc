// OpenGL 4.3 and later (`opengl`) and OpenGL ES 3.1 and later (`gles`), through EGL without a window: one
// device for each that EGL lists. `webgl2` only reports why it is unavailable.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::opengl {

std::unique_ptr<driver::Driver> make_driver();
std::unique_ptr<driver::Driver> make_es_driver();
std::unique_ptr<driver::Driver> make_webgl_driver();

}  // namespace quern::opengl
