"""Hugging Face's hub, by one that answers as it does: commits, large files by a redirect to another host, trees in pages."""

import json
import urllib.parse

import pytest

from fakes import Fake, ranged
from stores_test import agree
from weir_remote import Failed

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"data/train 1.bin": b"large" * 200_000, "data/sub/x.txt": b"x", "README.md": b"read me"}


@pytest.fixture
def hub(monkeypatch):
    def cdn(method, path, headers, body):
        assert "Authorization" not in headers, "the token went to another host"
        assert "X-Signature=s3cret" in path
        return ranged(FILES[urllib.parse.unquote(path[1:].split("?")[0])], headers, {"ETag": '"of the cdn"'})

    with Fake(cdn) as store:
        def handle(method, path, headers, body):
            if headers.get("Authorization") != "Bearer hf_token":
                return 401, {"X-Error-Message": "Invalid username or password."}, {}
            path, _, query = path.partition("?")
            if path == "/api/datasets/org/name/revision/main":
                return 200, {}, {"sha": COMMIT}
            if path == "/api/datasets/org/name/revision/refs%2Fconvert%2Fparquet":
                return 200, {}, {"sha": COMMIT}
            if path == f"/api/datasets/org/name/paths-info/{COMMIT}":
                if method == "GET":
                    return 200, {}, b'[{"type": "fi'
                return 200, {}, [{"type": "file", "path": name, "size": len(FILES[name]), "oid": "o"}
                                 for name in json.loads(body)["paths"] if name in FILES]
            if path == f"/api/datasets/org/name/tree/{COMMIT}/data":
                if query:
                    return 200, {}, [{"type": "directory", "path": "data/sub", "size": 0, "oid": "d"}]
                link = f"<{fake.next_page}>; rel=\"next\""
                return 200, {"Link": link}, [{"type": "file", "path": "data/train 1.bin", "size": 1_000_000, "oid": "a"}]
            name = urllib.parse.unquote(path.removeprefix(f"/datasets/org/name/resolve/{COMMIT}/"))
            if name not in FILES:
                return 404, {"X-Error-Message": "Entry not found"}, {}
            if name == "README.md":
                return ranged(FILES[name], headers, {"ETag": '"small"', "X-Repo-Commit": COMMIT})
            target = f"{store.url}/{urllib.parse.quote(name)}?X-Signature=s3cret"
            return 302, {"Location": target, "X-Linked-ETag": '"linked"', "X-Repo-Commit": COMMIT}, b""

        with Fake(handle) as fake:
            monkeypatch.setenv("HF_ENDPOINT", fake.url)
            monkeypatch.setenv("HF_TOKEN", "hf_token")
            fake.store = store
            fake.next_page = f"{fake.url}/api/datasets/org/name/tree/{COMMIT}/data?cursor=2"
            yield fake


def test_files(hub, extension):
    one = extension()
    assert one.read("hf://datasets/org/name/README.md") == FILES["README.md"]
    assert one.read("hf://datasets/org/name@main/data/train 1.bin", 300_000) == FILES["data/train 1.bin"]
    assert one.read("hf://datasets/org/name@refs/convert/parquet/README.md") == FILES["README.md"]
    assert one.stat("hf://datasets/org/name/data/train 1.bin")["size"] == 1_000_000
    # The redirect is followed once; later reads go to its target.
    assert sum("train" in path for _, path, _, _ in hub.requests) == 1


def test_stat_says_what_open_says(hub, extension):
    one = extension()
    for name in ("hf://datasets/org/name/README.md", "hf://datasets/org/name/data/train 1.bin"):
        with one.open(name) as file:
            assert agree(one.stat(name), file) and file.version


def test_a_target_that_expired_is_asked_for_again(hub, extension):
    one = extension()
    with one.open("hf://datasets/org/name/data/train 1.bin") as file:
        answer = hub.store.server.RequestHandlerClass.answer
        refused = []

        def once(handler):
            if refused:
                return answer(handler)
            refused.append(handler.path)
            handler.send_response(403)
            handler.send_header("Content-Length", "0")
            return handler.end_headers()

        hub.store.server.RequestHandlerClass.do_GET = once
        assert file.read(500_000, 10) == FILES["data/train 1.bin"][500_000:500_010]
        assert refused


def test_folders(hub, extension):
    entries = extension().list("hf://datasets/org/name/data/")
    assert {name: entry["folder"] for name, entry in entries.items()} == {"train 1.bin": False, "sub": True}


@pytest.mark.parametrize("host, message", [
    ("{hub}", "next page is one that was sent"), ("http://another.invalid", "http://another.invalid/.*isn't the hub")])
def test_folders_that_dont_say_how_they_go_on(hub, extension, host, message):
    hub.next_page = f"{host.format(hub=hub.url)}/api/datasets/org/name/tree/{COMMIT}/data"
    with pytest.raises(Failed, match=f"data_loss: hf://datasets/org/name/data/: the server's listing goes on.*{message}"):
        extension().list("hf://datasets/org/name/data/")


def test_a_listing_that_ends_early_is_an_error(hub, extension):
    hub.next_page = f"{hub.url}/api/datasets/org/name/paths-info/{COMMIT}"
    with pytest.raises(Failed, match="data_loss: hf://datasets/org/name/data/: the hub's listing can't be understood"):
        extension().list("hf://datasets/org/name/data/")


def test_errors(hub, extension, monkeypatch):
    with pytest.raises(Failed, match="not_found.*Entry not found"):
        extension().open("hf://datasets/org/name/none")
    with pytest.raises(Failed, match="invalid_argument.*owner/name"):
        extension().open("hf://datasets/org")
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(Failed, match="permission_denied.*HF_TOKEN"):
        extension().open("hf://datasets/org/name/README.md")


def test_token_file(hub, extension, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN")
    folder = tmp_path / ".cache" / "huggingface"
    folder.mkdir(parents=True)
    (folder / "token").write_text("hf_token\n")
    assert extension().read("hf://datasets/org/name/README.md") == FILES["README.md"]
