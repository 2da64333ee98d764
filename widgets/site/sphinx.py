"""Sphinx extension for the static page: its widgets need neither a kernel nor a network.

Each page with widgets gets the runtime of ``src/page/runtime.js`` in place of any other script, and each figure
module is written once for the whole book. A widget that the runtime cannot drive fails the build, and so does a
formula that MathJax cannot read: formulas are typeset here, and pages load no script for them.
:mod:`widgets.site.markup` says what Markdown gains, and :mod:`widgets.site.folds` what folds. ``archive_name`` is that
of a zip of the whole site, if there is to be one. Pages that have moved are entered in ``rediraffe_redirects``: their
old addresses lead on. ``stored_maps`` is the path of a JSON file of maps that need not be made, see
:mod:`widgets.site.maps`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.sphinx_ext.mathjax import html_visit_displaymath
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.ext.mathjax import html_visit_math

from widgets import bundle, node, words
from widgets.site import (
    archive,
    demos,
    folds,
    fonts,
    licences,
    maps,
    markup,
    policy,
    programs,
    stills,
    typeset,
    views,
)
from widgets.site.hashed import write_hashed
from widgets.site.state import (
    State,
    View,
    address_names,
    extract_code,
    register_script,
    rename_ids,
    short_ids,
    state_of_views,
    texts,
)
from widgets.site.validate import problems

AFTER_OTHERS = 600  # after the theme has written its buttons, and after redirects are there
MOVED_PAGE = Path(__file__).with_name("moved.html")
"""The template of a page at an old address; what the address sets goes along."""
BINDER = "https://mybinder.org"
COLAB = "https://colab.research.google.com"
COLAB_BRANCH = ("/blob/main/", "/blob/colab/")
"""Colab reads no environment: its notebooks are those of ``book.publish.colab``, which begin by fetching it."""
STATE_TYPE = "application/vnd.jupyter.widget-state+json"
PARTS = {'<div class="fim-tour">': "deck", 'class="fim-on-paper"': "paper_links"}
"""What a page may have, and the script and the style sheet of ``src/classroom`` that it then needs."""
# Without a table of contents to follow, the theme's scroll spy looks at every link, and `#~…` is no selector.
NO_SCROLL_SPY = """addEventListener("DOMContentLoaded", () => {
  if (!document.querySelector(".bd-toc-nav")) document.body.removeAttribute("data-bs-spy");
});"""
PAGE_SCRIPTS = [Path(__file__).with_name(f"{name}.js") for name in ("full_storage", "class_bar")]
"""What every page begins with."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything; called by Sphinx."""
    app.setup_extension("sphinxext.rediraffe")
    markup.setup(app)
    folds.setup(app)
    app.add_config_value("archive_name", "", "", [str])
    app.add_config_value("stored_maps", "", "", [str])
    app.add_html_math_renderer("typeset", (html_visit_math, None), (html_visit_displaymath, None))
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _write_static_files)
    app.connect("doctree-read", _draw_ahead)
    app.connect("html-page-context", _write_widgets, priority=views.BEFORE_MYST_NB)
    app.connect("html-page-context", _redirect_colab, priority=AFTER_OTHERS)
    app.connect("build-finished", _finish, priority=AFTER_OTHERS)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}


def _configure(_app: Sphinx, config: Config) -> None:
    """Set what the pages need of Sphinx.

    Formulas are written as TeX, for :func:`_finish` to typeset. The theme logs an error in every page that names no
    default mode. ``REPOSITORY`` is where Binder and Colab will find the notebooks: then their pages have buttons to
    open them.
    """
    config.html_context.setdefault("default_mode", "auto")
    config.html_math_renderer = "typeset"
    config.myst_update_mathjax = False
    config.rediraffe_redirects = config.rediraffe_redirects or {}
    config.rediraffe_template = str(MOVED_PAGE)
    if repository := os.environ.get("REPOSITORY"):
        theme = config.html_theme_options
        theme |= {"repository_url": repository, "repository_branch": "main"}
        theme["launch_buttons"] = {
            **theme.get("launch_buttons", {}),
            "binderhub_url": BINDER,
            "colab_url": COLAB,
        }


def _write_static_files(app: Sphinx) -> None:
    """Put the scripts, style sheets and fonts of all pages where pages find them."""
    app.widget_problems = []  # type: ignore[attr-defined]
    app.drawn_ahead = {}  # type: ignore[attr-defined]
    app.beside = ThreadPoolExecutor(os.cpu_count())  # type: ignore[attr-defined]
    if app.builder.format != "html":
        return
    static = _static(app)
    static.mkdir(parents=True, exist_ok=True)
    parts = PARTS.values()
    for script in ("runtime", "print", "classroom", "trials", "examine", *parts):
        shutil.copy(bundle.ensure() / f"{script}.js", static)
    for style in ("page/controls", "page/demos", "view/figure", *(f"classroom/{part}" for part in parts)):
        shutil.copy(node.HERE / "src" / f"{style}.css", static)
    typeset.copy_fonts(static / "formulas")
    fonts.write(static / "fonts")


def _draw_ahead(app: Sphinx, doctree: nodes.document) -> None:
    """Have the figures of a page drawn beside Sphinx, which reads other pages meanwhile."""
    page = app.env.docname
    if app.builder.format == "html" and (shown := tuple(views.shown(doctree))):
        app.env.note_dependency(str(bundle.STAMP))
        state = _read_state(app, page)
        for other in {*_pages_with_words(state)} - {page}:
            app.env.note_dependency(str(words.ROOT / f"{other}.ipynb"))
        ahead = app.beside.submit(_drawn_with_pictures, app, page, state, shown)  # type: ignore[attr-defined]
        app.drawn_ahead[page, shown] = ahead  # type: ignore[attr-defined]


def _write_widgets(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Check the widgets of a page and write their state and scripts, before MyST-NB writes its own."""
    if app.builder.format != "html":
        return
    _drop_thebe(context["script_files"])
    app.add_css_file("fonts/fonts.css")
    app.add_js_file(None, body=NO_SCROLL_SPY)
    for script in PAGE_SCRIPTS:
        app.add_js_file(None, body=script.read_text(encoding="utf-8"))
    if doctree is None:
        return
    app.add_css_file("formulas/formulas.css")
    app.add_css_file("figure.css", priority=900)  # the last, as in Jupyter; plots draw in its colours, too
    app.add_css_file("demos.css")
    for part, name in PARTS.items():
        if part in context["body"]:
            app.add_css_file(f"{name}.css")
            app.add_js_file(f"{name}.js", loading_method="defer")
    path = views.source(app, pagename)
    state = _read_state(app, pagename)
    shown = tuple(views.shown(doctree))
    complaints = problems(state, shown) + markup.dead_links(context["body"], address_names(state, shown))
    app.widget_problems += [f"{path}, {complaint}" for complaint in complaints]  # type: ignore[attr-defined]
    views.leave_out_manager(app, pagename)
    if shown and not complaints:
        drawn = _write_state(app, pagename, context, state, shown)
        demos.store(_demo_folder(app), pagename, doctree, drawn)
        maps.keep_drawings(Path(app.doctreedir), pagename, drawn.values())


def _write_state(
    app: Sphinx, pagename: str, context: dict[str, Any], state: State, shown: tuple[View, ...]
) -> dict[str, stills.Still]:
    """Write what the runtime reads: formulas, kernels and figure modules as scripts, and the widgets' state.

    Returns:
        The stills of the page's figures, by model id.
    """
    if formulas := typeset.typeset_labels(texts(state, shown), _formula_cache(app)):
        app.add_js_file(None, type="application/json", id="facts-formulas", body=_script_json(formulas))
    app.add_css_file("controls.css")
    ahead = app.drawn_ahead.pop((pagename, shown), None)  # type: ignore[attr-defined]
    names, state, drawn = ahead.result() if ahead else _drawn(app, pagename, state, shown)
    context["body"] = stills.insert(rename_ids(context["body"], names), state, drawn)
    scripts = _write_scripts(state, _static(app))
    for name in scripts:
        app.add_js_file(name, loading_method="defer")
    programs.keep(Path(app.doctreedir), pagename, state, scripts[0], _static(app))
    body = _script_json({"version_major": 2, "version_minor": 0, "state": state})
    app.add_js_file(None, type=STATE_TYPE, body=body)
    app.add_js_file("runtime.js", loading_method="defer")
    return drawn


def _drawn(
    app: Sphinx, pagename: str, state: State, shown: tuple[View, ...]
) -> tuple[dict[str, str], State, dict[str, stills.Still]]:
    """A page's models: their names by their ids, their state by their names, and their stills."""
    names = short_ids(state, shown)
    page_state = state_of_views(state, shown)
    ordered = {id_: page_state[id_] for id_ in names if id_ in page_state}
    state = json.loads(rename_ids(json.dumps(ordered), names))
    for entry in state.values():
        entry["state"].get("spec", {}).pop("words", None)  # they are joined
    _link_statements(app, pagename, state)
    maps.add(state, _stored_maps(app), Path(app.doctreedir).parent / ".maps")
    demos.keep_state(_demo_folder(app), pagename, state)
    return names, state, stills.draw(state, Path(app.doctreedir) / "stills")


def _drawn_with_pictures(
    app: Sphinx, page: str, state: State, shown: tuple[View, ...]
) -> tuple[dict[str, str], State, dict[str, stills.Still]]:
    """A page's models, and next the pictures of it that other pages show: :func:`_finish` finds them stored."""
    drawn = _drawn(app, page, state, shown)
    if moments := _pictured(app).get(page):
        app.beside.submit(demos.draw, _demo_folder(app), page, moments)  # type: ignore[attr-defined]
    return drawn


def _pictured(app: Sphinx) -> dict[str, list[str]]:
    """The moments that the book's pages have pictures of, by the pages with the figures."""
    if not hasattr(app, "pictured"):
        texts = (Path(app.env.doc2path(name)).read_text(encoding="utf-8") for name in app.env.found_docs)
        app.pictured = demos.moments_in(texts)  # type: ignore[attr-defined]
    pictured: dict[str, list[str]] = app.pictured  # type: ignore[attr-defined]
    return pictured


def _stored_maps(app: Sphinx) -> dict[str, Any]:
    path = Path(app.srcdir) / app.config.stored_maps
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _link_statements(app: Sphinx, pagename: str, state: State) -> None:
    """Have a figure's statements link to their boxes where these stand on other pages."""
    for entry in state.values():
        for sheet in entry["state"].get("spec", {}).get("statements", ()):
            if sheet["page"] != pagename:
                sheet["href"] = app.builder.get_relative_uri(pagename, sheet["page"]) + sheet["href"]


def _redirect_colab(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Have Colab's buttons open the notebooks that are made for it."""
    buttons = (button for group in context.get("header_buttons", ()) for button in group.get("buttons", ()))
    for button in buttons:
        if button.get("text") == "Colab":
            button["url"] = button["url"].replace(*COLAB_BRANCH)


def _drop_thebe(scripts: list[Any]) -> None:
    """Remove Thebe, a remote kernel's client: Jupyter Book adds it to every page, and twice, which is an error."""
    scripts[:] = [
        script
        for script in scripts
        if "THEBE_JS_URL" not in (script.attributes.get("body") or "") and "thebe" not in str(script.filename)
    ]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite the pages for the policy, or say all that is wrong at once. ``SITE`` is where they will be published.

    Sphinx forgets a build that fails, so that the next one looks again.
    """
    if exception or app.builder.format != "html":
        return
    complaints = app.widget_problems  # type: ignore[attr-defined]
    try:
        demos.fill(Path(app.outdir), _demo_folder(app), app.env)
        first = app.config.root_doc
        documents = [f"{name}.html" for name in (first, *sorted(app.env.found_docs - {first}))]
        policy.post_process(Path(app.outdir), _formula_cache(app), os.environ.get("SITE", ""), documents)
        licences.write(_static(app), app.extensions)
        if app.config.archive_name:
            archive.write(Path(app.outdir), app.config.archive_name)
    except ValueError as error:
        complaints.append(str(error))
    if complaints:
        raise ExtensionError("\n".join(complaints))


def _demo_folder(app: Sphinx) -> Path:
    """The folder in which the entries of the gallery are stored between builds."""
    return Path(app.doctreedir) / "demos"


def _formula_cache(app: Sphinx) -> Path:
    """The folder in which typeset formulas are stored between builds."""
    return Path(app.doctreedir) / "formulas"


def _static(app: Sphinx) -> Path:
    """The folder of the site's own files."""
    return Path(app.outdir) / "_static"


def _read_state(app: Sphinx, page: str) -> State:
    """The widgets' state that MyST-NB has stored for a page, with today's scripts and words; empty if there is none."""
    state = views.stored_state(app, page)
    figures = [entry["state"] for entry in state.values() if "kernels" in entry["state"]]
    module = bundle.figure_module(frozenset(kind for figure in figures for kind in _kinds(figure["spec"])))
    for figure in figures:  # it is drawn by today's scripts, whenever its cell was run
        figure |= {"_esm": module, "_css": bundle.style_sheet()}
        _join_words(figure, views.source(app, page))
    return state


def _kinds(part: Any) -> Iterator[str]:
    """The kinds of panels in a figure's description."""
    if isinstance(part, dict) and isinstance(part.get("kind"), str):
        yield part["kind"]
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _kinds(inner)


def _join_words(figure: dict[str, Any], path: str) -> None:
    """Give a figure the words that its pages have for it now.

    Raises:
        ExtensionError: a block is missing, unused or wrong.
    """
    if "words" in figure["spec"]:
        try:
            figure["spec"] = words.joined(figure["spec"], figure["kernels"])
        except ValueError as error:
            raise ExtensionError(f"{path}: {error}") from error


def _pages_with_words(state: State) -> Iterator[str]:
    """The pages that have words of a page's figures: their own, and those of their statements."""
    for spec in (entry["state"]["spec"] for entry in state.values() if "kernels" in entry["state"]):
        if "words" in spec:
            yield from (*spec["words"]["pages"], *(sheet["page"] for sheet in spec["statements"]))


def _write_scripts(state: State, static: Path) -> list[str]:
    """Move kernels and figure modules from ``state`` to scripts in ``static``: a page's kernels, and each module once.

    Returns:
        The scripts' names, in the order in which the page loads them.
    """
    kernels, modules = extract_code(state)
    scripts = []
    if kernels:
        scripts.append(write_hashed(static / "kernels", register_script("factsKernels", kernels)))
    for name, source in modules.items():
        script = register_script("__factsESM", {name: bundle.classic_script(source)})
        scripts.append(write_hashed(static / "esm", script))
    return scripts


def _script_json(value: Any) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
