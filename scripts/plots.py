"""Draws the tables of documentation pages as SVG plots, for the documentation site (scripts/site.py).

A comment after a table requests a plot of it:

    <!-- plot: dots | Title | columns: Upload; Download | unit: GB/s | scale: log | reference: 1 -->

The kind is `bars` (from 0) or `dots`. Rows are the first column. A cell counts with its first number; a range "2.7 to 3.9" is drawn from
end to end. Empty cells and rows without numbers are skipped. `scale: log` and `reference` are optional. The colors are those of docs/site.css.
"""
import html
import math
import re

MARK = re.compile(r"^<!-- plot: (.*?) -->\n", re.M)
NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
WIDTH, LEFT, RIGHT, TOP = 760, 190, 24, 58


def fail(page, text):
    raise SystemExit(f"drawing a plot of {page.name} failed: {text}")


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def table_before(text, end):
    """Returns the header and the rows of the last table before a position."""
    lines, rows = text[:end].rstrip().splitlines(), []
    while lines and lines[-1].startswith("|"):
        rows.insert(0, cells(lines.pop()))
    return (rows[0], rows[2:]) if len(rows) > 2 else (None, None)


def interval(cell):
    """Returns (least, greatest) of a cell's number or range, or None."""
    if match := re.match(rf"({NUMBER}) to ({NUMBER})", cell):
        return tuple(float(n.replace(",", "")) for n in match.groups())
    if match := re.match(NUMBER, cell):
        value = float(match.group(0).replace(",", ""))
        return value, value
    return None


class Axis:
    """Maps values to x coordinates. Linear axes of bars begin at 0."""
    def __init__(self, values, is_log, from_zero):
        low, high = min(values), max(values)
        self.is_log = is_log
        if is_log:
            self.ticks = [m * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
        else:
            low = 0 if from_zero else low
            step = 10 ** math.floor(math.log10((high - low) or 1))
            step = next(s for s in (step / 5, step / 2, step, step * 2) if (high - low) / s <= 8)
            self.ticks = [i * step for i in range(math.floor(low / step), math.ceil(high / step) + 1)]
        below, above = [t for t in self.ticks if t <= low * 1.0000001], [t for t in self.ticks if t >= high * 0.9999999]
        self.low, self.high = max(below) if below else low, min(above) if above else high
        self.ticks = [t for t in self.ticks if self.low <= t <= self.high]

    def at(self, value):
        scale = math.log10 if self.is_log else float
        share = (scale(value) - scale(self.low)) / ((scale(self.high) - scale(self.low)) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)


def label(text):
    return html.escape(re.sub(r"[`*]", "", text))


def frame(axis, options, columns, height):
    """Title, legend, ticks and grid lines."""
    unit = f" ({options['unit']})" if "unit" in options else ""
    out = [f'<text class="title" x="8" y="18">{label(options["title"])}{label(unit)}</text>']
    x = 8
    if len(columns) > 1:
        for i, column in enumerate(columns, 1):
            out.append(f'<rect class="series-{i}" x="{x}" y="29" width="10" height="10" rx="2"/>'
                       f'<text x="{x + 15}" y="38">{label(column)}</text>')
            x += 34 + 6.6 * len(column)
    for tick in axis.ticks:
        at = axis.at(tick)
        out.append(f'<line class="grid" x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{height - 24}"/>'
                   f'<text class="small" x="{at:.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>')
    if "reference" in options:
        at = axis.at(float(options["reference"]))
        out.append(f'<line class="reference" x1="{at:.1f}" y1="{TOP - 4}" x2="{at:.1f}" y2="{height - 24}"/>')
    return out


def draw(options, columns, rows):
    """Returns the SVG text; `rows` are (name, [interval or None for each column])."""
    is_bars = options["kind"] == "bars"
    values = [v for _, row in rows for pair in row if pair for v in pair]
    values += [float(options["reference"])] if "reference" in options else []
    axis = Axis(values, options.get("scale") == "log", is_bars)
    pitch = 9 * len(columns) + 9 if is_bars else 17
    height = TOP + pitch * len(rows) + 30
    out = frame(axis, options, columns, height)
    for i, (name, row) in enumerate(rows):
        middle = TOP + pitch * i + pitch / 2
        out.append(f'<text x="{LEFT - 10}" y="{middle + 4:.1f}" text-anchor="end">{label(name)}</text>')
        for k, pair in enumerate(row):
            if not pair:
                continue
            tip = f"<title>{label(name)}, {label(columns[k])}: {' to '.join(f'{v:g}' for v in sorted(set(pair)))}</title>"
            low, high = axis.at(pair[0]), axis.at(pair[1])
            if is_bars:
                y = middle + 9 * (k - len(columns) / 2)
                out.append(f'<rect class="series-{k + 1}" x="{LEFT}" y="{y:.1f}" width="{max((low + high) / 2 - LEFT, 1):.1f}" height="8">{tip}</rect>')
            else:
                out.append(f'<rect class="series-{k + 1}" x="{low - 4:.1f}" y="{middle - 4:.1f}" width="{high - low + 8:.1f}" height="8" rx="4" '
                           f'fill-opacity="0.85">{tip}</rect>')
    return (f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label(options["title"])}" '
            f'xmlns="http://www.w3.org/2000/svg">\n' + "\n".join(out) + "\n</svg>")


def plot(mark, text, end, page):
    kind, title, *rest = [part.strip() for part in mark.split(" | ")]
    options = {"kind": kind, "title": title, **dict(part.split(": ", 1) for part in rest)}
    header, body = table_before(text, end)
    if not header:
        fail(page, f"no table is before the plot '{title}'")
    columns = [c.strip() for c in options["columns"].split(";")]
    if missing := [c for c in columns if c not in header]:
        fail(page, f"the table before the plot '{title}' has no column '{missing[0]}'; its columns are {', '.join(header)}")
    rows = [(row[0], [interval(row[header.index(c)]) for c in columns]) for row in body]
    rows = [(name, row) for name, row in rows if any(row)]
    if not rows:
        fail(page, f"the columns of the plot '{title}' have no numbers")
    return f'<div class="plot">\n{draw(options, columns, rows)}\n</div>\n'


def insert(text, page):
    """Returns the page's text with plots in place of their comments."""
    return MARK.sub(lambda match: plot(match.group(1), text, match.start(), page), text)
