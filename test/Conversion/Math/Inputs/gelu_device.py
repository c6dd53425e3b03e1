"""How far a GPU's gelu is from the exact one, in units of the last place.

  gelu_device.py ATTN_RUN MODULE DIRECTORY
"""

import math
import os
import subprocess
import sys

import numpy as np

ATTN_RUN, MODULE, DIRECTORY = sys.argv[1:]
# Where a result is smaller than this, it counts as 0.
LEAST = 2.0 ** -126

x = np.concatenate([np.linspace(-13.3, 14.0, 16384 - 64), np.ldexp(1.0, -np.arange(1, 58)), [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30]])
x = x.astype(np.float32)
given, made = os.path.join(DIRECTORY, "x.npz"), os.path.join(DIRECTORY, "y.npz")
np.savez(given, arg0=x)
subprocess.run([ATTN_RUN, MODULE, "--target=nvptx:sm_90a", "--simulate", f"--inputs={given}", f"--output={made}"], check=True,
               stdout=subprocess.DEVNULL)
y = np.load(made)["out0"]
worst = {"above": 0.0, "below": 0.0}
for value, got in zip(x.astype(np.float64), y.astype(np.float64)):
    exact = 0.5 * value * math.erfc(-value / math.sqrt(2)) if np.isfinite(value) else value
    if not np.isfinite(value):
        # 0 times infinity is NaN.
        assert np.isnan(got) if value != np.inf else got == np.inf, (value, got)
        continue
    if abs(exact) < LEAST:
        assert abs(got) < 2 * LEAST, (value, got)
        continue
    unit = math.ldexp(1.0, math.frexp(exact)[1] - 24)
    side = "above" if value > 0 else "below"
    worst[side] = max(worst[side], abs(got - exact) / unit / (1 if value > 0 else 1 + value * value / 4))
print(f"above {'good' if worst['above'] <= 8 else worst['above']}, below {'good' if worst['below'] <= 8 else worst['below']}")
