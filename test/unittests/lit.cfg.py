"""lit configuration of the unit tests: each GoogleTest case counts as a test."""

import os

import lit.formats

config.name = "attn-unit"
config.test_format = lit.formats.GoogleTest("bin", "Tests")
config.test_source_root = os.path.join(config.attn_obj_root, "test", "unittests")
config.test_exec_root = config.test_source_root
for name in ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
