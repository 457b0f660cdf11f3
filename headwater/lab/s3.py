"""Just enough of S3 to check a store: requests with AWS's signature, version 4."""

import hashlib
import hmac
from datetime import UTC, datetime
from urllib.parse import quote

import httpx

_REGION, _SERVICE = "us-east-1", "s3"


def request(
    method: str, endpoint: str, path: str, *, key: str, secret: str, body: bytes = b"", timeout: float = 5.0
) -> httpx.Response:
    """`path` is `/bucket/name`."""
    url = httpx.URL(endpoint + quote(path))
    headers = sign(method, url, key, secret, body, datetime.now(UTC))
    return httpx.request(method, url, headers=headers, content=body, timeout=timeout, trust_env=False)


def sign(method: str, url: httpx.URL, key: str, secret: str, body: bytes, now: datetime) -> dict[str, str]:
    """The headers that sign the request with this key."""
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    digest = hashlib.sha256(body).hexdigest()
    host = url.netloc.decode()
    signed = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": stamp}
    names = ";".join(signed)
    lines = "".join(f"{name}:{value}\n" for name, value in signed.items())
    canonical = "\n".join((method, url.raw_path.decode().partition("?")[0], url.query.decode(), lines, names, digest))
    scope = f"{day}/{_REGION}/{_SERVICE}/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    seal = f"AWS4{secret}".encode()
    for part in (day, _REGION, _SERVICE, "aws4_request"):
        seal = hmac.digest(seal, part.encode(), "sha256")
    signature = hmac.new(seal, text.encode(), "sha256").hexdigest()
    authorization = f"AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**signed, "authorization": authorization}
