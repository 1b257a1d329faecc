#!/usr/bin/env python3
"""Measures with PyTorch what bench_ops_nn measures: usage: torch_nn.py [MEBIBYTES]   (default 64 for each tensor, device cuda)

Prints the time and the rate of each operation, and the rate compared with that of a copy. Needs torch with CUDA."""
import sys

import torch
import torch.nn.functional as F

ROUNDS, CALLS = 7, 10
copy_rate = 0.0


def measure(name, size, work):
    """`size`: bytes that must be read and written at least."""
    global copy_rate
    work()
    torch.cuda.synchronize()
    best = 1e30
    for _ in range(ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(CALLS):
            work()
        end.record()
        torch.cuda.synchronize()
        best = min(best, begin.elapsed_time(end) * 1e-3 / CALLS)
    rate = size / best * 1e-9
    copy_rate = copy_rate or rate
    print(f"{name:45} {best * 1e6:9.1f} us {rate:8.1f} GB/s {rate / copy_rate:6.2f}")


def measure_rows(dtype, name, size):
    elements = size // torch.finfo(dtype).bits * 8
    make = lambda *shape: torch.full(shape, 0.5, dtype=dtype, device="cuda")
    for count in (256, 1024, 4096, 16384, 65536):
        x, residual, weight = make(elements // count, count), make(elements // count, count), make(count)
        rows = f" {name}, rows of {count}"
        measure("softmax" + rows, 2 * size, lambda: F.softmax(x, -1))
        measure("log_softmax" + rows, 2 * size, lambda: F.log_softmax(x, -1))
        targets = torch.full((elements // count,), 7, dtype=torch.int64, device="cuda")
        measure("cross_entropy" + rows, size, lambda: F.cross_entropy(x, targets, reduction="none"))
        measure("layer_norm" + rows, 2 * size, lambda: F.layer_norm(x, (count,), weight, weight))
        measure("rms_norm" + rows, 2 * size, lambda: F.rms_norm(x, (count,), weight))
        measure("rms_norm + residual" + rows, 4 * size, lambda: F.rms_norm(residual.add_(x), (count,), weight))
    x, both = make(elements), make(elements // 8192, 8192)
    y = make(elements)
    measure(f"transform {name}", 2 * size, lambda: torch.square(x, out=y))
    measure(f"copy of tensors, {name}", 2 * size, lambda: y.copy_(x))
    measure(f"fill {name}", size, lambda: y.fill_(0.5))
    measure(f"gelu {name}", 2 * size, lambda: F.gelu(x))
    measure(f"silu {name}", 2 * size, lambda: F.silu(x))
    measure(f"SwiGLU {name}", 1.5 * size, lambda: F.silu(both[:, :4096]) * both[:, 4096:])


def main():
    size = (int(sys.argv[1]) if len(sys.argv) > 1 else 64) << 20
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    source = torch.zeros(size, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    measure("copy", 2 * size, lambda: target.copy_(source))
    measure_rows(torch.float32, "float", size)
    measure_rows(torch.float16, "half", size)
    measure_rows(torch.bfloat16, "bfloat16", size)
    keys = size // (8 * 128 * 2)
    make = lambda heads, tokens: torch.full((1, heads, tokens, 128), 0.5, dtype=torch.float16, device="cuda")
    q, k, v = make(32, 1), make(8, keys), make(8, keys)
    measure(f"attention of one token, {keys} keys", 2 * size,
            lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=True))
    weights = torch.full((size // 16384, 8192), 0.5, dtype=torch.float16, device="cuda")
    a = torch.full((1, 8192), 0.5, dtype=torch.float16, device="cuda")
    measure("matvec half × half", size, lambda: F.linear(a, weights))


if __name__ == "__main__":
    main()
