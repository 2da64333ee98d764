"""Sphinx extension for the static page: its widgets need neither a kernel nor a network.

Each page with widgets gets the runtime of ``src/page/runtime.js`` in place of any other script, and each figure module
is written once for the whole book. A widget that the runtime cannot drive fails the build, and so does a formula that
MathJax cannot read: formulas are typeset here, and pages load no script for them.
In Markdown, ``[lower it](#~temperature=0.02)`` is a link that sets the control with the class ``url-temperature``,
``{term}`saddle` `` says the glossary's definition when it is pointed at, tapped or focused, and
``{symbol}`v_1: attention to the first subject` `` is the formula before the colon, which says the words after it when
it is pointed at, tapped or focused.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from myst_nb.sphinx_ import NbMetadataCollector
from myst_parser.sphinx_ext.mathjax import html_visit_displaymath
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.ext.mathjax import html_visit_math

from widgets import node
from widgets.site import licences, policy, stills, typeset
from widgets.site.state import (
    OPTIONS,
    VIEW_SCRIPT,
    State,
    View,
    address_names,
    needed,
    numbers,
    problems,
    registering,
    renamed,
    texts,
    without_code,
)

BEFORE_MYST_NB = 400  # the default priority of listeners is 500
AFTER_THEME = 600
BINDER = "https://mybinder.org"
COLAB = "https://colab.research.google.com"
PLACES = ("/blob/main/", "/blob/colab/")
"""Colab reads no environment: its notebooks are those of ``book.publish.colab``, which begin by fetching it."""
STATE_TYPE = "application/vnd.jupyter.widget-state+json"
ADDRESS_LINK = re.compile(r'href="#~([^"]*)"')
# Without a table of contents to follow, the theme's scroll spy looks at every link, and `#~…` is no selector.
SPARE_LINKS = """addEventListener("DOMContentLoaded", () => {
  if (!document.querySelector(".bd-toc-nav")) document.body.removeAttribute("data-bs-spy");
});"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_role("symbol", _symbol)
    app.add_html_math_renderer("typeset", (html_visit_math, None), (html_visit_displaymath, None))
    app.add_config_value("glossary_page", "", "env", [str])
    app.add_config_value("moved_pages", {}, "env", [dict])
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _provide)
    app.connect("doctree-read", _address_links)
    app.connect("doctree-resolved", _define)
    app.connect("html-page-context", _page, priority=BEFORE_MYST_NB)
    app.connect("html-page-context", _colab, priority=AFTER_THEME)
    app.connect("build-finished", _finish, priority=AFTER_THEME)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}


def _configure(_app: Sphinx, config: Config) -> None:
    """Formulas are written as TeX, for :func:`_finish` to typeset.

    ``REPOSITORY`` is where Binder and Colab will find the notebooks: then their pages have buttons to open them. The
    theme logs an error in every page that names no default mode.
    """
    config.html_context.setdefault("default_mode", "auto")
    config.html_math_renderer = "typeset"
    config.myst_update_mathjax = False
    if repository := os.environ.get("REPOSITORY"):
        theme = config.html_theme_options
        theme |= {"repository_url": repository, "repository_branch": "main"}
        theme["launch_buttons"] = {
            **theme.get("launch_buttons", {}),
            "binderhub_url": BINDER,
            "colab_url": COLAB,
        }


def _provide(app: Sphinx) -> None:
    """Put our scripts where pages find them."""
    app.facts_problems = []  # type: ignore[attr-defined]
    if app.builder.format != "html":
        return
    static = _static(app)
    static.mkdir(parents=True, exist_ok=True)
    shutil.copy(node.ensure() / "runtime.js", static)
    for style in ("page/controls.css", "view/figure.css"):
        shutil.copy(node.HERE / "src" / style, static)
    typeset.provide(static / "formulas")


def _symbol(
    _name: str, rawtext: str, text: str, line: int, inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """A formula with its name: an abbreviation whose long form is in words."""
    formula, colon, words = (part.strip() for part in text.partition(":"))
    if not (formula and colon and words):
        message = inliner.reporter.error(
            f"{{symbol}}`{text}`: must be a formula, a colon and words", line=line
        )
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    return [nodes.abbreviation("", "", nodes.math(formula, formula), explanation=words)], []


def _address_links(_app: Sphinx, doctree: nodes.document) -> None:
    """MyST takes a link to ``#~…`` for a cross-reference: make it the plain link it is."""
    for reference in list(doctree.findall(pending_xref)):
        target = reference.get("reftarget") or ""
        if (
            reference.get("reftype") == "myst"
            and target.startswith("~")
            and reference.get("refdomain") != "doc"
        ):
            plain = nodes.reference("", "", *reference.children, refuri=f"#{target}", internal=True)
            reference.replace_self(plain)


def _define(app: Sphinx, doctree: nodes.document, pagename: str) -> None:
    """A word of the glossary says its definition where it stands, as a symbol does."""
    if pagename == app.config.glossary_page or not app.config.glossary_page:
        return
    for word in list(
        doctree.findall(lambda node: "std-term" in getattr(node, "attributes", {}).get("classes", ()))
    ):
        reference = word.parent
        definition = _definitions(app).get(reference.get("refuri", "").partition("#")[2])
        if definition:
            reference.replace_self(nodes.abbreviation("", word.astext(), explanation=definition))


def _definitions(app: Sphinx) -> dict[str, str]:
    """What the glossary says, by the ids of its terms."""
    if not hasattr(app, "facts_definitions"):
        items = app.env.get_doctree(app.config.glossary_page).findall(nodes.definition_list_item)
        app.facts_definitions = {  # type: ignore[attr-defined]
            id_: item[-1].astext()
            for item in items
            for term in item.findall(nodes.term)
            for id_ in term["ids"]
        }
    return app.facts_definitions  # type: ignore[attr-defined]


def _page(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Check the widgets of a page and write their state and scripts, before MyST-NB writes its own."""
    if app.builder.format != "html":
        return
    _drop_thebe(context["script_files"])
    if doctree is None:
        return
    app.add_css_file("formulas/formulas.css")
    app.add_css_file("figure.css")  # plots draw in its colours, too
    # for fingers and keys
    context["body"] = context["body"].replace("<abbr title=", '<abbr tabindex="0" title=')
    files = NbMetadataCollector.get_js_files(app.env, pagename)
    path = str(app.env.doc2path(pagename, base=False))
    state = _read_state(files, path)
    views = list(_views(doctree))
    bad = problems(state, views) + _dead_links(context.get("body", ""), address_names(state, views))
    app.facts_problems += [f"{path}, {problem}" for problem in bad]  # type: ignore[attr-defined]
    for key in [key for key in files if key.startswith("ipywidgets_")]:
        del files[key]
    if bad or not views:
        return
    if written := typeset.inside(texts(state, views), _kept(app)):
        app.add_js_file(None, type="application/json", id="facts-formulas", body=_script_json(written))
    app.add_css_file("controls.css")
    names = numbers(state, views)
    context["body"] = renamed(context["body"], names)
    kept = needed(state, views)
    state = json.loads(renamed(json.dumps({id_: kept[id_] for id_ in names if id_ in kept}), names))
    _link(app, pagename, state)
    drawn = stills.drawn(state, Path(app.doctreedir) / "stills")
    context["body"] = stills.placed(context["body"], state, drawn)
    for name in _scripts(state, _static(app)):
        app.add_js_file(name, loading_method="defer")
    app.add_js_file(
        None, type=STATE_TYPE, body=_script_json({"version_major": 2, "version_minor": 0, "state": state})
    )
    app.add_js_file(None, body=SPARE_LINKS)
    app.add_js_file("runtime.js", loading_method="defer")


def _link(app: Sphinx, pagename: str, state: State) -> None:
    """Have a figure's statements link to their boxes where these stand on other pages."""
    for entry in state.values():
        for sheet in entry["state"].get("spec", {}).get("statements", ()):
            if sheet["page"] != pagename:
                sheet["href"] = app.builder.get_relative_uri(pagename, sheet["page"]) + sheet["href"]


def _colab(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Have Colab's buttons open the notebooks that are made for it."""
    for button in (each for group in context.get("header_buttons", ()) for each in group.get("buttons", ())):
        if button.get("text") == "Colab":
            button["url"] = button["url"].replace(*PLACES)


def _drop_thebe(scripts: list[Any]) -> None:
    """Jupyter Book adds Thebe, a remote kernel's client, to every page, and twice, which is an error in itself."""
    scripts[:] = [
        script
        for script in scripts
        if "THEBE_JS_URL" not in (script.attributes.get("body") or "") and "thebe" not in str(script.filename)
    ]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    """Give the pages the last hand, or say all that is wrong at once. ``SITE`` is where they will be published.

    Sphinx forgets a build that fails, so that the next one looks again.
    """
    if exception or app.builder.format != "html":
        return
    found = app.facts_problems  # type: ignore[attr-defined]
    try:
        policy.finish(Path(app.outdir), _kept(app), os.environ.get("SITE", ""), app.config.moved_pages)
        licences.provide(_static(app), app.extensions)
    except ValueError as error:
        found.append(str(error))
    if found:
        raise ExtensionError("\n".join(found))


def _kept(app: Sphinx) -> Path:
    """Where typeset formulas stay from one build to the next."""
    return Path(app.doctreedir) / "formulas"


def _static(app: Sphinx) -> Path:
    return Path(app.outdir) / "_static"


def _read_state(files: dict[str, Any], path: str) -> State:
    if "ipywidgets_state" not in files:
        return {}
    _, attributes = files["ipywidgets_state"]

    def refuse(constant: str) -> None:
        raise ExtensionError(f"{path}: a widget holds {constant}, which the static page's JSON cannot")

    return json.loads(attributes["body"], parse_constant=refuse)["state"]


def _views(doctree: nodes.document) -> Iterator[View]:
    """The widgets shown, with the number of the cell that shows them."""
    for raw in doctree.findall(nodes.raw):
        for content in VIEW_SCRIPT.findall(raw.astext()):
            yield View(json.loads(content)["model_id"], _cell(raw))


def _cell(node: nodes.Node) -> int | None:
    above: Any = node.parent
    while above is not None:
        if above.get("nb_element") == "cell_code":
            return int(above["cell_index"]) + 1
        above = above.parent
    return None


def _dead_links(body: str, names: set[str]) -> list[str]:
    """Links that are to set a control that is not there."""
    links = (parse_qsl(html.unescape(link), keep_blank_values=True) for link in ADDRESS_LINK.findall(body))
    wanted = {name for link in links for name, _ in link} - set(OPTIONS)
    complaint = "no control of the page has this name, the class 'url-{}'"
    return [f"a link to '#~{name}=…': {complaint.format(name)}" for name in sorted(wanted - names)]


def _scripts(state: State, static: Path) -> list[str]:
    """Move kernels and figure modules from ``state`` to scripts in ``static``: a page's kernels, and each module once.

    Returns:
        The scripts' names, in the order in which the page loads them.
    """
    kernels, modules = without_code(state)
    scripts = [policy.filed(static / "kernels", registering("factsKernels", kernels))] if kernels else []
    for name, source in modules.items():
        script = registering("__factsESM", {name: node.classic(source)})
        scripts.append(policy.filed(static / "esm", script))
    return scripts


def _script_json(value: Any) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
