#!/usr/bin/env python3
"""Quern kernels on PyTorch tensors, on one CUDA stream: no copies, no synchronization between the two libraries.

usage: pytorch.py LIBRARY        (the path of libquern_torch.so, see quern_torch.cpp)
exit code: 0 all results are equal to PyTorch's, 1 some differ, 77 no CUDA device
"""
import ctypes
import sys

import torch

N = 1 << 22
STEPS = 100


def main():
    if not torch.cuda.is_available():
        print("pytorch: no CUDA device")
        return 77
    library = ctypes.CDLL(sys.argv[1])
    library.quern_torch_error.restype = ctypes.c_char_p
    library.quern_torch_saxpy.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_float, ctypes.c_uint64]

    def saxpy(a, x, y):
        stream = torch.cuda.current_stream().cuda_stream
        if library.quern_torch_saxpy(x.data_ptr(), y.data_ptr(), x.numel(), a, stream) != 0:
            raise RuntimeError(library.quern_torch_error().decode())

    wrong = 0
    for name, stream in (("default stream", torch.cuda.default_stream()), ("side stream", torch.cuda.Stream())):
        with torch.cuda.stream(stream):
            x = torch.rand(N, device="cuda")
            y = torch.rand(N, device="cuda")
            expected = y.clone()
            for step in range(STEPS):
                # PyTorch, Quern and PyTorch again in turns: an order that is not kept shows in the result.
                x.mul_(1.0 + 1e-3 * step)
                saxpy(0.5, x, y)
                y.sub_(0.25)
                expected = torch.addcmul(expected, x, torch.tensor(0.5, device="cuda")).sub_(0.25)
            difference = (y - expected).abs().max().item()
            scale = expected.abs().max().item()
            differs = not difference <= 1e-5 * scale
            wrong += differs
            print(f"{name}: {STEPS} steps of {N} elements, largest difference {difference:.3g} of {scale:.3g}"
                  f"{' WRONG' if differs else ''}")
    return 1 if wrong else 0


sys.exit(main())
