#include "spirv/launched.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace quern::test {

using sim::Binding;
using spirv::ResourceKind;

Launched::Launched(std::span<const uint32_t> words, spirv::Options options) {
  take(spirv::read(words, options));
}

Launched::Launched(std::string_view bytes, spirv::Options options) { take(spirv::read(bytes, options)); }

void Launched::take(base::Result<spirv::Program> read) {
  if (!read.ok()) {
    ADD_FAILURE() << read.error().to_string();
    return;
  }
  program = std::move(*read);
  module = std::make_shared<ir::Module>(std::move(program.module));
}

void Launched::bind_one(const spirv::Resource& resource, const ir::Param& param, const std::string& text,
                        Binding& binding) {
  if (resource.kind != ResourceKind::kWorkgroupMemory && !param.type->is_ptr()) {
    auto value = runtime::parse_value(text, param.type, param.name);
    ASSERT_TRUE(value.ok()) << value.error().to_string();
    binding.value = std::move(*value);
    return;
  }
  auto buffer = runtime::parse_buffer(text);
  ASSERT_TRUE(buffer.ok()) << buffer.error().to_string();
  binding.bytes = buffer->count * buffer->element_bytes();
  if (resource.kind == ResourceKind::kWorkgroupMemory) return;
  auto address =
      device_.allocate(binding.bytes, {resource.name, static_cast<uint32_t>(buffer->element_bytes())});
  ASSERT_TRUE(address.ok()) << address.error().to_string();
  binding.address = *address;
  if (!buffer->is_undefined) {
    ASSERT_TRUE(device_.upload(*address, buffer->bytes).ok());
  }
  bound_.push_back({resource.name, std::move(*buffer), *address});
}

void Launched::run(const std::string& name, const std::vector<std::string>& arguments, sim::Dim3 grid,
                   const sim::LaunchOptions& launch_options, sim::Dim3 block) {
  ASSERT_TRUE(ok());
  const spirv::Entry* entry = name.empty() ? &program.entries.at(0) : program.find(name);
  ASSERT_NE(entry, nullptr) << name;
  ASSERT_EQ(arguments.size(), entry->resources.size());
  const ir::Function* kernel = module->find_function(entry->name);
  ASSERT_NE(kernel, nullptr);
  std::vector<Binding> bindings(arguments.size());
  for (size_t k = 0; k < arguments.size(); ++k) {
    const spirv::Resource& r = entry->resources[k];
    ASSERT_NO_FATAL_FAILURE(bind_one(r, *kernel->params[r.param], arguments[k], bindings[k]));
  }
  sim::LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.options = launch_options;
  config.options.time_limit_s = 30;
  auto bound = sim::bind_resources(*entry, bindings, config);
  ASSERT_TRUE(bound.ok()) << bound.error().to_string();
  auto loaded = device_.load(module);
  ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  auto launched = device_.launch(**loaded, entry->name, config);
  ASSERT_TRUE(launched.ok()) << launched.error().to_string();
  result = std::move(*launched);
}

const Launched::Bound* Launched::find(const std::string& buffer) const {
  for (const Bound& b : bound_) {
    if (b.name == buffer) return &b;
  }
  ADD_FAILURE() << "there is no buffer '" << buffer << "'";
  return nullptr;
}

uint64_t Launched::count(const std::string& buffer) const {
  const Bound* b = find(buffer);
  return b != nullptr ? b->buffer.count * b->buffer.lanes : 0;
}

std::vector<std::string> Launched::values(const std::string& buffer, uint64_t first, uint64_t last) const {
  std::vector<std::string> out;
  const Bound* b = find(buffer);
  if (b == nullptr) return out;
  const uint64_t each = b->buffer.element_bytes() / b->buffer.lanes;
  std::vector<std::byte> bytes(b->buffer.count * b->buffer.element_bytes());
  EXPECT_TRUE(device_.download(b->address, bytes).ok());
  for (uint64_t i = first; i < last && (i + 1) * each <= bytes.size(); ++i)
    out.push_back(runtime::print_number(b->buffer.type, bytes.data() + i * each));
  return out;
}

std::string Launched::all(const std::string& buffer) const {
  return base::join(values(buffer, 0, count(buffer)), " ");
}

std::string Launched::rendered() const {
  std::string text;
  for (const sim::Report& r : result.reports) text += sim::render(r, *module) + "\n";
  return text;
}

std::string Launched::kinds() const {
  std::string text;
  for (const sim::Report& r : result.reports) {
    if (!text.empty()) text += "; ";
    text += std::string(sim::name(r.kind)) + " at " + std::to_string(r.pos.line);
  }
  return text;
}

namespace {

void expect_near(const std::vector<std::string>& got, const Expectation& e, const std::string& where) {
  ASSERT_EQ(got.size(), e.values.size()) << where;
  for (size_t i = 0; i < got.size(); ++i) {
    const auto have = base::parse_double(got[i]), want = base::parse_double(e.values[i]);
    ASSERT_TRUE(have && want) << got[i] << " against " << e.values[i];
    if (std::isnan(*want) && std::isnan(*have)) continue;
    EXPECT_LE(std::fabs(*have - *want), e.tolerance * std::max(1e-30, std::fabs(*want)))
        << where << ": element " << i << " is " << got[i] << ", not " << e.values[i];
  }
}

}  // namespace

void expect_values(const Launched& launched, const Case& c) {
  for (const Expectation& e : c.expected) {
    const std::string where = c.file + ":" + std::to_string(e.line);
    const uint64_t last = e.has_range ? e.last : launched.count(e.name);
    const std::vector<std::string> got = launched.values(e.name, e.has_range ? e.first : 0, last);
    if (e.tolerance != 0) {
      expect_near(got, e, where);
    } else {
      EXPECT_EQ(base::join(got, " "), base::join(e.values, " ")) << where;
    }
  }
}

void expect_reports(const Launched& launched, const Case& c) {
  const std::vector<sim::Report>& reports = launched.result.reports;
  bool may_have_consequences = false;
  for (const ExpectedReport& wanted : c.reports) {
    may_have_consequences |= wanted.kind == "race" || wanted.kind == "divergent barrier";
    const bool found = std::any_of(reports.begin(), reports.end(), [&](const sim::Report& r) {
      return sim::name(r.kind) == wanted.kind &&
             (r.pos.line == wanted.line || (r.other && r.other->pos.line == wanted.line));
    });
    EXPECT_TRUE(found) << "no report of '" << wanted.kind << "' in line " << wanted.line << "\n"
                       << launched.rendered();
  }
  if (!may_have_consequences) {
    EXPECT_EQ(reports.size(), c.reports.size()) << launched.rendered();
  }
}

}  // namespace quern::test
