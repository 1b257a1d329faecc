#!/usr/bin/env python3
"""Lists public names of include/quern that no documentation page mentions.

Public names are types, functions, members, enumerators and macros of namespace quern and its libraries, except those in namespaces
`detail`, `runtime`, `driver` and `kernel` (the kernel language, see docs/language.md). A name counts as documented if it occurs as a
word inside backquotes or a code block of README.md or a page in docs/.

usage: scripts/check_public_names.py [--list]     (--list prints all public names)
exit code: 0 every name is documented, 1 some are not
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("", "comm", "interop", "ops", "ring")
HEADERS = [p for folder in FOLDERS for p in sorted((ROOT / "include/quern" / folder).glob("*.hpp"))
           if p.name not in ("export.hpp", "text.hpp", "kernel_names.hpp", "wmma.hpp")]
HIDDEN = ("detail", "runtime", "driver", "kernel", "quern_code")
KEYWORDS = {"if", "for", "while", "return", "sizeof", "static_assert", "requires", "switch", "catch", "noexcept", "decltype", "operator",
            "defined", "const", "throw", "try", "alignas", "constexpr", "auto", "void", "default", "delete", "override"}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|::|[{}()\[\];,=<>&*~:]|.')


def strip(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


class Scope:
    """A namespace, class or enum. `was_public`: whether the class itself is visible."""
    def __init__(self, kind, is_public, was_public=True):
        self.kind, self.is_public, self.was_public = kind, is_public, was_public


def declared(statement, scope):
    """Returns the names that a declaration (tokens before `{` or `;`) introduces in its scope."""
    words = [t for t in statement if not t.isspace()]
    if not words or not scope.is_public:
        return []
    if scope.kind == "enum":
        names, depth, fresh = [], 0, True
        for w in words:
            if w == "," and depth == 0:
                fresh = True
            elif fresh and re.match(r"[A-Za-z_]\w*$", w):
                names.append(w)
                fresh = False
            depth += (w == "(") - (w == ")")
        return names
    if words[0] in ("friend", "namespace") or "operator" in words or "static_assert" in words:
        return []
    if words[0] == "using":
        return [words[1]] if len(words) > 2 and words[2] == "=" else []
    if words[0] == "template":  # skip the parameter list
        depth, i = 0, 1
        while i < len(words):
            depth += (words[i] == "<") - (words[i] == ">")
            i += 1
            if depth == 0:
                break
        words = words[i:]
    for i, w in enumerate(words):
        if w in ("class", "struct", "enum", "concept"):
            names = [x for x in words[i + 1:] if re.match(r"[A-Za-z_]\w*$", x) and x not in ("class", "QUERN_API", "nodiscard", "final")]
            return names[:1]
    depth = 0
    for i, w in enumerate(words):
        if w == "(" and depth == 0 and i > 0 and re.match(r"[A-Za-z_]\w*$", words[i - 1]) and words[i - 1] not in KEYWORDS:
            return [words[i - 1]] if i > 1 and words[i - 2] not in ("~", "::") else []
        depth += (w in "(<[") - (w in ")>]") if len(w) == 1 else 0
    names, take, depth = [], False, 0
    for i, w in enumerate(words):  # data members: the word before `=`, `,` or the end
        depth += (w in "(<[{") - (w in ")>]}") if len(w) == 1 else 0
        last = i + 1 == len(words) or (words[i + 1] in ("=", ",", "{", ";") and depth == 0)
        if last and re.match(r"[A-Za-z_]\w*$", w) and w not in KEYWORDS and not w.endswith("_") and not take and i > 0:
            names.append(w)
            take = i + 1 < len(words) and words[i + 1] == "="
        if w == "," and depth == 0:
            take = False
    return names


def names_of(path):
    """The public names of one header."""
    text = path.read_text(encoding="utf-8")
    for macro in re.findall(r"^#define (QUERN_[A-Z_]*[A-Z])\(", text, re.M):
        if not macro.startswith(("QUERN_RING_", "QUERN_JOIN")):
            yield macro
    scopes, statement = [Scope("namespace", True)], []
    skip, ends_statement = 0, False  # braces of a body or an initializer to skip; whether the statement ends there
    for token in TOKEN.findall(strip(text)):
        if skip:
            skip += (token == "{") - (token == "}")
            if skip == 0 and ends_statement:
                statement = []
            continue
        if token == "{":
            words = [t for t in statement if not t.isspace()]
            parens = "(" in words or ")" in words  # `f(T t = {}) {`: the braces of the default end the first part
            if "namespace" in words[:2]:
                hidden = any(h in words for h in HIDDEN) or words[-1] == "namespace"
                scopes.append(Scope("namespace", scopes[-1].is_public and not hidden))
            elif "enum" in words and not parens:
                yield from declared(statement, scopes[-1])
                scopes.append(Scope("enum", scopes[-1].is_public))
            elif ("class" in words or "struct" in words) and not (parens and "requires" not in words):
                yield from declared(statement, scopes[-1])
                is_open = scopes[-1].is_public
                scopes.append(Scope("class", is_open and "class" not in words, is_open))
            else:
                yield from declared(statement, scopes[-1])
                skip, ends_statement = 1, parens
                if not parens:
                    statement.append("=")
                continue
            statement = []
        elif token == "}":
            if scopes[-1].kind == "enum":
                yield from declared(statement, scopes[-1])
            scopes.pop()
            statement = []
        elif token == ";":
            if scopes[-1].kind != "enum":
                yield from declared([t for t in statement if t != "="] if statement[-1:] == ["="] else statement, scopes[-1])
            statement = []
        elif token == ":" and scopes[-1].kind == "class" and [t for t in statement if not t.isspace()] in (
                ["public"], ["private"], ["protected"]):
            scopes[-1].is_public = scopes[-1].was_public and "public" in statement
            statement = []
        else:
            statement.append(token)


def documented():
    words = set()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for code in re.findall(r"```.*?```|`[^`\n]+`|^    .*$", text, re.S | re.M):
            words.update(re.findall(r"[A-Za-z_]\w*", code))
    return words


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        return 0
    known, missing, total = documented(), 0, 0
    for path in HEADERS:
        names = sorted(set(n for n in names_of(path) if not n.endswith("_") and not n.startswith("quern_")))
        total += len(names)
        shown = names if "--list" in sys.argv else [n for n in names if n not in known]
        missing += sum(n not in known for n in names)
        if shown:
            print(f"{path.relative_to(ROOT)}: {', '.join(shown)}")
    print(f"{total} public names, {missing} not documented")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
