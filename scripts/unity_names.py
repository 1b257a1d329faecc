#!/usr/bin/env python3
"""Checks that files that are compiled as one unit (QUERN_UNITY) do not define the same name in anonymous namespaces.

Which files form a unit changes when a file is added to a layer. Therefore names must be unique within the layer or the
folder of tests, except in files that its layer.cmake, driver.cmake or test.cmake lists in quern_separate() or quern_small().

usage: scripts/unity_names.py
exit code: 0 all names are unique, 1 some are not
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
SPACE = re.compile(r"^namespace (quern[\w:]*) \{", re.M)
TYPE = re.compile(r"(?:(?:struct|class|enum class) (\w+)\s*[{:]|using (\w+) =)")
CONSTANT = re.compile(r"(?:constexpr|const|constinit|thread_local|static|std::)\b.*?\b(\w+)\s*(?:\[\w*\])?\s*(?:=|\{)")
FUNCTION = re.compile(r"[\w:<>,&*\[\] ]+?[ &*](\w+)\((.*?)\)? *(?:const)? *\{?$")


def layers():
    """Yields (name, files) for each layer; the files of a unit only."""
    folders = [p for p in sorted((ROOT / "src").iterdir()) if p.is_dir() and p.name != "driver"]
    groups = {p.name: [p] for p in folders}
    for p in sorted((ROOT / "src/driver").iterdir()):
        groups.setdefault("driver" if p.name in ("interface", "support") else f"driver/{p.name}", []).append(p)
    for p in sorted((ROOT / "tests").iterdir()):
        description = p / "test.cmake"
        if p.is_dir() and not (description.exists() and "UNITY_BUILD OFF" in description.read_text(encoding="utf-8")):
            groups[f"tests/{p.name}"] = [p]
    for name, folders in groups.items():
        files, separate = [], set()
        for folder in folders:
            files += sorted(folder.rglob("*.cpp"))
            for description in (folder / "layer.cmake", folder / "driver.cmake", folder / "test.cmake"):
                text = re.sub(r"#.*", "", description.read_text(encoding="utf-8")) if description.exists() else ""
                for call in re.findall(r"quern_(?:separate|small)\((.*?)\)", text, re.S):
                    for pattern in call.split(" EXCEPT ")[0].split():
                        separate.update(folder.glob(pattern))
        yield name, [f for f in files if f not in separate]


def names(text):
    """Generates the names that a file defines at the level of an anonymous namespace; functions with the types of their parameters."""
    space = SPACE.search(text)
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if not line or line[0] in " #}/" or line.startswith(("using namespace", "namespace")):
                continue
            if match := TYPE.match(line):
                yield f"{space.group(1) if space else ''}::{match.group(1) or match.group(2)}"
            elif match := CONSTANT.match(line):
                yield f"{space.group(1) if space else ''}::{match.group(1)}"
            elif match := FUNCTION.match(line):
                parameters = re.sub(r"\b\w+(?=\s*(?:,|$|=))", "", match.group(2))
                yield f"{space.group(1) if space else ''}::{match.group(1)}({re.sub(' +', ' ', parameters).strip()})"


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        return 0
    problems = total = 0
    for layer, files in layers():
        found = collections.defaultdict(list)
        for file in files:
            for name in set(names(file.read_text(encoding="utf-8"))):
                found[name].append(str(file.relative_to(ROOT)))
        total += len(found)
        for name, places in sorted(found.items()):
            if len(places) > 1:
                problems += 1
                print(f"layer {layer}: '{name}' is defined in {', '.join(places)}")
    print(f"{total} names in anonymous namespaces, {problems} defined twice in a layer")
    if problems:
        print("hint: rename one, move it to a header, or list the file in quern_separate() of the layer's layer.cmake")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
