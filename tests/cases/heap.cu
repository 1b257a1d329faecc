// malloc, free, new and delete in kernels.
//! run heap_malloc(i32[8]) block 8
//! out = 0 1 5 14 30 55 91 140
__global__ void heap_malloc(int* out) {
  const int n = threadIdx.x + 1;
  int* squares = (int*)malloc(n * sizeof(int));
  if (squares == nullptr) return;
  for (int i = 0; i < n; ++i) squares[i] = i * i;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += squares[i];
  out[threadIdx.x] = sum;
  free(squares);
}

//! run heap_alignment(i32[4]) block 4
//! out = 1*4
__global__ void heap_alignment(int* out) {
  char* a = (char*)malloc(threadIdx.x * 3 + 1);
  double* b = (double*)malloc(sizeof(double) * 2);
  b[0] = 1.5;
  b[1] = 2.5;
  *a = 7;
  out[threadIdx.x] = *a == 7 && b[0] + b[1] == 4.0;
  free(a);
  free(b);
}

//! run heap_null(i32[3])
//! out = 1 1 1
__global__ void heap_null(int* out) {
  free(nullptr);
  void* p = malloc(size_t(1) << 40);
  out[0] = p == nullptr;
  int* none = nullptr;
  delete none;
  delete[] none;
  out[1] = 1;
  float* q = new float[1ull << 50];
  out[2] = q == nullptr;
}

// More than the heap holds in total: freed blocks are used again.
//! run heap_reuse(i32[1])
//! out = 64
__global__ void heap_reuse(int* out) {
  int done = 0;
  for (int i = 0; i < 64; ++i) {
    int* p = (int*)malloc(1 << 20);
    if (p == nullptr) break;
    p[0] = i;
    p[(1 << 18) - 1] = 1;
    done += p[(1 << 18) - 1];
    free(p);
  }
  out[0] = done;
}

// Small free blocks are joined to a large one.
//! run heap_join(i32[3])
//! out = 1 1 1
__global__ void heap_join(int* out) {
  constexpr unsigned kPart = 1u << 19;
  char* p[20];
  int n = 0;
  for (; n < 20; ++n) {
    p[n] = (char*)malloc(kPart);
    if (p[n] == nullptr) break;
  }
  out[0] = n >= 15 && n < 20;
  for (int i = 0; i < n; ++i) free(p[i]);
  char* large = (char*)malloc(3 * kPart);
  out[1] = large != nullptr;
  char* rest = (char*)malloc(4 * kPart);
  out[2] = rest != nullptr;
  free(large);
  free(rest);
}

//! run heap_calloc(i32[4]) block 4
//! out = 0*4
__global__ void heap_calloc(int* out) {
  int* p = (int*)calloc(16, sizeof(int));
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += p[i];
  out[threadIdx.x] = sum;
  free(p);
}

struct HeapPoint {
  int x = 3, y = 4;
  __device__ HeapPoint() {}
  __device__ HeapPoint(int a, int b) : x(a), y(b) {}
};

//! run heap_new(i32[4])
//! out = 7 11 9 5
__global__ void heap_new(int* out) {
  HeapPoint* a = new HeapPoint;
  HeapPoint* b = new HeapPoint(5, 6);
  int* c = new int(9);
  int* d = new int{5};
  out[0] = a->x + a->y;
  out[1] = b->x + b->y;
  out[2] = *c;
  out[3] = *d;
  delete a;
  delete b;
  delete c;
  delete d;
}

//! run heap_new_array(i32[6])
//! out = 0 1 4 9 70 0
__global__ void heap_new_array(int* out) {
  int* a = new int[4];
  for (int i = 0; i < 4; ++i) a[i] = i * i;
  for (int i = 0; i < 4; ++i) out[i] = a[i];
  const HeapPoint* p = new HeapPoint[10];
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += p[i].x + p[i].y;
  out[4] = sum;
  float* z = new float[8]();
  float total = 0;
  for (int i = 0; i < 8; ++i) total += z[i];
  out[5] = int(total);
  delete[] a;
  delete[] p;
  delete[] z;
}

struct HeapCounted {
  int* log;
  int id;
  __device__ HeapCounted() : log(nullptr), id(0) {}
  __device__ HeapCounted(int* l, int i) : log(l), id(i) {}
  __device__ ~HeapCounted() {
    if (log != nullptr) log[id] += 1 + id;
  }
};

//! run heap_destructors(i32[4]=0)
//! out = 1 2 3 4
__global__ void heap_destructors(int* out) {
  HeapCounted* one = new HeapCounted(out, 0);
  HeapCounted* many = new HeapCounted[3];
  for (int i = 0; i < 3; ++i) {
    many[i].log = out;
    many[i].id = i + 1;
  }
  delete one;
  delete[] many;
}

//! run heap_placement(i32[3])
//! out = 8 15 2
__global__ void heap_placement(int* out) {
  __align__(8) char memory[sizeof(HeapPoint)];
  HeapPoint* p = new (memory) HeapPoint(3, 5);
  out[0] = p->x + p->y;
  HeapPoint* q = ::new (static_cast<void*>(memory)) HeapPoint{7, 8};
  out[1] = q->x + q->y;
  out[2] = 0;
  {
    int log[1] = {0};
    __align__(8) char more[sizeof(HeapCounted)];
    HeapCounted* c = new (more) HeapCounted(log, 0);
    c->~HeapCounted();
    out[2] = log[0] + 1;
  }
}

struct HeapNode {
  int value;
  HeapNode* next;
};

//! run heap_list(i32[4]) block 4
//! out = 0 1 3 6
__global__ void heap_list(int* out) {
  HeapNode* head = nullptr;
  for (int i = 0; i <= threadIdx.x; ++i) head = new HeapNode{i, head};
  int sum = 0;
  while (head != nullptr) {
    HeapNode* next = head->next;
    sum += head->value;
    delete head;
    head = next;
  }
  out[threadIdx.x] = sum;
}

struct HeapShape {
  int* log;
  __device__ HeapShape(int* l) : log(l) {}
  __device__ virtual int area() const = 0;
  __device__ virtual ~HeapShape() { log[0] += 1; }
};
struct HeapNamed {
  int tag = 5;
  __device__ virtual int name() const { return tag; }
  __device__ virtual ~HeapNamed() {}
};
struct HeapSquare : HeapShape {
  int side;
  __device__ HeapSquare(int* l, int s) : HeapShape(l), side(s) {}
  __device__ int area() const override { return side * side; }
  __device__ ~HeapSquare() override { log[0] += 10; }
};
struct HeapBoth : HeapSquare, HeapNamed {
  HeapCounted part;
  __device__ HeapBoth(int* l) : HeapSquare(l, 2), part(l, 1) {}
  __device__ int name() const override { return 40 + side; }
};

//! run heap_virtual(i32[6]=0)
//! out = 33 4 9 4 42 1
__global__ void heap_virtual(int* out) {
  HeapShape* a = new HeapSquare(out, 3);
  out[2] = a->area();
  delete a;
  HeapShape* b = new HeapBoth(out);
  out[3] = b->area();
  delete b;
  HeapNamed* c = new HeapBoth(out);
  out[4] = c->name();
  delete c;
  void* again = malloc(16);
  out[5] = again != nullptr;
  free(again);
}

// The memory stays allocated until the kernel frees it.
//! run heap_shared_by_threads(i32[8]) block 8
//! out = 0 10 20 30 40 50 60 70
__global__ void heap_shared_by_threads(int* out) {
  __shared__ int* data;
  if (threadIdx.x == 0) data = new int[8];
  __syncthreads();
  data[7 - threadIdx.x] = 10 * (7 - threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] data;
}

// Many threads at the same time, several rounds.
//! run heap_many(i32[256]) block 64 grid 4
//! out = 12*256
__global__ void heap_many(int* out) {
  int good = 0;
  for (int round = 0; round < 4; ++round) {
    const int n = (threadIdx.x * 7 + round * 3) % 13 + 1;
    int* p = (int*)malloc(n * sizeof(int));
    int* q = (int*)malloc(sizeof(int));
    if (p == nullptr || q == nullptr) break;
    for (int i = 0; i < n; ++i) p[i] = threadIdx.x * 100 + i;
    *q = blockIdx.x;
    bool same = *q == blockIdx.x;
    for (int i = 0; i < n; ++i) same = same && p[i] == threadIdx.x * 100 + i;
    good += same ? 3 : 0;
    free(p);
    free(q);
  }
  out[blockIdx.x * 64 + threadIdx.x] = good;
}

template <class T>
struct HeapVector {
  T* data = nullptr;
  int size = 0, room = 0;
  __device__ void push(const T& v) {
    if (size == room) {
      room = room == 0 ? 2 : room * 2;
      T* more = new T[room];
      for (int i = 0; i < size; ++i) more[i] = data[i];
      delete[] data;
      data = more;
    }
    data[size++] = v;
  }
  __device__ ~HeapVector() { delete[] data; }
};

//! run heap_vector(i32[4]) block 4
//! out = 45 145 245 345
__global__ void heap_vector(int* out) {
  HeapVector<int> v;
  for (int i = 0; i < 10; ++i) v.push(i + 10 * threadIdx.x);
  int sum = 0;
  for (int i = 0; i < v.size; ++i) sum += v.data[i];
  out[threadIdx.x] = sum;
}
