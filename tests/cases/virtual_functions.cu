// Virtual functions: the dynamic type of an object selects the function.
struct VShape {
  int id;
  __device__ VShape(int i) : id(i) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ int sum() const { return area() + corners() + id; }
};
struct VSquare : VShape {
  int side;
  __device__ VSquare(int s) : VShape(100), side(s) {}
  __device__ int area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
struct VCircle : VShape {
  int r;
  __device__ VCircle(int x) : VShape(200), r(x) {}
  __device__ int area() const override { return 3 * r * r; }
};
struct VTile : VSquare {
  __device__ VTile() : VSquare(2) {}
  __device__ int area() const final { return 1; }
};

//! run vf_pointer(i32[3]) block 3
//! out = 9 12 1
__global__ void vf_pointer(int* out) {
  VSquare a(3);
  VCircle b(2);
  VTile c;
  const VShape* s = threadIdx.x == 0 ? (const VShape*)&a : threadIdx.x == 1 ? (const VShape*)&b : &c;
  out[threadIdx.x] = s->area();
}

//! run vf_inherited(i32[3]) block 3
//! out = 113 212 105
__global__ void vf_inherited(int* out) {
  VSquare a(3);
  VCircle b(2);
  VTile c;
  const VShape* s = threadIdx.x == 0 ? (const VShape*)&a : threadIdx.x == 1 ? (const VShape*)&b : &c;
  out[threadIdx.x] = s->sum();
}

__device__ int by_reference(const VShape& s) { return s.area() * 10 + s.corners(); }

//! run vf_reference(i32[2]) block 1
//! out = 94 30
__global__ void vf_reference(int* out) {
  VSquare a(3);
  VCircle b(1);
  out[0] = by_reference(a);
  out[1] = by_reference(b);
}

//! run vf_qualified(i32[3]) block 1
//! out = 0 4 4
__global__ void vf_qualified(int* out) {
  VSquare a(3);
  VSquare* p = &a;
  VTile t;
  VSquare& r = t;
  out[0] = p->VShape::corners();
  out[1] = p->corners();
  out[2] = r.VSquare::area();
}

struct VBase {
  int seen;
  __device__ virtual int kind() const { return 1; }
  __device__ VBase() { seen = kind(); }
};
struct VDerived : VBase {
  int seen_later;
  __device__ VDerived() { seen_later = kind(); }
  __device__ int kind() const override { return 2; }
};

//! run vf_in_constructor(i32[3]) block 1
//! out = 1 2 2
__global__ void vf_in_constructor(int* out) {
  VDerived d;
  const VBase& b = d;
  out[0] = d.seen;
  out[1] = d.seen_later;
  out[2] = b.kind();
}

//! run vf_slicing(i32[3]) block 1
//! out = 1 1 2
__global__ void vf_slicing(int* out) {
  VDerived d;
  VBase b = d;
  const VBase& rb = b;
  out[0] = rb.kind();
  VBase c;
  c = d;
  const VBase& rc = c;
  out[1] = rc.kind();
  VDerived e = d;
  const VBase& re = e;
  out[2] = re.kind();
}

struct VFirst {
  int a = 1;
  __device__ virtual int first() { return a; }
};
struct VSecond {
  int b = 2;
  __device__ virtual int second() { return b; }
  __device__ virtual int both() { return -1; }
};
struct VTwo : VFirst, VSecond {
  int c = 3;
  __device__ int second() override { return b * 10 + c; }
  __device__ int both() override { return a * 100 + b * 10 + c; }
};

//! run vf_two_bases(i32[4]) block 1
//! out = 1 23 123 7
__global__ void vf_two_bases(int* out) {
  VTwo t;
  VFirst* f = &t;
  VSecond* s = &t;
  out[0] = f->first();
  out[1] = s->second();
  out[2] = s->both();
  s->b = 0;
  t.c = 7;
  out[3] = s->second();
}

struct VNode {
  __device__ virtual VNode* self() { return this; }
  __device__ virtual int value() { return 5; }
  int x = 0;
};
struct VOther {
  __device__ virtual int other() { return 6; }
  int y = 0;
};
struct VLeaf : VOther, VNode {
  __device__ VLeaf* self() override { return this; }
  __device__ int value() override { return 8; }
};

//! run vf_covariant_result(i32[2]) block 2
//! out = 5 8
__global__ void vf_covariant_result(int* out) {
  VNode n;
  VLeaf l;
  VNode* p = threadIdx.x ? (VNode*)&l : &n;
  out[threadIdx.x] = p->self()->value();
}

template <class T>
struct VValue {
  T v;
  __device__ VValue(T x) : v(x) {}
  __device__ virtual T get(T scale) const { return v * scale; }
};
template <class T>
struct VNegated : VValue<T> {
  __device__ VNegated(T x) : VValue<T>(x) {}
  __device__ T get(T scale) const override { return -this->v * scale; }
};

//! run vf_template(f32[2]) block 2
//! out = 6 -6
__global__ void vf_template(float* out) {
  VValue<float> a(2.0f);
  VNegated<float> b(2.0f);
  const VValue<float>* p = threadIdx.x ? &b : &a;
  out[threadIdx.x] = p->get(3.0f);
}

struct VVisitor {
  __device__ virtual void visit(int x) = 0;
};
struct VSum : VVisitor {
  int total = 0;
  __device__ void visit(int x) override { total += x; }
};
struct VMax : VVisitor {
  int most = 0;
  __device__ void visit(int x) override { most = x > most ? x : most; }
};
__device__ void visit_all(VVisitor& v, const int* data, int n) {
  for (int i = 0; i < n; ++i) v.visit(data[i]);
}

//! run vf_visitor(i32[2], i32[5]=iota) block 1
//! out = 10 4
__global__ void vf_visitor(int* out, const int* data) {
  VSum sum;
  VMax most;
  visit_all(sum, data, 5);
  visit_all(most, data, 5);
  out[0] = sum.total;
  out[1] = most.most;
}

struct VOverloads {
  __device__ virtual int f(int) { return 1; }
  __device__ virtual int f(float) { return 2; }
  __device__ virtual int f(int) const { return 3; }
  __device__ virtual int operator()(int x) { return x; }
};
struct VOverloads2 : VOverloads {
  using VOverloads::f;
  __device__ int f(float) override { return 20; }
  __device__ int operator()(int x) override { return -x; }
};

//! run vf_overloads(i32[8]) block 2
//! out = 1 2 3 7 1 20 3 -7
__global__ void vf_overloads(int* out) {
  VOverloads a;
  VOverloads2 b;
  VOverloads& r = threadIdx.x ? (VOverloads&)b : a;
  const VOverloads& c = r;
  int* o = out + 4 * threadIdx.x;
  o[0] = r.f(1);
  o[1] = r.f(1.0f);
  o[2] = c.f(1);
  o[3] = r(7);
}

//! run vf_size(i32[2]) block 1
//! out = 16 8
__global__ void vf_size(int* out) {
  out[0] = sizeof(VShape);
  out[1] = sizeof(VVisitor);
}

struct VLogged {
  int* log;
  __device__ VLogged(int* l) : log(l) {}
  __device__ virtual int name() { return 1; }
  __device__ virtual ~VLogged() { *log = *log * 10 + name(); }
};
struct VLogged2 : VLogged {
  __device__ VLogged2(int* l) : VLogged(l) {}
  __device__ int name() override { return 2; }
  __device__ ~VLogged2() override { *log = *log * 10 + name(); }
};

//! run vf_in_destructor(i32[1]=0) block 1
//! out = 21
__global__ void vf_in_destructor(int* out) { VLogged2 object(out); }

//! run vf_array(i32[3]) block 3
//! out = 4 3 1
__global__ void vf_array(int* out) {
  VSquare squares[2] = {VSquare(1), VSquare(2)};
  VCircle circle(1);
  const VShape* all[3] = {&squares[1], &circle, &squares[0]};
  out[threadIdx.x] = all[threadIdx.x]->area();
}
