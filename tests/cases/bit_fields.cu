// Bit-fields: with the layout of the host, read and written as parts of integers.

struct Cut {
  unsigned leaf : 5, sign : 1;
  int level : 10;
  unsigned long hash : 40;
  bool used : 1;
  unsigned char kind : 3;
};
enum Colour : unsigned { kRed, kGreen, kBlue };
struct Mixed {
  char first;
  short small : 5;
  Colour colour : 2;
  unsigned : 0;
  unsigned rest : 31;
  float after;
  unsigned : 7;
  int last : 2;
};
union Word {
  unsigned all;
  struct {
    unsigned low : 4, middle : 12, high : 16;
  };
};

//! run sizes_of_bit_fields(i32[6])
//! out = 8 8 16 4 4 4
__global__ void sizes_of_bit_fields(int* out) {
  out[0] = sizeof(Cut);
  out[1] = alignof(Cut);
  out[2] = sizeof(Mixed);
  out[3] = alignof(Mixed);
  out[4] = sizeof(Word);
  struct Few {
    unsigned a : 1, b : 2;
  };
  out[5] = sizeof(Few);
}

//! run reading_and_writing(5, i32[12])
//! out = 5 1 -3 2147483647 1 6 22 0 -512 511 1 7
__global__ void reading_and_writing(int x, int* out) {
  Cut c;
  c.leaf = x;
  c.sign = 1;
  c.level = -3;
  c.hash = 0x7fffffffu;
  c.used = x;
  c.kind = 6;
  out[0] = c.leaf;
  out[1] = c.sign;
  out[2] = c.level;
  out[3] = (int)c.hash;
  out[4] = c.used;
  out[5] = c.kind;
  c.leaf += 17;
  out[6] = c.leaf;
  c.leaf = 31;
  c.leaf++;
  out[7] = c.leaf;
  c.level = 512;
  out[8] = c.level;
  out[9] = --c.level;
  out[10] = c.sign;
  out[11] = (c.kind = 15);
}

// A bit-field that fits into an int is an int in expressions; `?:` of two bit-fields of one type keeps that type.
//! run promotion(i32[7])
//! out = 1 -1 1 0 0 3 1
__global__ void promotion(int* out) {
  Cut c{};
  c.leaf = 2;
  out[0] = c.leaf - 3 < 0;
  out[1] = -c.sign - 1;
  Word w{};
  w.all = 1;
  out[2] = (w.low - 2) / 2 == 0;
  out[3] = (w.all - 2) / 2 == 0;
  out[4] = (true ? c.leaf : c.sign) - 3 < 0;
  const auto larger = [](const unsigned& a, const unsigned& b) { return a > b ? a : b; };
  out[5] = larger(c.leaf, 3u);
  out[6] = (true ? c.leaf : c.level) - 3 < 0;
}

//! run layout_of_bit_fields(i32[9])
//! out = 65 -16 2 1073741825 -1 1 3 2748 57005
__global__ void layout_of_bit_fields(int* out) {
  Mixed m = {'A', -16, kBlue, 0x40000001u, 2.5f, -1};
  unsigned words[4];
  memcpy(words, &m, sizeof m);
  out[0] = words[0] & 0xff;
  out[1] = m.small;
  out[2] = m.colour;
  out[3] = words[1];
  out[4] = m.last;
  out[5] = (words[0] >> 8 & 31) == 16;
  out[6] = words[3] >> 7 & 3;
  Word w;
  w.all = 0xdeadabcd;
  out[7] = w.middle;
  out[8] = w.high;
}

struct Packed {
  unsigned a : 3;
  unsigned b : 7;
  int c : 6 = -5;
  __device__ Packed(unsigned x, unsigned y) : a(x), b(y) {}
  bool operator==(const Packed&) const = default;
};
__constant__ Cut table[2] = {{3, 1, -4, 99, true, 5}, {33, 0, 1023}};
__device__ Word word = {0x12345678};

//! run objects_with_bit_fields(1, i32[12])
//! out = 5 100 -5 1 0 3 -4 99 5 1 -1 8
__global__ void objects_with_bit_fields(int i, int* out) {
  Packed p(13, 100);
  out[0] = p.a;
  out[1] = p.b;
  out[2] = p.c;
  Packed q = p;
  out[3] = p == q;
  q.b = 1;
  out[4] = p == q;
  out[5] = table[i - 1].leaf;
  out[6] = table[i - 1].level;
  out[7] = (int)table[i - 1].hash;
  auto [leaf, sign, level, hash, used, kind] = table[i - 1];
  out[8] = kind;
  out[9] = table[i].leaf;
  out[10] = table[i].level;
  word.low += i;
  out[11] = word.low + (word.all == 0x12345679 ? 0 : 100) - 1;
}

// Each thread has its own element; the bits of one word belong to one thread.
//! run bit_fields_in_arrays(i32[8]) block 8
//! words = 0 1 4 9 16 25 36 49
__global__ void bit_fields_in_arrays(int* words) {
  Word* out = (Word*)words;
  __shared__ Word shared[8];
  int i = threadIdx.x;
  shared[i].all = 0;
  shared[i].high = i * i;
  shared[i].low = 15;
  __syncthreads();
  Word mine = shared[7 - i];
  shared[7 - i].middle = 5;
  out[7 - i].all = mine.high;
}
