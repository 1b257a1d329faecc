#!/usr/bin/env python3
"""Lists the C++ files whose code differs from a commit: not those with changes in comments, texts and includes only.

usage: scripts/code_changed.py COMMIT FOLDER...
"""
import re
import subprocess
import sys

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^\s*#\s*include[^\n]*', re.S | re.M)


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def code(text):
    return "".join(COMMENT.sub(lambda m: '""' if m[0][0] == '"' else "", text).split())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    commit, folders = sys.argv[1], sys.argv[2:]
    for line in git("diff", "-M", "--name-status", "--diff-filter=d", commit, "--", *folders).splitlines():
        status, *paths = line.split("\t")
        old, new = paths[0], paths[-1]
        if not new.endswith((".cpp", ".hpp")):
            continue
        with open(new, encoding="utf-8") as file:
            if status[0] == "A" or code(git("show", f"{commit}:{old}")) != code(file.read()):
                print(new)


if __name__ == "__main__":
    main()
