// Asynchronous copies, if the target has them: from device memory to shared memory in pieces of 4, 8 or 16
// bytes. All other copies complete when they are issued.

__device__ bool __may_copy_beside(const void* to, const void* from) {
  return __quern_copy_form() == 1u && __quern_is_shared(to) && __quern_is_global(from);
}
template <unsigned Piece>
__device__ void __copy_pieces_beside(char* to, const char* from, unsigned long bytes, unsigned long first,
                                     unsigned long step) {
  for (unsigned long i = first * Piece; i < bytes; i += step * Piece)
    __quern_async_copy(to + i, from + i, Piece, Piece);
}
// The pieces first, first + step, ...; false: nothing was copied. Align: of both addresses and of the count.
template <unsigned Align>
__device__ bool __copy_beside(void* to, const void* from, unsigned long bytes, unsigned long first,
                              unsigned long step) {
  if (!__may_copy_beside(to, from)) return false;
  if (Align >= 16 || (((unsigned long)to | (unsigned long)from | bytes) & 15) == 0) {
    __copy_pieces_beside<16>((char*)to, (const char*)from, bytes, first, step);
    return true;
  }
  constexpr unsigned piece = Align >= 8 ? 8 : 4;
  if (Align < 4 || bytes % piece != 0) return false;
  __copy_pieces_beside<piece>((char*)to, (const char*)from, bytes, first, step);
  return true;
}
__device__ void __commit_copies() {
  if (__quern_copy_form() == 1u) __quern_async_commit();
}
// Waits until at most the last `groups` of this thread are pending; if there are many, until fewer are.
__device__ void __wait_for_copies(unsigned long groups) {
  if (__quern_copy_form() != 1u) return;
  switch (groups) {
    case 0: __quern_async_wait(0); break;
    case 1: __quern_async_wait(1); break;
    case 2: __quern_async_wait(2); break;
    case 3: __quern_async_wait(3); break;
    case 4: __quern_async_wait(4); break;
    case 5: __quern_async_wait(5); break;
    case 6: __quern_async_wait(6); break;
    default: __quern_async_wait(7);
  }
}
__device__ void __finish_copies() {
  __commit_copies();
  __wait_for_copies(0);
}

__device__ void __pipeline_memcpy_async(void* to, const void* from, unsigned long bytes,
                                        unsigned long zero_bytes = 0) {
  const unsigned read = unsigned(bytes - zero_bytes);
  if (__may_copy_beside(to, from)) {
    if (bytes == 16) return __quern_async_copy(to, from, read, 16);
    if (bytes == 8) return __quern_async_copy(to, from, read, 8);
    if (bytes == 4) return __quern_async_copy(to, from, read, 4);
  }
  __quern_mem_copy(to, from, bytes - zero_bytes);
  if (zero_bytes != 0) memset((char*)to + read, 0, zero_bytes);
}
__device__ void __pipeline_commit() { __commit_copies(); }
__device__ void __pipeline_wait_prior(unsigned long groups) { __wait_for_copies(groups); }
