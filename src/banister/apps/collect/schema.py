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


def openapi() -> dict[str, object]:
    """The whole document."""
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
        "paths": {"/c/{name}": {"get": read}, "/c/{name}/reports": {"post": post}},
    }
