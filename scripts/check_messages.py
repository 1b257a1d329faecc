#!/usr/bin/env python3
"""Checks the tables of messages: every messages*.hpp below src/ and tools/quern/.

For each `inline constexpr Message<N> kName{"text", "hint"};`:
  - text and hint have no final period, no leading or trailing space and no double space;
  - the text contains no "; ": what follows belongs in the hint;
  - the number of `{}` is N;
  - no other entry of the table has the same text;
  - no other table has a constant of the same name in the same namespace;
  - the constant is used outside of the tables.

Also, in src/ and tools/quern/: an error that is created from words at the call site, as in
`Error(kind, "cannot open '" + name + "'")`, `fail(kind, "…")` or `.add_hint("…")`, is a problem. So is a report on a
kernel whose words are assigned there, as in `report->message = "…"`. The text belongs in the table of the area.

Usage: scripts/check_messages.py [ROOT]     prints one line per problem and exits with 1 if there is one
       scripts/check_messages.py --test     checks the checks
"""
import re
import sys
import tempfile
from pathlib import Path

LITERAL = r'"(?:[^"\\]|\\.)*"'
ENTRY = re.compile(
    rf"inline constexpr (?:base::)?Message<(\d+)>\s+(\w+)\s*[{{(]\s*((?:{LITERAL}\s*)+)(?:,\s*((?:{LITERAL}\s*)+))?[}})];")
START = re.compile(r"^inline constexpr (?:base::)?Message<", re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
FOLDERS = ("src", "tools/quern")
CREATION = re.compile(r"(?<![\w~])(?:(?:Error(?: \w+)?|fail|add_hint)\(|\{(?:base::)?ErrorKind::)")
ASSIGNMENT = re.compile(r"[\w\])](?:->|\.)(?:message|hint)\s*\+?=(?!=)")
ENTRY_CALL = re.compile(r"\bmessage::k\w+\(")
WORDS = re.compile(r'"[^"]*[A-Za-z]{2,} [A-Za-z]{2,}')  # a literal of two words or more


def joined(literals):
    """The text of adjacent string literals."""
    parts = re.findall(LITERAL, literals or "")
    return "".join(p[1:-1] for p in parts).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def problems_of_text(text, what):
    if text.endswith(".") and not text.endswith("..."):
        yield f"the {what} ends with a period"
    if "  " in re.sub(r"\n +", "\n", text):
        yield f"the {what} has two spaces in sequence"
    if text != text.strip():
        yield f"the {what} begins or ends with a space"


def end_of_call(text, start):
    """The index of the parenthesis that closes the one at `start`."""
    depth, at = 0, start
    while at < len(text):
        literal = re.compile(LITERAL).match(text, at)
        if literal:
            at = literal.end()
            continue
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1
    return at


def without_entries(text):
    """The text without the calls of entries: words may be their arguments."""
    entry = ENTRY_CALL.search(text)
    while entry:
        text = text[:entry.start()] + text[end_of_call(text, entry.end() - 1) + 1:]
        entry = ENTRY_CALL.search(text)
    return text


def texts_at_call_sites(source):
    """The line of each error that is created from words, and of each report to which words are assigned."""
    source = re.sub(r"^\s*//.*$", "", source, flags=re.M)
    for call in CREATION.finditer(source):
        start = call.end() - 1 if call.group().endswith("(") else call.start()
        arguments = without_entries(source[start:end_of_call(source, start)])
        if WORDS.search(arguments) and "{\n" not in arguments.split('"')[0]:
            yield source.count("\n", 0, call.start()) + 1
    for assignment in ASSIGNMENT.finditer(source):
        value = re.compile(rf"(?:{LITERAL}|[^;\"])*").match(source, assignment.end()).group()
        if WORDS.search(without_entries(value)):
            yield source.count("\n", 0, assignment.start()) + 1


def check(root):
    problems, names, code = [], {}, {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".inc"):
                code[path] = path.read_text(encoding="utf-8")
    tables = [p for p in code if p.name.startswith("messages") and p.suffix == ".hpp"]
    used = set()
    for path, text in code.items():
        if path not in tables:
            used.update(re.findall(r"\bk[A-Z]\w*", text))
    count = 0
    for path in tables:
        source, texts = code[path], {}
        place = path.relative_to(root)

        def complain(name, problem):
            problems.append(f"{place}: {name}: {problem}")

        space = NAMESPACE.search(source)
        entries = ENTRY.findall(source)
        if len(entries) != len(START.findall(source)):
            complain("table", f"{len(START.findall(source)) - len(entries)} entries have an unexpected form")
        for number, name, text, hint in entries:
            count += 1
            text, hint = joined(text), joined(hint)
            for problem in [*problems_of_text(text, "text"), *problems_of_text(hint, "hint")]:
                complain(name, problem)
            if "; " in text:
                complain(name, 'the text contains "; ": the part after it belongs in the hint')
            if text.count("{}") + hint.count("{}") != int(number):
                complain(name, f"the number of {{}} is not {number}")
            if text in texts:
                complain(name, f"has the same text as {texts[text]}")
            texts.setdefault(text, name)
            key = (space.group(1) if space else "", name)
            if names.get(key, place) != place:
                complain(name, f"{names[key]} defines this name in the same namespace")
            names.setdefault(key, place)
            if name not in used:
                complain(name, "is not used")
    for path, text in code.items():
        place = path.relative_to(root)
        if path in tables:
            continue
        for line in texts_at_call_sites(text):
            problems.append(f"{place}:{line}: the text of an error belongs in the area's messages.hpp")
    return problems, count, len(tables)


def test():
    table = """namespace quern::a::message {{
inline constexpr Message<1> kGood{{"cannot open '{{}}'", "check "
    "the path"}};
{0}
}}
"""
    def run(extra, other="", code=""):
        with tempfile.TemporaryDirectory() as folder:
            a = Path(folder) / "src" / "a"
            a.mkdir(parents=True)
            (a / "messages.hpp").write_text(table.format(extra))
            (a / "messages_b.hpp").write_text(other)
            (a / "use.cpp").write_text("kGood kBad\n" + code)
            return check(Path(folder))[0]

    assert run("") == [], run("")
    wrong = {
        'Message<0> kBad{"ends."};': "ends with a period",
        'Message<0> kBad{"two  spaces"};': "two spaces",
        'Message<0> kBad{"text", "hint. "};': "ends with a space",
        'Message<0> kBad{"bad; do this"};': "belongs in the hint",
        'Message<1> kBad{"{} {}"};': "number of {}",
        'Message<1> kBad{"cannot open \'{}\'"};': "the same text as kGood",
        'Message<0> kUnused{"text"};': "is not used",
        "Message<0> kBad{kOther};": "unexpected form",
    }
    for entry, expected in wrong.items():
        found = run("inline constexpr " + entry)
        assert len(found) == 1 and expected in found[0], (entry, found)
    found = run("", 'namespace quern::a::message {\ninline constexpr Message<0> kGood{"x"};\n}\n')
    assert len(found) == 1 and "same namespace" in found[0], found
    for code in ("return Error(ErrorKind::io, \"cannot open '\" + name + \"'\");", 'fail(kUsage, "no file was given");',
                 'return {ErrorKind::io, format("cannot open %s", name)};', 'error.add_hint("check the path");',
                 'report->message = place + " is read; it was never written";', 'f.hint =\n  "check the loop";'):
        found = run("", code=code)
        assert len(found) == 1 and "messages.hpp" in found[0], (code, found)
    for code in ('return Error(ErrorKind::io, message::kGood("the file (a)"));', 'return fail("graph_make", code);',
                 'Error fail(int code) {\n  log("it has failed");\n}', '// Error(kind, "a text in a comment")',
                 'r->hint = message::kGood("the file").text;', 'const Names names{.hint = "install the driver"};'):
        assert run("", code=code) == [], (code, run("", code=code))
    print("check_messages: its checks work")


def main():
    if sys.argv[1:] == ["--test"]:
        test()
        return 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems, count, tables = check(root)
    for problem in problems:
        print(problem)
    if not tables:
        print("check_messages: no table was found")
    print(f"check_messages: {count} messages in {tables} tables, {len(problems)} problems")
    return 1 if problems or not tables else 0


if __name__ == "__main__":
    sys.exit(main())
