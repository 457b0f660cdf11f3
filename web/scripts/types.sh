#!/bin/sh
# TypeScript types of the API, from the server's own description of itself. Needs ../.venv (make setup).
set -eu
document=$(mktemp)
trap 'rm -f "$document"' EXIT
(cd .. && .venv/bin/python -c 'import json, headwater.api.app as app; print(json.dumps(app.document()))') > "$document"
npx --no-install openapi-typescript "$document" --root-types --empty-objects-unknown --root-types-no-schema-prefix -o "$1" > /dev/null
