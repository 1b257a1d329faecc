// Structs of kernels: objects to bytes and back, in the layout of the device.

const kTypes = {
  i8: ["Int8", 1], u8: ["Uint8", 1], i16: ["Int16", 2], u16: ["Uint16", 2], i32: ["Int32", 4], u32: ["Uint32", 4],
  i64: ["BigInt64", 8], u64: ["BigUint64", 8], f32: ["Float32", 4], f64: ["Float64", 8], bool: ["Uint8", 1],
};

const bits = new DataView(new ArrayBuffer(4));

function halfOf(value) {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0), sign = (word >>> 16) & 0x8000, exponent = ((word >>> 23) & 0xff) - 112;
  let mantissa = word & 0x7fffff;
  if (((word >>> 23) & 0xff) === 0xff) return sign | 0x7c00 | (mantissa ? 0x200 : 0);
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent <= 0) {
    if (exponent < -10) return sign;
    mantissa |= 0x800000;
    const shift = 14 - exponent, half = 1 << (shift - 1), rest = mantissa & ((1 << shift) - 1);
    const rounded = mantissa >>> shift;
    return sign | (rounded + (rest > half || (rest === half && rounded & 1) ? 1 : 0));
  }
  const rest = mantissa & 0x1fff, whole = (exponent << 10) | (mantissa >>> 13);
  return sign | (whole + (rest > 0x1000 || (rest === 0x1000 && whole & 1) ? 1 : 0));
}

function realOf(half) {
  const sign = half & 0x8000 ? -1 : 1, exponent = (half >>> 10) & 31, mantissa = half & 0x3ff;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + mantissa / 1024) * 2 ** (exponent - 15) : mantissa * 2 ** -24);
}

function set(view, at, type, value) {
  if (type === "f16") return view.setUint16(at, halfOf(Number(value)), true);
  if (type === "bf16") {
    bits.setFloat32(0, Number(value));
    return view.setUint16(at, (bits.getUint32(0) + 0x7fff + ((bits.getUint32(0) >>> 16) & 1)) >>> 16, true);
  }
  const [name] = kTypes[type] ?? [];
  if (!name) throw new TypeError(`a field of type '${type}' cannot be set from JavaScript`);
  view[`set${name}`](at, name.startsWith("Big") ? BigInt(value) : Number(value), true);
}

function get(view, at, type) {
  if (type === "f16") return realOf(view.getUint16(at, true));
  if (type === "bf16") {
    bits.setUint32(0, view.getUint16(at, true) << 16);
    return bits.getFloat32(0);
  }
  const [name] = kTypes[type] ?? [];
  if (!name) throw new TypeError(`a field of type '${type}' cannot be read from JavaScript`);
  const value = view[`get${name}`](at, true);
  return type === "bool" ? value !== 0 : value;
}

const sizeOf = (field) => field.struct?.size ?? kTypes[field.type]?.[1] ?? 2;

function write(type, view, at, value) {
  for (const field of type.fields) {
    if (!(field.name in value)) continue;
    const items = field.count === 1 ? [value[field.name]] : value[field.name];
    for (let i = 0; i < field.count; ++i) {
      const to = at + field.offset + i * sizeOf(field);
      if (field.struct) write(field.struct, view, to, items[i]);
      else set(view, to, field.type, items[i]);
    }
  }
}

function read(type, view, at) {
  return Object.fromEntries(type.fields.map((field) => {
    const items = Array.from({length: field.count}, (_, i) => {
      const from = at + field.offset + i * sizeOf(field);
      return field.struct ? read(field.struct, view, from) : get(view, from, field.type);
    });
    return [field.name, field.count === 1 ? items[0] : items];
  }));
}

/** Adds pack() and unpack() to the description of a struct. */
export function makeStruct(type) {
  for (const field of type.fields) if (field.struct) makeStruct(field.struct);
  type.pack = (values) => {
    const list = Array.isArray(values) ? values : [values];
    const bytes = new ArrayBuffer(type.size * list.length);
    const view = new DataView(bytes);
    list.forEach((value, i) => write(type, view, i * type.size, value));
    return bytes;
  };
  type.unpack = (bytes) => {
    const view = ArrayBuffer.isView(bytes) ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new DataView(bytes);
    return Array.from({length: Math.floor(view.byteLength / type.size)}, (_, i) => read(type, view, i * type.size));
  };
  return type;
}
