#!/usr/bin/env python3
"""Writes tests/cases/textures.cu: kernels that read textures, with results computed here by the definition in
docs/textures.md, independently of the device library.
usage: scripts/texture_cases.py > tests/cases/textures.cu     (in the repository's root)"""
import math
import struct


def f32(x):
    if math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def shortest(x):
    """As std::to_chars prints a float."""
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    if x == 0:
        return "-0" if math.copysign(1, x) < 0 else "0"
    for digits in range(1, 10):
        text = "%.*e" % (digits - 1, x)
        if f32(float(text)) == x:
            break
    mantissa, exponent = text.split("e")
    exponent = int(exponent)
    scientific = mantissa + "e%+03d" % exponent
    plain = "%.*f" % (max(0, len(mantissa.replace("-", "").replace(".", "")) - 1 - exponent), x)
    return plain if len(plain) <= len(scientific) else scientific


def decimal(x):
    """A float literal without its suffix."""
    text = shortest(x)
    return text if "." in text or "e" in text else text + ".0"


def mt19937_64(seed):
    n, m = 312, 156
    mask = (1 << 64) - 1
    state = [seed & mask]
    for i in range(1, n):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & mask)
    at = n
    while True:
        if at >= n:
            for i in range(n):
                x = (state[i] & 0xFFFFFFFF80000000) | (state[(i + 1) % n] & 0x7FFFFFFF)
                v = state[(i + m) % n] ^ (x >> 1)
                state[i] = v ^ 0xB5026F5AA96619E9 if x & 1 else v
            at = 0
        y = state[at]
        at += 1
        y ^= (y >> 29) & 0x5555555555555555
        y ^= (y << 17) & 0x71D67FFFEDA60000
        y ^= (y << 37) & 0xFFF7EEE000000000
        yield (y ^ (y >> 43)) & mask


def half(x):
    return struct.unpack("e", struct.pack("e", x))[0]


class Texture:
    """texture(TYPE[shape]=init options): shape from the slowest to the fastest dimension."""

    def __init__(self, kind, lanes, shape, init, *options):
        self.kind, self.lanes, self.shape, self.init, self.options = kind, lanes, shape, init, options
        self.layered = "layered" in options
        self.extent = list(reversed(shape))  # x, y, z
        self.layers = self.extent.pop() if self.layered else 1
        self.linear, self.normalized = "linear" in options, "normalized" in options
        self.values = "values" in options
        self.border = 0.0
        self.mode = "clamp"
        for o in options:
            if o in ("wrap", "clamp", "mirror", "border"):
                self.mode = o
            if o.startswith("border="):
                self.mode, self.border = "border", f32(float(o[7:]))
        if not self.normalized and self.mode in ("wrap", "mirror"):
            self.mode = "clamp"
        count = lanes
        for s in shape:
            count *= s
        bits = int(kind[1:])
        if init == "iota":
            raw = list(range(count))
        elif init.startswith("rand"):
            generator = mt19937_64(int(init[5:]))
            numbers = [next(generator) for _ in range(count)]
            raw = [(r >> 11) * 2.0**-53 for r in numbers] if kind[0] == "f" else [r % 100 for r in numbers]
        else:
            raw = [float(init) if kind[0] == "f" else int(init)] * count
        if kind == "f32":
            self.data = [f32(v) for v in raw]
        elif kind == "f16":
            self.data = [half(v) for v in raw]
        else:
            self.data = []
            for v in raw:
                v %= 1 << bits
                self.data.append(v - (1 << bits) if kind[0] == "i" and v >> (bits - 1) else v)

    def text(self):
        lanes = "x%d" % self.lanes if self.lanes > 1 else ""
        words = ["%s%s[%s]=%s" % (self.kind, lanes, ",".join(map(str, self.shape)), self.init)]
        return "texture(" + " ".join(words + list(self.options)) + ")"

    def read(self, value):
        if self.values and self.kind[0] != "f":
            bits = int(self.kind[1:])
            if self.kind[0] == "u":
                return f32(value / ((1 << bits) - 1))
            return max(f32(value / ((1 << (bits - 1)) - 1)), -1.0)
        return value

    def texel(self, index, layer):
        """All channels; index: x, y, z."""
        at, stride = 0, 1
        for i, n in zip(index, self.extent):
            if i is None:
                return [self.border if self.kind[0] == "f" or self.values else int(self.border)] * self.lanes
            at += i * stride
            stride *= n
        at = (at + layer * stride) * self.lanes
        return [self.read(v) for v in self.data[at : at + self.lanes]]

    def locate(self, x, n, linear):
        """The left texel and the weight of the right one."""
        x = f32(x)
        finite = not (math.isnan(x) or math.isinf(x))
        if self.normalized:
            if self.mode == "wrap":
                x = f32(x - math.floor(x)) if finite else math.nan
            elif self.mode == "mirror":
                x = f32(x - 2 * math.floor(f32(x * 0.5))) if finite else math.nan
            x = f32(x * n)
        if linear:
            x = f32(x - 0.5)
        if math.isnan(x):
            x = 0.0
        x = min(max(x, -2.0), f32(2.0 * n + 2.0))
        left = math.floor(x)
        return left, math.floor(f32(f32(f32(x - left) * 256.0) + 0.5)) / 256.0 if linear else 0.0

    def resolve(self, i, n):
        if self.mode == "border":
            return i if 0 <= i < n else None
        if self.mode == "wrap":
            return i % n
        if self.mode == "mirror":
            i %= 2 * n
            return i if i < n else 2 * n - 1 - i
        return min(max(i, 0), n - 1)

    def sample(self, position, layer=0):
        layer = min(max(layer, 0), self.layers - 1)
        axes = [self.locate(x, n, self.linear) for x, n in zip(position, self.extent)]
        total = None
        for corner in range(1 << len(axes) if self.linear else 1):
            weight, index = 1.0, []
            for a, ((left, right_weight), n) in enumerate(zip(axes, self.extent)):
                right = corner >> a & 1
                index.append(self.resolve(left + right, n))
                weight *= right_weight if right else 1.0 - right_weight
            texel = self.texel(index, layer)
            if not self.linear:
                return texel
            products = [f32(v * weight) for v in texel]
            total = products if total is None else [f32(s + p) for s, p in zip(total, products)]
        return total

    def gather(self, x, y, channel):
        (i, _), (j, _) = (self.locate(c, n, True) for c, n in zip((x, y), self.extent))
        out = []
        for a, b in ((0, 1), (1, 1), (1, 0), (0, 0)):
            index = [self.resolve(i + a, self.extent[0]), self.resolve(j + b, self.extent[1])]
            out.append(self.texel(index, 0)[channel])
        return out


NUMBER = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int", "u32": "unsigned"}
VECTOR = {"i8": "char", "u8": "uchar", "i16": "short", "u16": "ushort", "i32": "int", "u32": "uint"}


def element(texture):
    """The C++ type that a read returns."""
    if texture.kind[0] == "f" or texture.values:
        return "float" + ("" if texture.lanes == 1 else str(texture.lanes))
    return NUMBER[texture.kind] if texture.lanes == 1 else VECTOR[texture.kind] + str(texture.lanes)


def printed(values, is_float):
    return " ".join(shortest(v) if is_float else str(v) for v in values)


def channels(texture):
    return "xyzw"[: texture.lanes] if texture.lanes > 1 else [""]


def show(name, texture, call, count, results, parameters="", arguments=""):
    """A kernel whose thread i stores all channels of call(i)."""
    is_float = texture.kind[0] == "f" or texture.values
    out = "float" if is_float else "int"
    flat = [v for r in results for v in r]
    print("//! run %s(%s, %s[%d]%s) block %d" % (name, texture.text(), "f32" if is_float else "i32", len(flat), arguments, count))
    print("//! out = " + printed(flat, is_float))
    print("__global__ void %s(cudaTextureObject_t t, %s* out%s) {" % (name, out, parameters))
    print("  int i = threadIdx.x;")
    print("  %s v = %s;" % (element(texture), call))
    for c, member in enumerate(channels(texture)):
        index = "i" if texture.lanes == 1 else "i * %d + %d" % (texture.lanes, c)
        print("  out[%s] = v%s;" % (index, "." + member if member else ""))
    print("}\n")


def line(name, texture, first, step, count=16):
    """Along a line in all dimensions: coordinate a of thread i is first[a] + i * step[a]."""
    n = len(texture.extent)
    first, step = [f32(v) for v in first], [f32(v) for v in step]
    points = [[f32(f32(i * step[a]) + first[a]) for a in range(n)] for i in range(count)]
    layers = [i % 5 - 1 for i in range(count)]
    coordinates = ", ".join("i * %sf + %sf" % (decimal(step[a]), decimal(first[a])) for a in range(n))
    if texture.layered:
        call = "tex%dDLayered<%s>(t, %s, i %% 5 - 1)" % (n, element(texture), coordinates)
        results = [texture.sample(p, l) for p, l in zip(points, layers)]
    else:
        call = "tex%dD<%s>(t, %s)" % (n, element(texture), coordinates)
        results = [texture.sample(p) for p in points]
    show(name, texture, call, count, results)


print("// Textures. Written by scripts/texture_cases.py, which computes the results.\n")
print("""__device__ float coordinate(int i) {
  const float all[8] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 3e9f, -3e9f, 0.0f};
  return all[i];
}
__device__ float at(cudaTextureObject_t t, float x, float y) { return tex2D<float>(t, x, y); }
""")

# One dimension: all modes with both filters, also odd sizes and one texel.
for mode in ("clamp", "border", "wrap", "mirror"):
    for kind in ("point", "linear"):
        options = [kind, mode] + (["normalized"] if mode in ("wrap", "mirror") else [])
        scale = 0.2 if "normalized" in options else 1.0
        line("row_%s_%s" % (mode, kind), Texture("f32", 1, [5], "rand:%d" % len(mode), *options), [-1.3 * scale], [0.55 * scale])
line("row_normalized_clamp", Texture("f32", 1, [7], "iota", "normalized", "linear"), [-0.2], [0.09375])
line("row_normalized_border", Texture("f32", 1, [7], "iota", "normalized", "linear", "border=-5"), [-0.2], [0.09375])
line("one_texel_wrap", Texture("f32", 1, [1], "3", "normalized", "linear", "wrap"), [-0.7], [0.125])
line("one_texel_mirror", Texture("f32", 1, [1], "3", "normalized", "mirror"), [-2.5], [0.375])
line("wrap_without_normalized_clamps", Texture("f32", 1, [4], "iota", "wrap"), [-3.0], [0.75])
line("mirror_without_normalized_clamps", Texture("f32", 1, [4], "iota", "mirror", "linear"), [-3.0], [0.75])
line("weights_have_8_bits", Texture("f32", 1, [2], "iota", "linear"), [0.5], [0.001953125], 33)
line("border_value", Texture("f32", 1, [3], "iota", "border=0.25"), [-2.0], [0.5])

# Two and three dimensions, layers.
line("plane_point", Texture("f32", 1, [5, 3], "iota"), [-0.7, -1.1], [0.31, 0.47])
line("plane_linear", Texture("f32", 1, [5, 3], "rand:7", "linear"), [-0.7, -1.1], [0.31, 0.47])
line("plane_linear_border", Texture("f32", 1, [4, 6], "rand:8", "linear", "border=2"), [-0.7, -1.1], [0.51, 0.47])
line("plane_linear_wrap", Texture("f32", 1, [3, 5], "rand:9", "linear", "wrap", "normalized"), [-1.7, 2.3], [0.17, -0.29])
line("plane_linear_mirror", Texture("f32", 1, [3, 5], "rand:10", "linear", "mirror", "normalized"), [-1.7, 2.3], [0.17, -0.29])
line("plane_float4_linear", Texture("f32", 4, [3, 3], "rand:11", "linear"), [0.1, 0.2], [0.21, 0.17], 8)
line("plane_float2", Texture("f32", 2, [3, 2], "iota"), [0.1, 0.2], [0.21, 0.17], 8)
line("plane_one_column", Texture("f32", 1, [7, 1], "rand:12", "linear"), [0.0, 0.0], [0.25, 0.5])
line("volume_point", Texture("f32", 1, [3, 4, 5], "iota"), [-0.5, 0.1, 0.0], [0.4, 0.3, 0.2])
line("volume_linear", Texture("f32", 1, [3, 4, 5], "rand:13", "linear"), [-0.5, 0.1, 0.0], [0.4, 0.3, 0.2])
line("volume_linear_wrap", Texture("f32", 1, [2, 3, 5], "rand:14", "linear", "wrap", "normalized"), [-0.5, 0.1, 3.0], [0.13, 0.37, -0.21])
line("volume_border", Texture("f32", 2, [2, 2, 2], "iota", "border=9"), [-0.5, -0.4, -0.3], [0.4, 0.3, 0.2], 10)
line("row_layers", Texture("f32", 1, [3, 5], "iota", "layered"), [-0.5], [0.4])
line("row_layers_linear", Texture("f32", 1, [3, 5], "rand:15", "layered", "linear"), [-0.5], [0.4])
line("plane_layers", Texture("i32", 1, [3, 2, 4], "iota", "layered"), [-0.5, 0.3], [0.4, 0.1])
line("plane_layers_linear", Texture("f32", 2, [3, 3, 2], "rand:16", "layered", "linear"), [-0.5, 0.3], [0.2, 0.1], 12)

# Formats.
for kind in ("i8", "u8", "i16", "u16", "i32", "u32"):
    for lanes in (1, 2, 4):
        line("format_%sx%d" % (kind, lanes), Texture(kind, lanes, [3, 5], "iota"), [0.5, 0.5], [0.7, 0.3], 8)
for kind in ("i8", "u8", "i16", "u16"):
    line("values_%s" % kind, Texture(kind, 1, [300 if kind[1] == "8" else 9], "iota", "values"), [0.5], [37.0 if kind[1] == "8" else 1.0], 9)
    line("values_%sx4_linear" % kind, Texture(kind, 4, [3, 3], "rand:17", "values", "linear"), [0.1, 0.2], [0.31, 0.27], 8)
line("half_point", Texture("f16", 1, [9], "rand:18"), [0.5], [1.0], 9)
line("half2_linear", Texture("f16", 2, [3, 3], "rand:19", "linear"), [0.1, 0.2], [0.31, 0.27], 8)
line("half4_linear", Texture("f16", 4, [3, 3], "rand:20", "linear", "border=0.5"), [-0.5, 0.2], [0.31, 0.27], 8)
line("half_large", Texture("f16", 1, [4], "65504"), [0.5], [1.0], 4)
line("half_subnormal", Texture("f16", 1, [4], "3e-7"), [0.5], [1.0], 4)
line("half_infinite", Texture("f16", 1, [4], "inf"), [0.5], [1.0], 4)
line("border_of_integers", Texture("u8", 4, [2, 2], "iota", "border=200"), [-0.5, 0.5], [0.5, 0.0], 6)

# Coordinates that are not finite.
for mode in ("clamp", "border=7", "wrap", "mirror"):
    for kind in ("point", "linear"):
        options = [kind, mode] + (["normalized"] if mode in ("wrap", "mirror") else [])
        t = Texture("f32", 1, [5], "rand:21", *options)
        points = [math.nan, math.inf, -math.inf, 1e30, -1e30, 3e9, -3e9, 0.0]
        show("not_finite_%s_%s" % (mode.split("=")[0], kind), t, "tex1D<float>(t, coordinate(i))", 8, [t.sample([p]) for p in points])

# Fetches, gathers, levels.
t = Texture("f32", 1, [6], "rand:22")
show("fetch", t, "tex1Dfetch<float>(t, i - 2)", 10, [t.texel([i - 2], 0) if 0 <= i - 2 < 6 else [0.0] for i in range(10)])
t = Texture("u8", 4, [6], "iota")
show("fetch_uchar4", t, "tex1Dfetch<uchar4>(t, i - 2)", 10, [t.texel([i - 2], 0) if 0 <= i - 2 < 6 else [0] * 4 for i in range(10)])
t = Texture("i16", 1, [6], "rand:23", "values")
show("fetch_values", t, "tex1Dfetch<float>(t, i)", 6, [t.texel([i], 0) for i in range(6)])


def gather(name, texture, channel, result, count=8):
    points = [[f32(f32(i * f32(0.7)) - f32(0.9)), f32(f32(i * f32(0.4)) - f32(0.6))] for i in range(count)]
    is_float = result == "float4"
    values = [v for p in points for v in texture.gather(p[0], p[1], channel)]
    print("//! run %s(%s, %s[%d]) block %d" % (name, texture.text(), "f32" if is_float else "i32", len(values), count))
    print("//! out = " + printed(values, is_float))
    print("__global__ void %s(cudaTextureObject_t t, %s* out) {" % (name, "float" if is_float else "int"))
    print("  int i = threadIdx.x;")
    print("  %s v = tex2Dgather<%s>(t, i * 0.7f - 0.9f, i * 0.4f - 0.6f%s);" % (result, result, ", %d" % channel if channel else ""))
    for c, member in enumerate("xyzw"):
        print("  out[i * 4 + %d] = v.%s;" % (c, member))
    print("}\n")


gather("gather", Texture("f32", 1, [4, 5], "iota"), 0, "float4")
gather("gather_channel", Texture("f32", 4, [3, 3], "iota"), 2, "float4")
gather("gather_border", Texture("f32", 2, [3, 3], "iota", "border=-1"), 1, "float4")
gather("gather_integers", Texture("u16", 4, [3, 5], "iota"), 3, "ushort4")

t = Texture("f32", 1, [3, 4], "rand:24", "linear")
points = [[f32(f32(i * f32(0.6))), f32(f32(i * f32(0.3)))] for i in range(8)]
place = "i * 0.6f, i * 0.3f"
show("level_of_detail", t, "tex2DLod<float>(t, %s, 0.0f)" % place, 8, [t.sample(p) for p in points])
show("gradients", t, "tex2DGrad<float>(t, %s, make_float2(0.5f, 0.0f), make_float2(0.0f, 0.5f))" % place, 8, [t.sample(p) for p in points])
show("through_a_function", t, "at(t, %s)" % place, 8, [t.sample(p) for p in points])
show("into_a_variable", t, "[&] { float f; tex2D(&f, t, %s); return f; }()" % place, 8, [t.sample(p) for p in points])
