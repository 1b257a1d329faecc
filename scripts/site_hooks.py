"""Hooks of MkDocs for mkdocs.yml: anchors as GitHub generates them, API reference in the navigation, no URLs of content networks."""
import pathlib
import re


def slug(text, separator):
    """Returns the anchor of a heading. The pages link to these; scripts/check_links.py generates them in the same way."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    if (pathlib.Path(config["docs_dir"]) / "reference/index.html").exists():
        section = next(s for s in config["nav"] if "Reference" in s)
        section["Reference"].insert(0, {"C++ API": "reference/index.html"})
    return config


def on_post_build(config):
    """The theme's scripts can load two libraries from a content network (diagrams, search in pages opened from disk). No page uses them."""
    for script in pathlib.Path(config["site_dir"]).glob("assets/javascripts/*.js"):
        text = script.read_text(encoding="utf-8")
        local = re.sub(r"https://(?:unpkg\.com|cdn\.jsdelivr\.net|cdnjs\.cloudflare\.com)/[^\"'`]*", "data:text/javascript,", text)
        if local != text:
            script.write_text(local, encoding="utf-8")
    for leftover in pathlib.Path(config["site_dir"]).glob("assets/**/*.map"):
        leftover.unlink()
