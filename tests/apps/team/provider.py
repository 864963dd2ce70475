"""A provider of OpenID Connect on the loopback: it lets in at once whomever the test says, with the faults it says."""

import base64
import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from banister.apps.web.serve import take_port

CLIENT, SECRET = "banister", "a secret of the client"


@dataclass
class Provider:
    """What it is, and whom it vouches for in which words."""

    issuer: str
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    claims: dict[str, object] = field(default_factory=dict)
    """Said of whoever signs in, over what is usual."""
    signed_by: RSAKey | None = None
    issued: dict[str, dict[str, str]] = field(default_factory=dict)

    def about(self, request: Request) -> Response:
        names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return JSONResponse({"issuer": self.issuer, **{key: f"{self.issuer}/{name}" for key, name in names.items()}})

    def keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert (asked["client_id"], asked["response_type"], asked["code_challenge_method"]) == (CLIENT, "code", "S256")
        code = f"code-{len(self.issued)}"
        self.issued[code] = asked
        query = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{query}", status_code=302)

    async def token(self, request: Request) -> Response:
        form = await request.form()
        asked = self.issued.pop(str(form["code"]), None)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or request.headers["authorization"] != basic or asked["code_challenge"] != challenge:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {**usual, **self.claims}
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signed_by or self.key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": signed})


@contextmanager
def providing() -> Iterator[Provider]:
    """The provider on a free port."""
    taken = take_port(0)
    made = Provider(f"http://127.0.0.1:{taken.getsockname()[1]}")
    routes = [
        Route("/.well-known/openid-configuration", made.about),
        Route("/keys", made.keys),
        Route("/authorize", made.authorize),
        Route("/token", made.token, methods=["POST"]),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join(10)
        taken.close()
