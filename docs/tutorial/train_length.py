#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains small models at 64 positions and asks them at 64 to 4096: train_length.py [--only=NAME] [--seed=1]

Needs PyTorch; about two minutes a model on one core. Writes data/length.json.

The task is a search. Each position of a sequence has a word and a tag; in one sequence a word has the same tag
everywhere, in the next one another. Part of the tags is hidden and has to be guessed: by finding the word again.
With n positions there are n / 4 of 1024 words, which 32 dimensions hold side by side, not apart: a longer sequence has
more that are alike. Positions are not told, so that nothing but the scale knows the length.

Two layers of width 32, one head, Pre Norm. `softmax1` beside them has 1/sqrt(d).
"""

import argparse
import json
import math
import os

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS, TAGS, WIDTH, HEADS, LAYERS = 1024, 64, 32, 1, 2
TRAINED, LENGTHS = 64, [64, 128, 256, 512, 1024, 2048, 4096]
STEPS, BATCH, RATE, HIDDEN_SHARE = 1000, 64, 3e-3, 0.2
DIM = WIDTH // HEADS
#: c of c log(n), the solved scale of cosines of 32 dimensions (`gradient_max_fit`): see scale.md.
COSINE_SLOPE = 2.3043

SCALES = {
    "1/sqrt(d)": lambda n: DIM ** -0.5,
    "log_512 n / sqrt(d)": lambda n: math.log(n) / math.log(512) * DIM ** -0.5,
    "cosine": lambda n: COSINE_SLOPE * math.log(n),
    "softmax1": lambda n: DIM ** -0.5,
}


class Attention(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)

    def weigh(self, x):
        """The weights and the values."""
        heads = self.qkv(x).unflatten(-1, (3, HEADS, DIM)).permute(2, 0, 3, 1, 4)
        q, k, v = heads
        if self.name == "cosine":
            q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        scores = q @ k.mT * SCALES[self.name](x.shape[1])
        if self.name == "softmax1":
            scores = F.pad(scores, (1, 0))
        return torch.softmax(scores, -1)[..., scores.shape[-1] - x.shape[1]:], v

    def forward(self, x):
        weights, v = self.weigh(x)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Block(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.attention = Attention(name)
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(WIDTH) for _ in range(2)])
        self.feed = torch.nn.Sequential(torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.GELU(),
                                        torch.nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.feed(self.norms[1](x))


class Model(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.words, self.tags = torch.nn.Embedding(WORDS, WIDTH), torch.nn.Embedding(TAGS + 1, WIDTH)
        self.blocks = torch.nn.ModuleList([Block(name) for _ in range(LAYERS)])
        self.norm, self.head = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, TAGS)

    def forward(self, words, tags):
        x = self.embed(words, tags)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)), x

    def embed(self, words, tags):
        return self.words(words) + self.tags(tags)


def sample(generator, count, length):
    """Words, tags and which of them are hidden: of each word one at most."""
    kinds = length // 4
    names = torch.stack([torch.randperm(WORDS, generator=generator)[:kinds] for _ in range(count)])
    place = torch.stack([torch.randperm(length, generator=generator) for _ in range(count)])
    kind = place % kinds
    own = torch.randint(TAGS, (count, kinds), generator=generator)
    hidden = (place < kinds) & (torch.rand(count, length, generator=generator) < 4 * HIDDEN_SHARE)
    return names.gather(1, kind), own.gather(1, kind), hidden


def guess(model, generator, count, length):
    words, tags, hidden = sample(generator, count, length)
    logits, stream = model(words, torch.where(hidden, TAGS, tags))
    return logits[hidden], tags[hidden], stream, (words, torch.where(hidden, TAGS, tags))


def train(name, seed):
    torch.manual_seed(seed)
    model, generator = Model(name), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS, pct_start=0.1)
    for step in range(STEPS):
        logits, tags, _, _ = guess(model, generator, BATCH, TRAINED)
        loss = F.cross_entropy(logits, tags)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(name, step, f"{loss.item():.3f}", flush=True)
    return model.eval()


def kurtosis(x):
    x = x.flatten().double() - x.double().mean()
    return float((x ** 4).mean() / (x ** 2).mean() ** 2)


@torch.no_grad()
def measure(model):
    """Right guesses in percent by length, and what outliers there are at the trained one."""
    generator = torch.Generator().manual_seed(12345)
    right = []
    for length in LENGTHS:
        total = hits = 0
        for _ in range(8):
            logits, tags, _, _ = guess(model, generator, 8192 // length, length)
            hits, total = hits + int((logits.argmax(-1) == tags).sum()), total + len(tags)
        right.append(round(100.0 * hits / total, 2))
    _, _, stream, (words, tags) = guess(model, generator, 64, TRAINED)
    attention = model.blocks[-1].attention
    weights = torch.cat([p.flatten() for n, p in model.named_parameters() if "blocks" in n and p.dim() == 2])
    x = model.embed(words, tags)
    for block in model.blocks[:-1]:
        x = block(x)
    p, _ = attention.weigh(model.blocks[-1].norms[0](x))
    return {"right": right, "kurtosis of weights": round(kurtosis(weights), 3),
            "infinity norm of activations": round(float(stream.abs().max()), 2),
            "kurtosis of activations": round(kurtosis(stream), 3),
            "sum p": round(float(p.sum(-1).mean()), 4), "sum p^2": round(float((p ** 2).sum(-1).mean()), 4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SCALES)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    path = os.path.join(HERE, "data", "length.json")
    results = {"lengths": LENGTHS, "models": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    for name in [args.only] if args.only else SCALES:
        results["models"][name] = measure(train(name, args.seed))
        print(name, results["models"][name], flush=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
