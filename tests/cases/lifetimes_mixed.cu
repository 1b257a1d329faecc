// Objects with destructors in every kind of statement and expression. The expected orders are those of a host
// compiler.

struct Log {
  int* out;
  int n;
  __device__ void add(int v) { out[n++] = v; }
};

struct Noisy {
  Log* log;
  int id;
  __device__ Noisy(Log& l, int i) : log(&l), id(i) { log->add(i); }
  __device__ Noisy(const Noisy& o) : log(o.log), id(o.id + 100) { log->add(id); }
  __device__ ~Noisy() { log->add(-id); }
  __device__ int value() const { return id; }
  __device__ const Noisy& self() const { return *this; }
};
__device__ Noisy make(Log& l, int i) { return Noisy(l, i); }
__device__ int sum(const Noisy& a, const Noisy& b) { return a.id + b.id; }
__device__ int take(Noisy a) { return a.id; }
__device__ bool is_large(const Noisy& n) { return n.id > 4; }
__device__ Noisy pick(Log& log, bool c) { return c ? Noisy(log, 1) : make(log, 2); }
//! run chosen_objects(i32[20]=0, 1)
//! out = 1 51 3 63 -3 -1 0*14
//! run chosen_objects(i32[20]=0, 0)
//! out = 2 52 4 64 -4 -2 0*14
__global__ void chosen_objects(int* out, int c) {
  Log log{out, 0};
  Noisy n = pick(log, c);
  log.add(n.id + 50);
  const Noisy& r = c ? Noisy(log, 3) : make(log, 4);
  log.add(r.id + 60);
}
struct Wrap {
  Noisy a;
  int v;
  Noisy b;
  __device__ Wrap(Log& log) : a(log, 1), v(sum(Noisy(log, 7), Noisy(log, 8))), b(make(log, 2)) { log.add(v); }
};
//! run members_are_copied_by_their_constructors(i32[30]=0)
//! out = 1 7 8 -8 -7 2 15 101 102 99 -102 -101 -2 -1 0*16
__global__ void members_are_copied_by_their_constructors(int* out) {
  Log log{out, 0};
  Wrap w(log);
  Wrap w2 = w;
  log.add(99);
}
//! run objects_in_switch_and_do(i32[30]=0, 3)
//! out = 3 -3 70 13 -13 23 -23 30 -30 5 0*20
//! run objects_in_switch_and_do(i32[30]=0, 1)
//! out = 1 -1 11 12 112 -12 -11 21 -21 30 -30 5 0*18
__global__ void objects_in_switch_and_do(int* out, int c) {
  Log log{out, 0};
  switch (Noisy(log, c).value()) {
    case 1: {
      Noisy a(log, 11);
      log.add(make(log, 12).value() + 100);
      break;
    }
    case 3:
      log.add(70);
    default: {
      Noisy b(log, 13);
      if (c == 3) break;
    }
  }
  do {
    Noisy d(log, 20 + c);
    if (c == 1) continue;
    --c;
  } while (make(log, 30).value() == 0);
  log.add(5);
}
//! run out_of_nested_loops(i32[40]=0)
//! out = 10 20 -20 21 -21 40 -40 -10 11 20 -20 21 -21 -11 77 0*25
__global__ void out_of_nested_loops(int* out) {
  Log log{out, 0};
  for (int i = 0; i < 3; ++i) {
    Noisy a(log, 10 + i);
    for (int j = 0; j < 3; ++j) {
      Noisy b(log, 20 + j);
      if (i == 1 && j == 1) goto out_of_it;
      if (j == 1) break;
    }
    if (Noisy t(log, 40); t.value() == 40 && i == 0) continue;
  }
out_of_it:
  log.add(77);
}
//! run operands_that_may_not_run(i32[40]=0, 1)
//! out = 1 2 -2 -1 103 4 5 -5 -4 1 6 -6 88 8 9 -9 -8 9 0*22
//! run operands_that_may_not_run(i32[40]=0, 0)
//! out = 3 -3 103 5 -5 1 7 -7 88 8 9 -9 -8 9 0*26
__global__ void operands_that_may_not_run(int* out, int c) {
  Log log{out, 0};
  int v = c ? sum(Noisy(log, 1), Noisy(log, 2)) : make(log, 3).value();
  log.add(v + 100);
  bool b = c && is_large(Noisy(log, 4)) || is_large(make(log, 5));
  log.add(b);
  (c ? Noisy(log, 6).self() : make(log, 7).self()).value();
  log.add(88);
  int w = (Noisy(log, 8), make(log, 9)).id;
  log.add(w);
}
__device__ int early(Log& log, int n) {
  Noisy a(log, 1);
  for (int i = 0; i < n; ++i) {
    Noisy b(log, 2);
    if (i == 1) return sum(Noisy(log, 3), b);
    while (true) {
      Noisy c(log, 4);
      if (i == 0) break;
      return 6;
    }
  }
  return make(log, 5).id;
}
//! run early_returns(i32[40]=0, 3)
//! out = 1 2 4 -4 -2 2 3 -3 -2 -1 205 0*29
//! run early_returns(i32[40]=0, 1)
//! out = 1 2 4 -4 -2 5 -5 -1 205 0*31
__global__ void early_returns(int* out, int n) {
  Log log{out, 0};
  int v = early(log, n);
  log.add(v + 200);
}
struct Two { Noisy x, y; };
__device__ Two two(Log& log) { return {Noisy(log, 1), Noisy(log, 2)}; }
//! run parts_of_temporaries(i32[40]=0)
//! out = 1 2 33 -2 -1 1 2 43 -2 -1 1 2 5 6 1 2 -2 -1 52 1 2 101 -2 -1 101 -101 -6 -5 -2 -1 0*10
__global__ void parts_of_temporaries(int* out) {
  Log log{out, 0};
  {
    auto [p, q] = two(log);
    log.add(p.id + q.id + 30);
  }
  {
    const auto& [p, q] = two(log);
    log.add(p.id + q.id + 40);
  }
  Two arr[2] = {two(log), {Noisy(log, 5), Noisy(log, 6)}};
  int x = two(log).y.id;
  log.add(x + 50);
  Noisy copy = two(log).x;
  log.add(copy.id);
}
__device__ Noisy chain(Log& log, int n) {
  Noisy a(log, n);
  Noisy b = a;
  b.id = n + 7;
  return b;
}
//! run through_functions_and_lambdas(i32[40]=0)
//! out = 1 101 -1 -8 2 -2 20 120 -20 127 -127 127 127 227 227 -227 -127 -27 0*22
__global__ void through_functions_and_lambdas(int* out) {
  Log log{out, 0};
  take(chain(log, 1));
  take(Noisy(log, 2));
  Noisy n = chain(log, 20);
  auto f = [&](Noisy q) { return q.id; };
  int seen = f(n);
  log.add(seen);
  auto g = [n]() { return n; };
  log.add(g().id);
}

struct Cell {
  Log* log;
  int v;
  __device__ Cell& operator=(const Cell& o) {
    log->add(10 * v + o.v);
    v = o.v;
    return *this;
  }
};
struct Cells {
  Cell one;
  int plain;
  Cell many[2];
};
//! run members_are_assigned_by_their_operators(i32[12]=0)
//! out = 14 27 38 6 44 77 88 9 8 0*3
__global__ void members_are_assigned_by_their_operators(int* out) {
  Log log{out, 0};
  Cells a{{&log, 1}, 5, {{&log, 2}, {&log, 3}}};
  Cells b{{&log, 4}, 6, {{&log, 7}, {&log, 8}}};
  a = b;
  log.add(a.plain);
  (b = a).plain = 9;
  log.add(b.plain);
  log.add(a.many[1].v);
}

struct Tagged {
  int tag;
  int* copies;
  __device__ Tagged(int t, int* c) : tag(t), copies(c) {}
  __device__ Tagged(const Tagged& o) : tag(o.tag + 1), copies(o.copies) { ++*copies; }
};
struct Box {
  Tagged t[2];
  int n;
};
__device__ int tags(Box b) { return b.t[0].tag * 100 + b.t[1].tag * 10 + b.n; }
__device__ Box same(const Box& b) { return b; }
//! run copies_count(i32[6]=0)
//! out = 12 233 233 3 3 2
__global__ void copies_count(int* out) {
  Box b{{Tagged(1, out), Tagged(2, out)}, 3};
  out[1] = tags(b);
  out[2] = tags(same(b));
  const Box* p = &b;
  Box c = *p, d[2] = {b, c};
  out[3] = c.t[1].tag;
  out[4] = d[1].t[0].tag;
  auto f = [b] { return b.t[0].tag; };
  out[5] = f();
}
