#!/usr/bin/env python3
"""Measures with PyTorch what bench_ops_nn measures: usage: torch_nn.py [MEBIBYTES] [attention]
(default: 64 MiB for each tensor, all operations; device cuda)

Prints the time and the rate of each operation, and the rate compared with that of a copy. Needs torch with CUDA."""
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ROUNDS, CALLS = 7, 10
copy_rate = 0.0


def seconds_of(work):
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
    return best


def measure(name, size, work, calls=1):
    """`size`: bytes that a call must read and write at least; `calls`: that `work` does."""
    global copy_rate
    best = seconds_of(work) / calls
    rate = size / best * 1e-9
    copy_rate = copy_rate or rate
    print(f"{name:60} {best * 1e6:9.1f} us {rate:8.1f} GB/s {rate / copy_rate:6.2f}")


def measure_rows(dtype, name, size):
    elements = size // torch.finfo(dtype).bits * 8
    make = lambda *shape: torch.full(shape, 0.5, dtype=dtype, device="cuda")
    for count in (1024, 4096, 16384):
        x, residual, weight = make(elements // count, count), make(elements // count, count), make(count)
        rows = f" {name}, rows of {count}"
        measure("softmax" + rows, 2 * size, lambda: F.softmax(x, -1))
        measure("layer_norm" + rows, 2 * size, lambda: F.layer_norm(x, (count,), weight, weight))
        measure("rms_norm + residual" + rows, 4 * size, lambda: F.rms_norm(residual.add_(x), (count,), weight))
    x, both = make(elements), make(elements // 8192, 8192)
    measure(f"gelu {name}", 2 * size, lambda: F.gelu(x))
    measure(f"silu {name}", 2 * size, lambda: F.silu(x))
    measure(f"SwiGLU {name}", 1.5 * size, lambda: F.silu(both[:, :4096]) * both[:, 4096:])


BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def with_backend(backend, name, work):
    """Some backends do not support all problems."""
    try:
        with sdpa_kernel(BACKENDS[backend]):
            work()
    except RuntimeError as error:
        print(f"{name:60} {str(error).splitlines()[0]}")


def measure_prefill(dtype, type_name, tokens):
    heads = 16
    for extent in (128, 64):
        q, k, v = (torch.randn(1, heads, tokens, extent, dtype=dtype, device="cuda") for _ in range(3))
        for causal in (True, False):
            products = 4 * heads * tokens * tokens * extent / (2 if causal else 1)
            for backend in BACKENDS:
                name = f"attention of {tokens} tokens, {extent} elements, {type_name}{', causal' if causal else ''} ({backend})"

                def row():
                    best = seconds_of(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal))
                    print(f"{name:60} {best * 1e6:9.1f} us {products / best * 1e-12:8.1f} TFLOP/s")

                with_backend(backend, name, row)


def measure_decode(batches, keys):
    make = lambda heads, tokens: torch.randn(batches, heads, tokens, 128, dtype=torch.float16, device="cuda")
    size = 2 * batches * 8 * keys * 128 * 2
    caches = [(make(32, 1), make(8, keys), make(8, keys)) for _ in range(max(1, (256 << 20) // size))]
    for backend in BACKENDS:
        name = f"attention of one token, {keys} keys, batch {batches} ({backend})"

        def row():  # short calls are not limited by the host: a graph has a call for each cache
            calls = lambda: [F.scaled_dot_product_attention(q, k, v, enable_gqa=True) for q, k, v in caches]
            calls()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                calls()
            measure(name, size, graph.replay, len(caches))

        with_backend(backend, name, row)


def main():
    size = (int(sys.argv[1]) if len(sys.argv) > 1 else 64) << 20
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    source = torch.zeros(size, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    measure("copy", 2 * size, lambda: target.copy_(source))
    for dtype, name in ((torch.float16, "half"), (torch.bfloat16, "bfloat16")):
        measure_prefill(dtype, name, 8192)
    for batches in (1, 16):
        for keys in (8192, 32768, 65536):
            measure_decode(batches, keys)
    if "attention" in sys.argv:
        return
    measure_rows(torch.float32, "float", size)
    measure_rows(torch.float16, "half", size)
    weights = torch.full((size // 16384, 8192), 0.5, dtype=torch.float16, device="cuda")
    a = torch.full((1, 8192), 0.5, dtype=torch.float16, device="cuda")
    measure("matvec half × half", size, lambda: F.linear(a, weights))


if __name__ == "__main__":
    main()
