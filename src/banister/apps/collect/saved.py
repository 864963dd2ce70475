"""The page to answer at as one file: to be saved, compared with its published hash, and opened from one's own disk."""

import base64
import hashlib
from html import escape
from pathlib import Path

from banister.local.collect.campaign import SignedCampaign

STATIC = Path(__file__).parent / "static"


def module_text(name: str) -> str:
    """One of the page's own files."""
    return (STATIC / name).read_text(encoding="utf-8")


def integrity(name: str) -> str:
    """The hash for `integrity=`: a browser refuses a module that another server changed."""
    return "sha384-" + base64.b64encode(hashlib.sha384(module_text(name).encode()).digest()).decode()


def saved_page(signed: SignedCampaign, address: str) -> bytes:
    """The whole page with the campaign in it; all that it asks of anybody is to take the report."""
    script = _one_script().replace("</script", "<\\/script")
    seal = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    style = module_text("page.css")
    look = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{seal}'; style-src 'sha256-{look}'; connect-src {address}; "
        "base-uri 'none'; form-action 'none'"
    )
    shell = module_text("answer.html")
    head, _, rest = shell.partition("<!--files-->")
    files = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}"><style>{style}</style>'
    body, _, end = rest.partition("<!--campaign-->")
    held = (
        f'<template id="campaign" data-address="{escape(address)}" data-name="{signed.name}">'
        f"{escape(signed.text)}</template>"
        f'<script type="module">{script}</script>'
    )
    return (head + files + body + held + end).encode()


def served_page() -> str:
    """The page as the service serves it: its files beside it, the campaign asked for by name."""
    files = (
        '<link rel="stylesheet" href="/a/page.css">'
        f'<script type="module" src="/a/page.mjs" integrity="{integrity("page.mjs")}"></script>'
        f'<link rel="modulepreload" href="/a/client.mjs" integrity="{integrity("client.mjs")}">'
    )
    return module_text("answer.html").replace("<!--files-->", files).replace("<!--campaign-->", "")


def _one_script() -> str:
    """Both modules as one: what the page imports is what the client gives back."""
    page = module_text("page.mjs")
    imported, _, rest = page.partition("\n")
    names = imported.removeprefix("import ").partition(" from ")[0]
    client = module_text("client.mjs").replace("\nexport ", "\n")
    return f"const {names} = (() => {{\n{client}\nreturn {names};\n}})();\n{rest}"
