__global__ void k(int* out) { out[0] = 1 }
//! 1:41: ';' is missing before '}'
//---
__global__ void k(int* out) { out[0] = (1 + 2; }
//! 1:46: ')' is missing
//---
__global__ void k(int* out) { out[0 = 1; }
//! 1:37: cannot assign to a value: it is a constant
//---
__global__ void k(int* out) { if out[0] out[1] = 1; }
//! 1:34: '(' is missing after 'if', before 'out'
//---
__global__ void k(int* out) { if (out[0] out[1] = 1; }
//! 1:41: ';' is missing before 'out'
//---
__global__ void k(int* out) { for (int i = 0, i < 3; ++i) out[i] = 1; }
//! 1:47: 'i' is declared twice in this block
//---
__global__ void k(int* out) { while (out[0] > 1 { out[0]--; } }
//! 1:49: ')' is missing after the condition, before '{'
//---
__global__ void k(int* out) { do { out[0]--; } out[1] = 1; }
//! 1:48: 'while' is missing after the body of 'do'
//---
__global__ void k(int* out) { do { out[0]--; } while (out[0]) out[1] = 1; }
//! 1:63: ';' is missing after the loop, before 'out'
//---
__global__ void k(int* out) { else out[0] = 1; }
//! 1:31: expected an expression, not 'else'
//---
__global__ void k(int* out) { case 1: out[0] = 1; }
//! 1:31: 'case' is not inside a switch
//---
__global__ void k(int* out) { break; }
//! 1:31: 'break' is not inside a loop or switch
//---
__global__ void k(int* out) { continue; }
//! 1:31: 'continue' is not inside a loop
//---
__global__ void k(int* out) { switch (out[0]) { case 1: continue; } }
//! 1:57: 'continue' is not inside a loop
//---
__global__ void k(int* out) { int = 3; out[0] = 1; }
//! 1:35: a variable's name is missing
//---
__global__ void k(int* out) { int x y; out[0] = 1; }
//! 1:37: ';' is missing after the declaration
//---
__global__ void k(int* out) { out[0] = 1 + ; }
//! 1:44: expected an expression, not ';'
//---
__global__ void k(int* out) { out[0] = * ; }
//! 1:42: expected an expression, not ';'
//---
__global__ void k(int* out) { out[0] = max(1, ); }
//! 1:40: no matching function for call to 'max': its 18 overloads take 2 arguments, got 1
//---
__global__ void k(int* out) { out[0] = 1 ? 2; }
//! 1:45: ':' is missing in the conditional expression, before ';'
//---
__global__ void k(int* out) { goto; }
//! 1:35: a label is missing after 'goto'
//---
__global__ void k(int* out) { goto nowhere; }
//! 1:31: there is no label 'nowhere' in this function
//---
__global__ void k(int* out) { out[0] = 3 $ 4; }
//! 1:41: ';' is missing before '$'
//---
__global__ void k(int* out) { out[0] = static_cast<int 3.5f; }
//! 1:56: '>' is missing after the cast's type, before '3.5f'
//---
__global__ void k(int* out) { int a[3 = {1}; }
//! 1:39: cannot assign to a value: it is a constant
//---
__global__ void k(int* out) { struct { int a; } s = {1; out[0] = s.a; }
//! 1:55: '}' is missing at the end of the list, before ';'
//---
template <typename T, int N> struct A { T v[N]; };
__global__ void k(int* out) { A<int, 3 a; out[0] = 1; }
//! 2:40: '>' is missing at the end of the template arguments
//---
__global__ void k(int* out) { out[0] = 1;
//! 1:41: '}' is missing at the end of the block
//---
__global__ void k(int* out { out[0] = 1; }
//! 1:18: this '(' is never closed
//---
__global__ void k(int* out) { return 1 2; }
//! 1:40: ';' is missing after 'return'
//---
__global__ void k(int* out) { char c = 'a; out[0] = c; }
//! 1:40: a closing ' is missing on this line
//---
__global__ void k(int* out) { const char* s = "open; out[0] = 1; }
//! 1:47: a closing " is missing on this line
//---
#if 1
__global__ void k(int* out) { out[0] = 1; }
//! 1:2: this #if is never closed with #endif
//---
#define TWO(a, b) a + b
__global__ void k(int* out) { out[0] = TWO(1); }
//! 2:40: macro 'TWO' takes 2 arguments, got 1
//---
#error this file is not for you
__global__ void k(int* out) { out[0] = 1; }
//! 1:2: #error: this file is not for you
//---
#if 1 / 0
#endif
__global__ void k(int* out) { out[0] = 1; }
//! 1:7: division by zero in this #if
//---
#frobnicate
__global__ void k(int* out) { out[0] = 1; }
//! 1:2: '#frobnicate' is not a directive
//---
/* open comment
__global__ void k(int* out) { out[0] = 1; }
//! 1:1: this comment is never closed
//---
#define A B
#define B A
__global__ void k(int* out) { out[0] = A; }
//! 3:40: 'A' is not declared in this scope
//---
#define F(x) x x
#define G(x) F(F(F(F(F(F(F(F(x))))))))
#define H(x) G(G(G(x)))
__global__ void k(int* out) { out[0] = H(H(1)); }
//! 4:42: macros and includes expand to more than 4000000 tokens, so the rest of the source is ignored
