#include <numeric>

#include "api/api_case.hpp"
#include "api/messages.hpp"
#include "runtime/messages.hpp"

namespace quern::test {
namespace {

class Textures : public OnDeviceThatIsHere {
  void prepare() override {}
};
INSTANTIATE_TEST_SUITE_P(All, Textures, testing::ValuesIn(each_driver()), device_name);

constexpr const char* kTextureText = R"(
texture<float, 2> image;
__global__ void sample(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 1.0f);
}
__global__ void sample_reference(float* out) { out[threadIdx.x] = tex2D(image, threadIdx.x + 1.0f, 1.0f); }
__global__ void fetch(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void invert(cudaSurfaceObject_t s) {
  uchar4 c = surf2Dread<uchar4>(s, threadIdx.x * 4, threadIdx.y);
  surf2Dwrite(make_uchar4(255 - c.x, c.y, c.z, c.w), s, threadIdx.x * 4, threadIdx.y);
}
)";

std::vector<float> counted(std::size_t count) {
  std::vector<float> out(count);
  std::iota(out.begin(), out.end(), 0.0f);
  return out;
}

TEST_P(Textures, AreSampledFromAnArray) {
  TextureArray array(device, texel_format<float>(), {3, 2});
  array.upload<float>(counted(6));
  EXPECT_EQ(array.download<float>(), counted(6));
  auto out = device.allocate<float>(3);
  const Texture texture(array, {.filter = FilterMode::linear});
  device.launch(device.compile(kTextureText).kernel("sample"), LaunchConfig{{1}, {3}}, texture, out);
  EXPECT_EQ(out.download(), (std::vector<float>{2, 3, 3.5f}));
}

TEST_P(Textures, ReadLinearAndPitchedMemory) {
  const Module module = device.compile(kTextureText);
  auto memory = device.upload(counted(12));
  auto out = device.allocate<float>(3);
  device.launch(module.kernel("fetch"), LaunchConfig{{1}, {3}},
                Texture(memory.slice(4), texel_format<float>()), out);
  EXPECT_EQ(out.download(), (std::vector<float>{4, 5, 6}));
  const Texture pitched(Slice<const float>(memory), texel_format<float>(), {3, 2}, 20);
  device.launch(module.kernel("sample"), LaunchConfig{{1}, {3}}, pitched, out);
  EXPECT_EQ(out.download(), (std::vector<float>{6, 7, 7}));
}

TEST_P(Textures, AreWrittenAsSurfaces) {
  TextureArray array(device, texel_format<unsigned char>(4), {2, 2});
  array.upload<unsigned char>(std::vector<unsigned char>(16, 5));
  device.launch(device.compile(kTextureText).kernel("invert"), LaunchConfig{{1}, {2, 2}}, Surface(array));
  EXPECT_EQ(array.download<unsigned char>(),
            (std::vector<unsigned char>{250, 5, 5, 5, 250, 5, 5, 5, 250, 5, 5, 5, 250, 5, 5, 5}));
}

TEST_P(Textures, AreBoundToReferences) {
  const Module module = device.compile(kTextureText);
  const Kernel kernel = module.kernel("sample_reference");
  auto out = device.allocate<float>(2);
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {2}}, out);
            }).find(runtime::message::kReferenceNotBound("sample_reference", "image").text),
            std::string::npos);
  TextureArray array(device, texel_format<float>(), {3, 2});
  array.upload<float>(counted(6));
  module.bind_texture("image", Texture(array));
  device.launch(kernel, LaunchConfig{{1}, {2}}, out);
  EXPECT_EQ(out.download(), (std::vector<float>{4, 5}));
  array = TextureArray(device, texel_format<float>(), {1, 1});  // the module keeps the texels
  device.launch(kernel, LaunchConfig{{1}, {2}}, out);
  EXPECT_EQ(out.download(), (std::vector<float>{4, 5}));
  EXPECT_NE(message_of([&] { module.bind_texture("picture", Texture(array)); }).find("'picture'"),
            std::string::npos);
}

TEST_P(Textures, MustOutliveTheLaunch) {
  const Kernel kernel = device.compile(kTextureText).kernel("sample");
  auto out = device.allocate<float>(1);
  Texture texture;
  {
    const TextureArray array(device, texel_format<float>(), {3, 2});
    texture = Texture(array);
  }
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {1}}, texture, out);
            }).find(detail::message::kDanglingSlice().text),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {1}}, Texture(), out);
            }).find("a texture"),
            std::string::npos);
}

TEST_P(Textures, RefuseWhatDoesNotFit) {
  TextureArray bytes(device, texel_format<unsigned char>(), {3});
  auto out = device.allocate<float>(1);
  EXPECT_NE(message_of([&] {
              Texture(bytes, {.filter = FilterMode::linear});
            }).find(runtime::message::kTextureFilter().text),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              TextureArray(device, {ChannelKind::real, 32, 3}, {4});
            }).find("3 channels"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              TextureArray(device, texel_format<float>(), {4, 0, 4});
            }).find("4 x 0 x 4"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { bytes.upload<unsigned char>(std::vector<unsigned char>(4)); }).find("4 bytes given"),
      std::string::npos);
  const auto few = device.upload(std::vector<unsigned char>(5));
  EXPECT_NE(message_of([&] { Texture(few.slice(1), texel_format<unsigned char>()); }).find("at offset 1"),
            std::string::npos);
  const Kernel kernel = device.compile(kTextureText).kernel("sample");
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {1}}, Surface(bytes), out);
            }).find("argument 1 is a surface"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {1}}, 3, out);
            }).find("argument 1 is 3"),
            std::string::npos);
}

}  // namespace
}  // namespace quern::test
