// When objects are constructed and destroyed: scopes, temporaries, references, arrays, exits. Each object
// writes its number when it is constructed and the negative number when it is destroyed.

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

//! run temporary_lives_for_its_statement(i32[8]=0)
//! out = 1 7 -1 2 8 -2 9 0
__global__ void temporary_lives_for_its_statement(int* out) {
  Log log{out, 0};
  Noisy(log, 1), log.add(7);
  make(log, 2), log.add(8);
  log.add(9);
}

//! run temporaries_die_in_reverse(i32[8]=0)
//! out = 1 2 3 -2 -1 0 0 0
__global__ void temporaries_die_in_reverse(int* out) {
  Log log{out, 0};
  log.add(sum(Noisy(log, 1), make(log, 2)));
}

//! run call_on_a_temporary(i32[6]=0)
//! out = 4 4 -4 5 -5 5
__global__ void call_on_a_temporary(int* out) {
  Log log{out, 0};
  log.add(Noisy(log, 4).value());
  int v = make(log, 5).self().id;
  log.add(v);
}

//! run reference_keeps_a_temporary(i32[8]=0)
//! out = 1 2 -2 7 -1 9 0 0
__global__ void reference_keeps_a_temporary(int* out) {
  Log log{out, 0};
  {
    const Noisy& kept = make(log, 1);
    int v = Noisy(log, 2).value();
    log.add(v + kept.id + 4);
  }
  log.add(9);
}

struct Pair {
  Noisy first, second;
};
//! run reference_to_a_member_keeps_all(i32[8]=0)
//! out = 1 2 7 -2 -1 0 0 0
__global__ void reference_to_a_member_keeps_all(int* out) {
  Log log{out, 0};
  const Noisy& second = Pair{Noisy(log, 1), Noisy(log, 2)}.second;
  log.add(second.id + 5);
}

//! run array_of_objects(i32[12]=0)
//! out = 1 2 3 9 -3 -2 -1 0 0 0 0 0
__global__ void array_of_objects(int* out) {
  Log log{out, 0};
  Noisy all[3] = {Noisy(log, 1), Noisy(log, 2), make(log, 3)};
  log.add(9);
}

struct Counter {
  int* n;
  int id = 3;
  __device__ ~Counter() { *n = *n * 10 + id; }
};
struct Holder {
  Counter inside[2][2];
};
//! run array_in_a_member(i32[1]=0)
//! out = 4321
__global__ void array_in_a_member(int* out) {
  Holder h = {{{{out, 1}, {out, 2}}, {{out, 3}, {out, 4}}}};
  h.inside[0][0].id = 1;
}

__device__ Noisy named(Log& log, int way) {
  Noisy local(log, 5);
  Noisy other(log, 6);
  if (way == 1) return other;
  return local;
}
//! run returned_local_is_destroyed_once(i32[12]=0, 0)
//! out = 5 6 -6 9 -5 0 0 0 0 0 0 0
//! run returned_local_is_destroyed_once(i32[12]=0, 1)
//! out = 5 6 -5 9 -6 0 0 0 0 0 0 0
__global__ void returned_local_is_destroyed_once(int* out, int way) {
  Log log{out, 0};
  Noisy got = named(log, way);
  log.add(9);
}

//! run argument_by_value(i32[6]=0)
//! out = 1 101 -101 101 -1 0
__global__ void argument_by_value(int* out) {
  Log log{out, 0};
  Noisy one(log, 1);
  int v = take(one);
  log.add(v);
}

//! run ways_out_of_a_loop(i32[16]=0)
//! out = 10 -10 11 21 -21 -11 12 22 -22 -12 99 0 0 0 0 0
__global__ void ways_out_of_a_loop(int* out) {
  Log log{out, 0};
  for (int i = 0;; ++i) {
    Noisy outer(log, 10 + i);
    if (i == 0) continue;
    Noisy inner(log, 20 + i);
    if (i == 2) break;
  }
  log.add(99);
}

__device__ void leaves(Log& log) {
  Noisy a(log, 1);
  {
    Noisy b(log, 2);
    if (log.n > 1) return;
    Noisy c(log, 3);
  }
}
//! run return_from_nested_scopes(i32[6]=0)
//! out = 1 2 -2 -1 9 0
__global__ void return_from_nested_scopes(int* out) {
  Log log{out, 0};
  leaves(log);
  log.add(9);
}

//! run goto_out_of_a_scope(i32[8]=0)
//! out = 1 2 -2 -1 3 -3 0 0
__global__ void goto_out_of_a_scope(int* out) {
  Log log{out, 0};
  {
    Noisy a(log, 1);
    Noisy b(log, 2);
    if (log.n == 2) goto done;
    log.add(50);
  }
done:
  Noisy c(log, 3);
}

//! run goto_back(i32[8]=0)
//! out = 1 -1 1 -1 1 7 -1 0
__global__ void goto_back(int* out) {
  Log log{out, 0};
  int times = 0;
again:
  Noisy a(log, 1);
  if (++times < 3) goto again;
  log.add(7);
}

//! run only_the_taken_side(i32[8]=0, 1)
//! out = 1 5 -1 8 0 0 0 0
//! run only_the_taken_side(i32[8]=0, 0)
//! out = 2 5 -2 8 0 0 0 0
__global__ void only_the_taken_side(int* out, int way) {
  Log log{out, 0};
  way ? (Noisy(log, 1), log.add(5)) : (make(log, 2), log.add(5));
  log.add(8);
}

__device__ bool test(Log& log, const Noisy& n) { return n.id > 1; }
//! run temporaries_behind_and(i32[10]=0)
//! out = 2 1 -1 -2 1 -1 77 0 0 0
__global__ void temporaries_behind_and(int* out) {
  Log log{out, 0};
  if (test(log, Noisy(log, 2)) && test(log, Noisy(log, 1))) log.add(66);
  if (test(log, Noisy(log, 1)) && test(log, Noisy(log, 2))) log.add(66);
  log.add(77);
}

//! run temporary_in_a_loop_condition(i32[12]=0)
//! out = 1 -1 50 2 -2 3 -3 51 0 0 0 0
__global__ void temporary_in_a_loop_condition(int* out) {
  Log log{out, 0};
  for (int i = 1; Noisy(log, i).value() < 3; ++i) {
    if (i == 1) log.add(50);
  }
  log.add(51);
}

//! run condition_declares_an_object(i32[12]=0)
//! out = 2 12 -2 1 11 -1 0 0 9 0 0 0
struct Truth : Noisy {
  __device__ Truth(Log& l, int i) : Noisy(l, i) {}
  __device__ explicit operator bool() const { return id != 0; }
};
__global__ void condition_declares_an_object(int* out) {
  Log log{out, 0};
  int n = 2;
  while (Truth t{log, n}) {
    log.add(10 + t.id);
    --n;
  }
  log.add(9);
}

struct Part {
  Log* log;
  int id;
  __device__ Part(Log& l, int i) : log(&l), id(i) { log->add(i); }
  __device__ ~Part() { log->add(-id); }
};
struct Base {
  Part inner;
  __device__ Base(Log& l) : inner(l, 1) {}
  __device__ ~Base() { inner.log->add(-10); }
};
struct Derived : Base {
  Part own;
  __device__ Derived(Log& l) : Base(l), own(l, 2) { l.add(3); }
  __device__ ~Derived() { own.log->add(-20); }
};
//! run bases_and_members(i32[8]=0)
//! out = 1 2 3 -20 -2 -10 -1 9
__global__ void bases_and_members(int* out) {
  Log log{out, 0};
  Derived{log};
  log.add(9);
}

struct Guard {
  int* n;
  __device__ Guard(int* p) : n(p) { ++*n; }
  __device__ ~Guard() { ++*n; }
};
//! run discarded_results(i32[2]=0)
//! out = 6 1
__device__ Guard guarded(int* p) { return Guard(p); }
__global__ void discarded_results(int* out) {
  guarded(out);
  (void)guarded(out);
  Guard{out}, out[1] = 1;
}

//! run assigned_from_a_temporary(i32[8]=0)
//! out = 1 2 -2 2 -2 0 0 0
__global__ void assigned_from_a_temporary(int* out) {
  Log log{out, 0};
  Part p(log, 1);
  p = Part(log, 2);
  log.add(p.id);
}

//! run object_of_a_lambda(i32[8]=0)
//! out = 1 101 5 -101 -1 0 0 0
__global__ void object_of_a_lambda(int* out) {
  Log log{out, 0};
  Noisy one(log, 1);
  auto f = [one, &log] { log.add(one.id - 96); };
  f();
}

//! run range_over_a_temporary(i32[8]=0)
//! out = 1 4 5 6 -1 9 0 0
struct Range {
  Noisy n;
  int values[3];
  __device__ const int* begin() const { return values; }
  __device__ const int* end() const { return values + 3; }
};
__device__ Range range(Log& log) { return Range{Noisy(log, 1), {4, 5, 6}}; }
__global__ void range_over_a_temporary(int* out) {
  Log log{out, 0};
  for (int v : range(log)) log.add(v);
  log.add(9);
}

__device__ const int& second(const Noisy&, const int& v) { return v; }
//! run made_anew_or_not_each_time(i32[8]=0)
//! out = 5 -5 12 11 9 0 0 0
__global__ void made_anew_or_not_each_time(int* out) {
  Log log{out, 0};
  for (int n = 2; const int& left = n == 2 ? second(Noisy(log, 5), n) : n; --n) log.add(10 + left);
  log.add(9);
}
