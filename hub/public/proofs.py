"""The public addresses of an event's record: its signed head, the proof that an earlier head leads to it, and the
proof of each result."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass

import msgspec
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from flagfall.ledger.merkle import consistency_path
from hub.fields import whole_in
from hub.proof.cosigned import CosignedHeads
from hub.proof.hub_key import HubKey
from hub.proof.kept_head import SHORT_PAGE, VERIFY_PAGE
from hub.proof.result_proof import entries_needed, make_proof
from hub.public.keys import keys_of_tables
from hub.public.proof_texts import TEXTS
from hub.public.rendering import Templates
from hub.public.responses import cacheable
from hub.public.site import PublicSite
from hub.text import Refused
from hub.web.app import STATIC

_TEXT = "text/plain; charset=utf-8"
_JSON = "application/json"
# Of a record's size in an address.
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class VerifyPage:
    """The page that checks a proof, and the policy that lets its own script run and nothing else."""

    html: str
    policy: str


def verify_page(templates: Templates) -> VerifyPage:
    """Return the page in the language of these templates."""
    script, tokens, style = (
        (STATIC / name).read_text("utf-8") for name in ("verify.js", "tokens.css", "verify.css")
    )
    style = tokens + style
    texts = {key: templates.words.text(text) for key, text in TEXTS.items()}
    # A text must not end the element that it stands in.
    in_script = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    html = templates.part("verify.html", script=Markup(script), style=Markup(style), texts=Markup(in_script))
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; frame-ancestors 'none'"
    )
    return VerifyPage(html, policy)


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


class PublicProofs:
    """The addresses; `key` is the hub's, and `cosigned` has the heads that witnesses have seen."""

    def __init__(self, site: PublicSite, key: HubKey, cosigned: CosignedHeads) -> None:
        self._site, self._key, self._cosigned = site, key, cosigned

    def routes(self) -> list[Route]:
        known = self._site.of_tournament
        return [
            Route("/t/{tournament}/checkpoint", known(self._checkpoint)),
            Route("/t/{tournament}/cosigned", known(self._cosigned_checkpoint)),
            Route("/t/{tournament}/consistency", known(self._consistency)),
            Route("/t/{tournament}/consistency.txt", known(self._consistency_text)),
            Route("/t/{tournament}/tables.json", known(self._tables)),
            Route("/t/{tournament}/games/{game}/proof", known(self._proof)),
            Route(VERIFY_PAGE, self._verify_page),
            Route(SHORT_PAGE, self._verify_page),
            Route("/key", self._public_key),
        ]

    async def _checkpoint(self, request: Request, tournament: str) -> Response:
        return cacheable(request, self._key.checkpoint(tournament, self._site.store.tree(tournament)), _TEXT)

    async def _cosigned_checkpoint(self, request: Request, tournament: str) -> Response:
        """Answer with the last head that a witness has seen, and the cosignatures under it; 404 without one."""
        head = self._cosigned.last(tournament, self._site.store.tree(tournament))
        if head is None:
            return PlainTextResponse("no witness has seen a head of this record\n", 404)
        return cacheable(request, head.note, _TEXT)

    async def _public_key(self, request: Request) -> Response:
        """Answer with the hub's public key, as `flagfall-hub key` prints it. Nobody should trust it from here alone."""
        return cacheable(request, f"{self._key.verifier}\n", _TEXT)

    async def _consistency(self, request: Request, tournament: str) -> Response:
        """Answer with the hashes that lead from the head of `from` entries to the present one, and with that head."""
        tree = self._site.store.tree(tournament)
        size = whole_in(request.query_params.get("from", ""), _MOST_DIGITS)
        if size is None or not 1 <= size <= len(tree.hashes):
            error = f"from: expected the size of an earlier checkpoint, 1 to {len(tree.hashes)}"
            return JSONResponse({"error": error}, 400)
        answer = {
            "from": size,
            "to": len(tree.hashes),
            "path": [base64.b64encode(node).decode() for node in consistency_path(tree, size)],
            "checkpoint": self._key.checkpoint(tournament, tree),
        }
        return cacheable(request, json.dumps(answer), _JSON)

    async def _consistency_text(self, request: Request, tournament: str) -> Response:
        """Answer with the hashes that lead from the head of `from` entries to that of `to`, the present one by default:
        one in base64 on each line. 400 with a line for sizes that the record never had."""
        tree = self._site.store.tree(tournament)
        entries = len(tree.hashes)
        sizes = (
            request.query_params.get(name, default) for name, default in (("from", ""), ("to", f"{entries}"))
        )
        earlier, later = (whole_in(size, _MOST_DIGITS) for size in sizes)
        if earlier is None or later is None or not 1 <= earlier <= later <= entries:
            error = f"from, to: expected two sizes of this record, 1 to {entries}, the smaller one first\n"
            return PlainTextResponse(error, 400)
        path = consistency_path(tree, earlier, later)
        return cacheable(request, "".join(f"{base64.b64encode(node).decode()}\n" for node in path), _TEXT)

    async def _tables(self, request: Request, tournament: str) -> Response:
        """Answer with the tables and the fingerprints of their keys, as the page of all tables shows them."""
        keys = keys_of_tables(self._site.seen[tournament])
        return cacheable(request, msgspec.json.encode({"tables": keys}), _JSON)

    async def _verify_page(self, request: Request) -> Response:
        """Answer with the page that checks a proof, whole in one file, which may be kept and works without a server."""
        language = self._site.language(request)
        page = verify_page(self._site.templates[language])
        answer = cacheable(request, page.html)
        answer.headers["Content-Security-Policy"] = page.policy
        return answer

    async def _proof(self, request: Request, tournament: str) -> Response:
        """Answer with the proof of a game's result; 404 with the reason where nothing can be proved."""
        site, state, game = self._site, self._site.seen[tournament], request.path_params["game"]
        try:
            needed = entries_needed(state, game)
            placed = await site.store.placed(tournament, needed)
            tree = site.store.tree(tournament)
            proof = make_proof(state, game, placed, tree, key=self._key, cosigned=self._cosigned)
        except Refused as why:
            return site.refusal_page(request, why.message, 404)
        return cacheable(request, proof, _JSON, name=f"{game}.proof.json")
