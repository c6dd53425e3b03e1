#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies the pages of the tree, and the files that they link, to where mkdocs
makes a site of them.

    stage-docs.py FOLDER

The tree keeps its form, so links lead where they lead in the tree; one that leads
to a folder gets the folder's page, or a list of its files. FOLDER/mkdocs.yml is
docs/mkdocs.yml with the pages that are there.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A page that tests how wrong pages are found.
SKIPPED = ("test/Docs/Inputs/",)
LINK = re.compile(r"(?<!!)(\[[^\]\n]*\]\()([^)#\s]+)(#[^)\s]*)?\)")
IMAGE = re.compile(r"!\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def list_pages():
    """The Markdown files of git, those that are not committed yet included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return sorted(name for name in names if not name.startswith(SKIPPED) and os.path.exists(f"{ROOT}/{name}"))


class Stage:
    def __init__(self, folder):
        self.folder = folder
        self.pages = list_pages()
        self.listed = []

    def copy(self, path):
        target = f"{self.folder}/{path}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(f"{ROOT}/{path}", target)

    def write(self, path, text):
        os.makedirs(os.path.dirname(f"{self.folder}/{path}"), exist_ok=True)
        with open(f"{self.folder}/{path}", "w", encoding="utf-8") as file:
            file.write(text)

    def page_of(self, path):
        """The page of a folder; without one it is a list of what git has there."""
        page = f"{path}/README.md"
        if page not in self.pages and page not in self.listed:
            command = ["git", "ls-files", "--", path]
            names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
            lines = [f"* [{os.path.relpath(name, path)}]({os.path.relpath(name, path)})\n" for name in names]
            for name in names:
                self.copy(name)
            self.write(page, f"# {path}\n\n{''.join(lines)}")
            self.listed.append(page)
        return page

    def follow(self, page, link):
        """What a page's link is in the site. mkdocs complains of what leads nowhere."""
        if re.match(r"[a-z]+:", link):
            return link
        path = os.path.normpath(os.path.join(os.path.dirname(page), link))
        if os.path.isdir(f"{ROOT}/{path}"):
            path = self.page_of(path)
        elif os.path.isfile(f"{ROOT}/{path}") and path not in self.pages:
            self.copy(path)
        return os.path.relpath(path, os.path.dirname(page) or ".")

    def add_page(self, page):
        with open(f"{ROOT}/{page}", encoding="utf-8") as file:
            text = file.read()
        # Links in code are code.
        parts, end = [], 0
        for fence in FENCE.finditer(text):
            parts += [self.rewrite(page, text[end : fence.start()]), fence[0]]
            end = fence.end()
        self.write(page, "".join(parts) + self.rewrite(page, text[end:]))

    def rewrite(self, page, text):
        for image in IMAGE.finditer(text):
            self.follow(page, image[1])
        text = LINK.sub(lambda link: f"{link[1]}{self.follow(page, link[2])}{link[3] or ''})", text)
        # Python's Markdown wants four blanks for a list in a list.
        return re.sub(r"^( +)(?=\* )", r"\1\1", text, flags=re.MULTILINE)

    def write_configuration(self):
        with open(f"{ROOT}/docs/mkdocs.yml", encoding="utf-8") as file:
            lines = file.readlines()
        named = [re.search(r"- (?:[^#]*: )?(\S+\.md)$", line.rstrip()) for line in lines]
        kept = [line for line, name in zip(lines, named) if not name or name[1] in self.pages]
        kept += [f"not_in_nav: |\n{''.join(f'  /{page}' + chr(10) for page in self.listed)}"] if self.listed else []
        with open(f"{self.folder}/../mkdocs.yml", "w", encoding="utf-8") as file:
            file.writelines(kept + [f"docs_dir: {os.path.basename(self.folder)}\n"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    stage = Stage(os.path.join(os.path.abspath(sys.argv[1]), "pages"))
    shutil.rmtree(stage.folder, ignore_errors=True)
    for page in stage.pages:
        stage.add_page(page)
    stage.write_configuration()


if __name__ == "__main__":
    main()
