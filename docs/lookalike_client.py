#!/usr/bin/env python3
"""Asks `lookalike serve` which indexed images photos show. Needs nothing but Python 3.9.

    lookalike_client.py --url http://127.0.0.1:8765 --token-file token photo.jpg ...

prints a line for each photo: its name, how many images were found, and the decision, the probability and the path of
the best match, separated by tabs. The exit code is 1 if a photo cannot be used. In a program:

    client = Lookalike("http://127.0.0.1:8765", token)          # or "unix:/run/lookalike-photos.sock"
    for answer in client.query(["a.jpg", "b.jpg"], top=3):      # in the form of `lookalike query --json`
        print(answer["query"], answer.get("error") or answer["matches"])
    print(client.get("/v1/images", limit=10))
"""

import argparse
import base64
import http.client
import json
import os
import pathlib
import socket
import sys
import urllib.parse
import uuid

MAX_BODY_BYTES = 32 << 20   # of several photos in a request; serve.max_body_mib is the server's limit
MAX_PHOTOS = 100            # in a request


class Refused(Exception):
    """The server refuses a request. `reason` is one word for programs."""

    def __init__(self, status, error):
        super().__init__(error["message"])
        self.status = status
        self.reason = error["reason"]


class UnixConnection(http.client.HTTPConnection):
    """A connection to the Unix socket at `path`."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Lookalike:
    """A server, by the URL that it prints or that a proxy gives it, `https://user:password@host/folder/` if need be.

    `token`: if not in that URL. `timeout`: seconds without a byte from the server.
    """

    def __init__(self, url, token="", timeout=120):
        self.is_local = url.startswith("unix:")
        self.socket = url[len("unix:"):]
        self.parts = urllib.parse.urlsplit("http://localhost" if self.is_local else url)
        self.headers = _authorization(self.parts, token)
        self.timeout = timeout

    def get(self, path, **parameters):
        """Returns the JSON that a GET request of docs/serve.md answers. Raises Refused."""
        with self._send("GET", path, parameters) as response:
            return json.load(response)

    def query(self, files, **parameters):
        """Yields the answer for each file, in order; {"query", "error"} for one that is no photo.

        Parameters are those of POST /v1/query: top, all, mirror, min_probability, region. Raises Refused.
        """
        for batch in _batches(files):
            body, content_type = _form(batch)
            headers = {"Content-Type": content_type, "Accept": "application/jsonl"}
            with self._send("POST", "/v1/query", parameters, body, headers) as response:
                answers = 0
                for line in response:   # each as soon as it is sent
                    yield json.loads(line)
                    answers += 1
                if answers < len(batch):
                    raise ConnectionError("the server ended before it had answered")

    def _connection(self):
        if self.is_local:
            return UnixConnection(self.socket, self.timeout)
        kind = http.client.HTTPSConnection if self.parts.scheme == "https" else http.client.HTTPConnection
        return kind(self.parts.netloc.rpartition("@")[2], timeout=self.timeout)

    def _send(self, method, path, parameters, body=None, headers=None):
        if parameters:
            text = {name: str(value).lower() if isinstance(value, bool) else value
                    for name, value in parameters.items()}
            path += "?" + urllib.parse.urlencode(text)
        connection = self._connection()
        folder = self.parts.path.rstrip("/")  # of the server's site
        headers = {**self.headers, "Connection": "close", **(headers or {})}
        connection.request(method, f"{folder}/{path.lstrip('/')}", body, headers)
        response = connection.getresponse()
        if response.status != 200:
            raise Refused(response.status, _error(response))
        return response


def _authorization(parts, token):
    """Returns the headers with the token, or with the user and the password of a proxy."""
    token = token or dict(urllib.parse.parse_qsl(parts.fragment)).get("token", "")
    if token:
        return {"Authorization": f"Bearer {token}"}
    if parts.username is None:
        return {}
    user = urllib.parse.unquote(f"{parts.username}:{parts.password or ''}")
    return {"Authorization": "Basic " + base64.b64encode(user.encode()).decode()}


def _error(response):
    """Returns the error in an answer; of a proxy, which answers otherwise, its status."""
    try:
        error = json.load(response)["error"]
        return {"message": error["message"], "reason": error["reason"]}
    except (ValueError, TypeError, KeyError):
        return {"message": f"the answer is {response.status} {response.reason}", "reason": "unknown"}


def _batches(files):
    batch, size = [], 0
    for file in map(pathlib.Path, files):
        content = file.read_bytes()
        if batch and (size + len(content) > MAX_BODY_BYTES or len(batch) == MAX_PHOTOS):
            yield batch
            batch, size = [], 0
        batch.append((file.name, content))
        size += len(content)
    if batch:
        yield batch


def _printable(name):
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _form(photos):
    boundary = uuid.uuid4().hex
    parts = []
    for name, content in photos:
        quoted = os.fsencode(name).replace(b'"', b"%22").replace(b"\r", b"%0D").replace(b"\n", b"%0A")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="'.encode()
        parts += [head, quoted, b'"\r\n\r\n', content, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:8765", help="of the server; unix:/PATH for a Unix socket")
    parser.add_argument("--token-file", type=pathlib.Path, help="file with the token, as in serve.token_file")
    parser.add_argument("photos", nargs="+", metavar="PHOTO")
    arguments = parser.parse_args()
    token = arguments.token_file.read_text().strip() if arguments.token_file else ""
    code = 0
    try:
        for answer in Lookalike(arguments.url, token).query(arguments.photos):
            name, error, matches = _printable(answer["query"]), answer.get("error"), answer.get("matches")
            if error:
                code = 1
                print(name, "error", error["message"], sep="\t")
            elif matches:
                best = matches[0]
                print(name, answer["found"], best["decision"], best["probability"], _printable(best["path"]), sep="\t")
            else:
                print(name, 0, sep="\t")
            sys.stdout.flush()
    except (Refused, OSError, http.client.HTTPException, ValueError) as error:
        sys.exit(f"lookalike_client.py: {error}")
    sys.exit(code)


if __name__ == "__main__":
    main()
