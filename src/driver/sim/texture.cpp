// Reports of failed texture checks. src/lang/builtin/library/texture.cuh numbers them.
#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

enum class TextureCheck : uint8_t { kUnbound, kType, kChannels, kShape, kColumn, kRow, kLayer };

// "8-bit unsigned integers": bits 0-7 the width, 8-9 the kind.
std::string channel_type(uint32_t code) {
  const uint32_t kind = code >> 8;
  const char* const name = kind == 2 ? "floats" : kind == 1 ? "unsigned integers" : "signed integers";
  return base::format("%u-bit ", code & 255) + name;
}

std::string shape_name(uint32_t shape) {
  constexpr uint32_t kLayered = 4;
  return base::format("%u%s", shape & 3, shape >= kLayered ? "D layers" : "D");
}

base::MessageText check_message(TextureCheck check, uint32_t first, uint32_t second) {
  const std::string position = std::to_string(static_cast<int32_t>(first)), size = std::to_string(second);
  switch (check) {
    case TextureCheck::kUnbound: return message::kTextureUnbound();
    case TextureCheck::kType: return message::kTextureType(channel_type(first), channel_type(second));
    case TextureCheck::kChannels: return message::kTextureChannels(position, size);
    case TextureCheck::kShape: return message::kTextureShape(shape_name(first), shape_name(second));
    case TextureCheck::kColumn: return message::kSurfaceColumn(position, size);
    case TextureCheck::kRow: return message::kSurfaceRow(position, size);
    case TextureCheck::kLayer: return message::kSurfaceLayer(position, size);
  }
  return message::kTextureUnbound();
}

}  // namespace

void Machine::report_texture(const BlockState& b, const Thread& t, const Ins& i, uint32_t pc) {
  constexpr uint64_t kFirstOfHeap = 16, kFirstOfLaunches = 32;
  if ((t.slots[i.a] & 255) >= kFirstOfLaunches) return report_launch(b, t, i, pc);
  if ((t.slots[i.a] & 255) >= kFirstOfHeap) return note_heap(b, t, i, pc);
  Report* const report = new_report(ReportKind::kTexture, b, t, pc);
  if (report == nullptr) return;
  report->set(check_message(static_cast<TextureCheck>(t.slots[i.a]), static_cast<uint32_t>(t.slots[i.b]),
                            static_cast<uint32_t>(t.slots[i.c])));
}

}  // namespace quern::sim
