#!/usr/bin/env python3
"""A decoder that answers a few prompts, with its stages marked: something to profile.

The model is the Llama that config.json describes, with random weights: it says nothing of use, and
takes as long as one that does. NVTX ranges: request N > LLM@prefill | LLM@decode_all > decode N.

    gpuwhy profile -- python3 prefill_decode.py --batch 8 --seq 1024 --new-tokens 32
"""
import argparse
import contextlib
import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


@contextlib.contextmanager
def marked(name):
    torch.cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def rotate(x, cos, sin):
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c["num_attention_heads"]
        self.kv_heads = c["num_key_value_heads"]
        self.width = c["hidden_size"] // self.heads
        self.q = nn.Linear(c["hidden_size"], self.heads * self.width, bias=False)
        self.k = nn.Linear(c["hidden_size"], self.kv_heads * self.width, bias=False)
        self.v = nn.Linear(c["hidden_size"], self.kv_heads * self.width, bias=False)
        self.out = nn.Linear(self.heads * self.width, c["hidden_size"], bias=False)

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.width).transpose(1, 2)

    def forward(self, x, cos, sin, cache, at):
        q = rotate(self.split(self.q(x), self.heads), cos, sin)
        end = at + x.shape[1]
        cache[0][:, :, at:end] = rotate(self.split(self.k(x), self.kv_heads), cos, sin)
        cache[1][:, :, at:end] = self.split(self.v(x), self.kv_heads)
        y = F.scaled_dot_product_attention(
            q, cache[0][:, :, :end], cache[1][:, :, :end],
            is_causal=at == 0, enable_gqa=self.heads != self.kv_heads)
        return self.out(y.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.before_attention = nn.RMSNorm(c["hidden_size"], eps=c["rms_norm_eps"])
        self.attention = Attention(c)
        self.before_mlp = nn.RMSNorm(c["hidden_size"], eps=c["rms_norm_eps"])
        self.gate = nn.Linear(c["hidden_size"], c["intermediate_size"], bias=False)
        self.up = nn.Linear(c["hidden_size"], c["intermediate_size"], bias=False)
        self.down = nn.Linear(c["intermediate_size"], c["hidden_size"], bias=False)

    def forward(self, x, cos, sin, cache, at):
        with marked("attention"):
            x = x + self.attention(self.before_attention(x), cos, sin, cache, at)
        with marked("mlp"):
            y = self.before_mlp(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self, c, longest):
        super().__init__()
        self.config = c
        self.embed = nn.Embedding(c["vocab_size"], c["hidden_size"])
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["num_hidden_layers"]))
        self.norm = nn.RMSNorm(c["hidden_size"], eps=c["rms_norm_eps"])
        self.head = nn.Linear(c["hidden_size"], c["vocab_size"], bias=False)
        width = c["hidden_size"] // c["num_attention_heads"]
        pace = c["rope_theta"] ** (-torch.arange(0, width, 2).float() / width)
        angle = torch.arange(longest).float()[:, None] * pace
        self.register_buffer("cos", torch.cat((angle, angle), -1).cos())
        self.register_buffer("sin", torch.cat((angle, angle), -1).sin())

    def new_cache(self, batch, longest):
        c = self.config
        shape = (batch, c["num_key_value_heads"], longest, c["hidden_size"] // c["num_attention_heads"])
        return [[torch.zeros(shape, device=self.cos.device, dtype=self.cos.dtype) for _ in range(2)]
                for _ in self.blocks]

    def forward(self, tokens, caches, at):
        """The most likely next token of each row; the head sees the last position alone."""
        end = at + tokens.shape[1]
        x = self.embed(tokens)
        for i, block in enumerate(self.blocks):
            x = block(x, self.cos[at:end], self.sin[at:end], caches[i], at)
        return self.head(self.norm(x[:, -1])).argmax(-1, keepdim=True)


def answer(model, prompt, new_tokens):
    caches = model.new_cache(prompt.shape[0], prompt.shape[1] + new_tokens)
    with marked("LLM@prefill"):
        token = model(prompt, caches, 0)
        torch.cuda.synchronize()
    with marked("LLM@decode_all"):
        for i in range(new_tokens - 1):
            with marked(f"decode {i}"):
                token = model(token, caches, prompt.shape[1] + i)
        torch.cuda.synchronize()
    return token


def main():
    here = pathlib.Path(__file__).resolve().parent
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--config", type=pathlib.Path, default=here / "config.json")
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--seq", type=int, default=1024)
    p.add_argument("--new-tokens", type=int, default=32)
    p.add_argument("--requests", type=int, default=3)
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    if not torch.cuda.is_available():
        sys.exit("prefill_decode.py: there is no GPU here")
    torch.manual_seed(a.seed)
    config = json.loads(a.config.read_text())
    with torch.inference_mode():
        model = Decoder(config, a.seq + a.new_tokens).to("cuda", getattr(torch, config["torch_dtype"]))
        prompt = torch.randint(config["vocab_size"], (a.batch, a.seq), device="cuda")
        with marked("warm up"):
            answer(model, prompt, 3)
        began = time.perf_counter()
        for i in range(a.requests):
            with marked(f"request {i}"):
                answer(model, prompt, a.new_tokens)
        took = time.perf_counter() - began
    print(f"{a.requests} requests of {a.batch} x {a.seq} + {a.new_tokens} tokens in {took * 1e3:.1f} ms, "
          f"{a.requests * a.batch * a.new_tokens / took:.0f} new tokens/s")


if __name__ == "__main__":
    main()
