#include "spirv/grammar/opcode.hpp"

namespace quern::spirv {

std::string name(Opcode opcode) {
  switch (opcode) {
#define X(name, number, form) \
  case Opcode::k##name: return "Op" #name;
    QUERN_SPIRV_OPS(X)
#undef X
  }
  return "opcode " + std::to_string(static_cast<uint16_t>(opcode));
}

Form form(Opcode opcode) {
  switch (opcode) {
#define X(name, number, form) \
  case Opcode::k##name: return Form::form;
    QUERN_SPIRV_OPS(X)
#undef X
  }
  return Form::kNone;
}

}  // namespace quern::spirv
