"""Answers that HTTP allows and that few servers give: short ranges, bodies without a length, late failures."""

import base64
import email.utils
import os
import time

import pytest

import servers
from fakes import Fake, ranged
from library_test import elements
from weir_remote import Failed

DATA = os.urandom(600_000)


def test_ranges_that_a_server_makes_shorter(extension):
    def handle(method, path, headers, body):
        first, last = (int(end) for end in headers["Range"].removeprefix("bytes=").split("-"))
        status, extra, part = ranged(DATA, {"Range": f"bytes={first}-{min(last, first + 9_999)}"}, {"ETag": '"1"'})
        return status, extra | {"Content-Range": extra["Content-Range"].replace("bytes", "BYTES")}, part

    with Fake(handle) as fake, extension().open(fake.url + "/file") as file:
        assert file.read(1234, 500_000) == DATA[1234:501_234]
    # A late one may be sent twice.
    assert len({headers["Range"] for _, _, headers, _ in fake.requests}) == 1 + 50


@pytest.mark.parametrize("head, size", [({"Content-Length": "1000"}, 1000), ({"Content-Length": "400"}, 1000),
                                        ({"Content-Length": "0"}, 1000), ({"Connection": "close"}, 1000)])
def test_an_answer_that_ends_with_its_connection(extension, head, size):
    def handle(method, path, headers, body):
        return (200, head, b"") if method == "HEAD" else (200, {"Connection": "close"}, DATA[:size])

    with Fake(handle) as fake:
        assert extension().read(fake.url + "/file", 100) == DATA[:size]


def test_an_answer_that_ends_too_early_with_its_connection(extension):
    def handle(method, path, headers, body):
        return (200, {"Content-Length": "1001"}, b"") if method == "HEAD" else (200, {"Connection": "close"}, DATA[:1000])

    with Fake(handle) as fake:
        with pytest.raises(Failed, match="unavailable.*has 1001 bytes, and sends 1000 of them"):
            extension().open(fake.url + "/file")


@pytest.mark.parametrize("status", [201, 202, 203, 204, 205, 207, 208, 226])
def test_other_successes_are_no_file(extension, status):
    with Fake(lambda method, path, headers, body: (status, {}, b"" if status in (204, 205) else b"soon")) as fake:
        with pytest.raises(Failed, match=f"invalid_argument.*the server answered {status}"):
            extension().open(fake.url + "/file")


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_obeyed(extension, monkeypatch, as_date):
    monkeypatch.setenv("WEIR_REMOTE_PATIENCE", "2")
    after = email.utils.formatdate(time.time() + 60, usegmt=True) if as_date else "60"
    with Fake(lambda method, path, headers, body: (429, {"Retry-After": after}, b"")) as fake:
        # It would be later than anybody waits.
        with pytest.raises(Failed, match="unavailable.*429.*1 attempt"):
            extension().open(fake.url + "/file")


@pytest.mark.parametrize("answers, message", [
    (["<Error><Code>InternalError</Code></Error>", "<Error><Code>SlowDown</Code></Error>", ""], None),
    (["<Error><Code>InvalidPart</Code><Message>no</Message></Error>"],
     "invalid_argument.*the server answered 200 .InvalidPart: no"),
    (["<Error><Code>InternalError</Code></Error>"] * 6, "unavailable.*answered 200 .InternalError.*6 attempts"),
    ([""] * 6, "unavailable.*answered 200 .but not that the upload is complete.*6 attempts"),
])
def test_an_upload_that_fails_in_a_success(extension, monkeypatch, answers, message):
    parts, left = {}, list(answers)

    def handle(method, path, headers, body):
        if method == "POST" and "uploadId=" in path:
            return 200, {}, (left.pop(0) if left else "<CompleteMultipartUploadResult/>").encode()
        if method == "POST":
            return 200, {}, b"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
        if method == "PUT":
            parts[path] = len(body)
        return 200, {"ETag": '"e"'}, b""

    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        if message is None:
            extension().write("s3://bucket/file", bytes(9_000_000))
        else:
            with pytest.raises(Failed, match=message):
                extension().write("s3://bucket/file", bytes(9_000_000))
    assert not left and sum(parts.values()) == 9_000_000


def test_an_upload_to_nobody(extension, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{servers.free_port()}")
    with pytest.raises(Failed, match="unavailable: s3://bucket/key: 127.0.0.1:[0-9]+ gave no whole answer: ") as caught:
        extension().write("s3://bucket/key", DATA)
    assert "read" not in str(caught.value)


@pytest.mark.parametrize("user, sent", [("token", "token:"), ("u:", "u:"), ("u:p%40q", "u:p@q")])
def test_a_user_without_a_password(extension, user, sent):
    with Fake(lambda method, path, headers, body: ranged(DATA, headers, {"ETag": '"1"'})) as fake:
        assert extension().read(fake.url.replace("//", f"//{user}@") + "/file", 100_000) == DATA
    assert fake.requests[0][2]["Authorization"] == "Basic " + base64.b64encode(sent.encode()).decode()


@pytest.mark.parametrize("location, path", [("../../d?x=http://y/z", "/d?x=http://y/z"), ("./e f", "/a/b/e%20f"),
                                            ("?q=1", "/a/b/c?q=1"), ("/a/../g", "/g"), ("h/../../i#j", "/a/i")])
def test_redirects_relative_to_a_url(extension, location, path):
    def handle(method, asked, headers, body):
        return (302, {"Location": location}, b"") if asked == "/a/b/c" else ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(handle) as fake:
        assert extension().read(fake.url + "/a/b/c", 100_000) == DATA
    assert fake.requests[1][1] == path


def test_a_proxy_that_asks_for_credentials(extension, monkeypatch):
    with Fake(lambda method, path, headers, body: (407, {}, b"")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        with pytest.raises(Failed, match="permission_denied.*407 Proxy Authentication Required.*http_proxy"):
            extension().open("http://files.invalid/file")


def test_the_hint_after_403_shows_how_to_name_a_user(extension):
    with Fake(lambda method, path, headers, body: (403, {}, b"")) as fake:
        with pytest.raises(Failed, match="permission_denied.*write user:password@ before its host"):
            extension().open(fake.url + "/file")


def test_a_scheme_in_capitals():
    with Fake(lambda method, path, headers, body: ranged(b"a\nb\n", headers, {"ETag": '"1"'})) as fake:
        name = fake.url.replace("http", "HTTP") + "/file"
        assert elements(f'text_line("{name}?sig=secret")') == (0, '"a"\n"b"\n')
        shown = elements(f'tfrecord("{name}(1)?sig=secret")')[1]
        assert "data_loss" in shown and "secret" not in shown
