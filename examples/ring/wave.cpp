// A wave on a membrane with interactive control. The field is an actor of shape `grid`: all threads of the
// device compute each step together, and keys, impulses and parameters are messages, without a launch.
//
//   example_wave                                    in a terminal: arrows move, space strikes, q ends
//   example_wave --on cuda --size 256x192
//   example_wave --script 'impulse 64 48 3; steps 60; picture' --frames out --check
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "wave/field.hpp"
#include "wave/picture.hpp"
#include "wave/script.hpp"
#include "wave/terminal.hpp"

namespace {

using namespace wave;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "usage: example_wave [--on DEVICE] [--size WIDTHxHEIGHT] [--frames FOLDER] [--script TEXT | --script "
    "@FILE] "
    "[--check]\n"
    "  --frames FOLDER  a PNG file for each frame: 'frame' in a script, f in the terminal\n"
    "  --script TEXT    impulse X Y STRENGTH; steps N; damping D; speed S; value X Y; clear; frame; picture\n"
    "  --check          run the same on the host and compare at the end of the script\n"
    "keys: arrows or hjkl move, space strikes, b strikes hard, + - damping, [ ] speed, p pause, c clear, f "
    "frame, q end\n";

constexpr const char* kDemo = "impulse 40 40 3; steps 30; impulse 90 60 -3; steps 30; picture; value 64 48";

struct Settings {
  std::string on, frames, script;
  Size size;
  bool checks = false, has_size = false;
};

Settings read_settings(int argc, char** argv) {
  Settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--check") {
      s.checks = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument("'" + name + "' is not an option, or requires a value");
    const std::string value = argv[++i];
    if (name == "--on") {
      s.on = value;
    } else if (name == "--frames") {
      s.frames = value;
    } else if (name == "--script") {
      s.script = value;
    } else if (name == "--size") {
      s.has_size = true;
      if (std::sscanf(value.c_str(), "%dx%d", &s.size.width, &s.size.height) != 2 || s.size.width < 8 ||
          s.size.height < 8 || s.size.width > 4096 || s.size.height > 4096)
        throw std::invalid_argument("invalid value '" + value +
                                    "' for --size; use WIDTHxHEIGHT, each from 8 to 4096");
    } else {
      throw std::invalid_argument("unknown option '" + name + "'");
    }
  }
  if (!s.script.empty() && s.script[0] == '@') {
    std::ifstream file(s.script.substr(1));
    if (!file) throw std::invalid_argument("reading the script " + s.script.substr(1) + " failed");
    std::ostringstream text;
    text << file.rdbuf();
    s.script = text.str();
  }
  return s;
}

class Frames {
 public:
  explicit Frames(std::string folder) : folder_(std::move(folder)) {
    if (!folder_.empty()) std::filesystem::create_directories(folder_);
  }
  // The file's path; empty if no frames are requested.
  std::string write(const std::vector<float>& field, Size size) {
    if (folder_.empty()) return "";
    char name[32];
    std::snprintf(name, sizeof name, "/frame_%04d.png", count_++);
    std::ofstream file(folder_ + name, std::ios::binary);
    file << to_png(colour(field, size));
    if (!file) throw std::runtime_error("writing " + folder_ + name + " failed");
    return folder_ + name;
  }

 private:
  std::string folder_;
  int count_ = 0;
};

int run_script(const Field& field, const Settings& settings) {
  const std::string text = settings.script.empty() ? kDemo : settings.script;
  Frames frames(settings.frames);
  HostField host(settings.size);
  float largest = 0;
  for (const ScriptLine& line : parse_script(text, settings.size)) {
    if (line.what == ScriptLine::What::kFrame) {
      const std::string path = frames.write(field.read(), settings.size);
      std::printf("%s\n", path.empty() ? "frame: requires --frames FOLDER" : path.c_str());
      continue;
    }
    if (line.what == ScriptLine::What::kPicture) {
      std::printf("%s", characters(field.read(), settings.size, 78).c_str());
      continue;
    }
    const float expected = settings.checks ? host.handle(line.message) : 0;
    if (line.message.kind != Kind::kValue) {
      field.send(line.message);
      continue;
    }
    const Reply reply = field.call(line.message);
    std::printf("%s: %g after %u steps\n", line.text.c_str(), static_cast<double>(reply.value), reply.steps);
    if (settings.checks) largest = std::max(largest, std::fabs(reply.value - expected));
  }
  if (!settings.checks) return 0;
  const std::vector<float> ours = field.read(), theirs = host.read();
  for (std::size_t i = 0; i < ours.size(); ++i) largest = std::max(largest, std::fabs(ours[i] - theirs[i]));
  const bool is_right = largest <= 1e-4f;
  std::printf("the host's loop %s: largest difference %g in %d cells\n", is_right ? "agrees" : "DIFFERS",
              static_cast<double>(largest), settings.size.cells());
  return is_right ? 0 : 1;
}

// State changed by keys.
struct Steering {
  Cursor cursor;
  float damping = 0.999f, speed = 0.25f;
  bool is_paused = false, ends = false, wants_frame = false;
};

void press(char key, Steering& s, const Field& field) {
  const auto set = [&](Kind kind, float& value, float to, float most) {
    value = std::clamp(to, 0.0f, most);
    field.send({kind, 0, 0, 0, value});
  };
  switch (key) {
    case 'h': s.cursor.x -= 1; break;
    case 'l': s.cursor.x += 1; break;
    case 'k': s.cursor.y -= 1; break;
    case 'j': s.cursor.y += 1; break;
    case ' ': field.send({Kind::kImpulse, s.cursor.x, s.cursor.y, 0, 2.0f}); break;
    case 'b': field.send({Kind::kImpulse, s.cursor.x, s.cursor.y, 0, 8.0f}); break;
    case '+': set(Kind::kDamping, s.damping, s.damping + 0.001f, 1.0f); break;
    case '-': set(Kind::kDamping, s.damping, s.damping - 0.001f, 1.0f); break;
    case ']': set(Kind::kSpeed, s.speed, s.speed + 0.02f, 0.5f); break;
    case '[': set(Kind::kSpeed, s.speed, s.speed - 0.02f, 0.5f); break;
    case 'c': field.send({Kind::kClear, 0, 0, 0, 0}); break;
    case 'p': s.is_paused = !s.is_paused; break;
    case 'f': s.wants_frame = true; break;
    case 'q': s.ends = true; break;
    default: break;
  }
}

void read_keys(const Terminal& terminal, Steering& s, const Field& field) {
  char character = 0;
  for (Key key = terminal.read(character); key != Key::kNone; key = terminal.read(character)) {
    if (key == Key::kOther) press(character, s, field);
    if (key == Key::kLeft) s.cursor.x -= 2;
    if (key == Key::kRight) s.cursor.x += 2;
    if (key == Key::kUp) s.cursor.y -= 2;
    if (key == Key::kDown) s.cursor.y += 2;
  }
  s.cursor.x = std::clamp(s.cursor.x, 1, field.size().width - 2);
  s.cursor.y = std::clamp(s.cursor.y, 1, field.size().height - 2);
}

int run_live(const quern::Device& device, Settings settings) {
  const Terminal terminal;
  if (!settings.has_size)
    settings.size = {std::max(16, terminal.columns()), std::max(8, terminal.rows() - 1) * 2};
  const Field field(device, settings.size);
  Frames frames(settings.frames);
  Steering s;
  s.cursor = {settings.size.width / 2, settings.size.height / 2};
  field.send({Kind::kImpulse, s.cursor.x, s.cursor.y, 0, 4.0f});
  while (!s.ends && !terminal.was_interrupted()) {
    const auto start = Clock::now();
    read_keys(terminal, s, field);
    if (!s.is_paused) field.send({Kind::kSteps, 0, 0, 2, 0});
    const auto asked = Clock::now();
    const Reply reply = field.call({Kind::kValue, s.cursor.x, s.cursor.y, 0, 0});
    const double answer = std::chrono::duration<double, std::micro>(Clock::now() - asked).count();
    const std::vector<float> now = field.read();
    if (s.wants_frame) (void)frames.write(now, settings.size);
    s.wants_frame = false;
    char status[200];
    std::snprintf(
        status, sizeof status,
        "\033[0m\033[K%s  step %u%s  damping %.3f  speed %.2f  here %+.3f  answered in %.0f µs  (q ends)",
        device.name().c_str(), reply.steps, s.is_paused ? " paused" : "", static_cast<double>(s.damping),
        static_cast<double>(s.speed), static_cast<double>(reply.value), answer);
    terminal.draw(half_blocks(colour(now, settings.size), s.cursor) + status);
    std::this_thread::sleep_until(start + std::chrono::milliseconds(33));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = read_settings(argc, argv);
    const quern::Device device = quern::open(settings.on);
    if (settings.script.empty() && Terminal::is_here()) return run_live(device, settings);
    const Field field(device, settings.size);
    std::printf("%s (%s), %s engine, %d × %d cells\n", device.name().c_str(), device.driver().c_str(),
                quern::ring::to_string(field.actor().engine()), settings.size.width, settings.size.height);
    return run_script(field, settings);
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "example_wave: %s\n%s", e.what(), kUsage);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "example_wave: %s\n", e.what());
    return 3;
  }
}
