"""The open part of the service, as OpenAPI says it: for those who write clients of their own, and for tests."""

NAME: dict[str, object] = {
    "name": "name",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
_REFUSED: dict[str, object] = {
    "description": "One sentence: what is wrong. Nothing was counted.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["refused"],
                "properties": {"refused": {"type": "string"}},
                "additionalProperties": False,
            }
        }
    },
}
_BATCH: dict[str, object] = {
    "type": "object",
    "required": ["key", "reports"],
    "additionalProperties": False,
    "properties": {
        "key": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "reports": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[0-9]{1,2}$"},
            "additionalProperties": {
                "type": "array",
                "minItems": 1,
                "maxItems": 10000,
                "items": {"type": ["integer", "string"]},
            },
        },
    },
}


_ROOM_NAME: dict[str, object] = {**NAME, "name": "room"}
_BOXES: dict[str, object] = {
    "type": "object",
    "required": ["boxes", "after"],
    "additionalProperties": False,
    "properties": {
        "boxes": {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}},
        "after": {"type": "integer", "minimum": 0},
    },
}


def _room() -> dict[str, object]:
    """A room of the relay, where the service is one."""
    after: dict[str, object] = {
        "name": "after",
        "in": "query",
        "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"},
        "description": "The place of the last box that is known; those behind it are given.",
    }
    refusals: dict[str, object] = dict.fromkeys(("413", "422", "429", "507"), _REFUSED)
    box: dict[str, object] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    given: dict[str, object] = {"description": "Sealed boxes.", "content": {"application/json": {"schema": _BOXES}}}
    kept: dict[str, object] = {"204": {"description": "On disk, now or before."}, **refusals}
    post: dict[str, object] = {
        "parameters": [_ROOM_NAME],
        "requestBody": {"required": True, "content": box},
        "responses": kept,
    }
    taken: dict[str, object] = {"200": given, **refusals}
    return {"post": post, "get": {"parameters": [_ROOM_NAME, after], "responses": taken}}


def openapi(*, relay: bool) -> dict[str, object]:
    """The whole document; with the rooms of a relay where the service is one."""
    refusals = dict.fromkeys(("400", "404", "405", "410", "413", "422", "429", "507"), _REFUSED)
    text: dict[str, object] = {
        "200": {"description": "The signed file.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    }
    read: dict[str, object] = {"parameters": [NAME], "responses": {**text, "404": _REFUSED}}
    taken: dict[str, object] = {"204": {"description": "On disk, now or before under the same key."}, **refusals}
    body: dict[str, object] = {"required": True, "content": {"application/json": {"schema": _BATCH}}}
    post: dict[str, object] = {"parameters": [NAME], "requestBody": body, "responses": taken}
    return {
        "openapi": "3.1.0",
        "info": {"title": "banister collect", "version": "1"},
        "paths": {
            "/c/{name}": {"get": read},
            "/c/{name}/reports": {"post": post},
            **({"/m/{room}": _room()} if relay else {}),
        },
    }
