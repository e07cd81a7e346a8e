import contextlib
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

import proxy as proxies
import servers
import weir_remote

CLEARED = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR_HOST", "HF_", "HUGGING_FACE", "CLOUDSDK", "GCE_", "IDENTITY_",
           "SSL_CERT", "CURL_CA", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


class Store:
    """A store that is asked through a proxy. `base` is what its files' names begin with."""

    def __init__(self, kind, proxy, base, environment, www=None):
        self.kind, self.proxy, self.base, self.environment, self.www = kind, proxy, base, environment, www

    def put(self, extension, name, data):
        """Writes a file; http's is written into the folder of nginx."""
        if self.www:
            path = self.www / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        else:
            extension.write(self.base + name, data)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="session", params=os.environ.get("WEIR_REMOTE_TEST_STORES", "http s3 gs az").split())
def server(request, folder):
    """A running server of each kind: (kind, proxy, base, environment, folder of its files)."""
    with contextlib.ExitStack() as stack:
        kind, environment, www = request.param, {}, None
        if kind == "http":
            address, www = stack.enter_context(servers.nginx(folder)), folder / "www"
        elif kind == "s3":
            address, environment = stack.enter_context(servers.moto(folder))
        elif kind == "gs":
            address = stack.enter_context(servers.fake_gcs(folder))
        else:
            address = stack.enter_context(servers.azurite(folder))
        proxy = stack.enter_context(proxies.Proxy(address))
        if kind == "s3":
            environment["AWS_ENDPOINT_URL_S3"] = proxy.url
        elif kind == "gs":
            environment["STORAGE_EMULATOR_HOST"] = proxy.url
        elif kind == "az":
            environment["AZURE_STORAGE_CONNECTION_STRING"] = (
                f"AccountName=devstoreaccount1;AccountKey={servers.AZURE_KEY};"
                f"BlobEndpoint={proxy.url}/devstoreaccount1")
        base = proxy.url + "/" if kind == "http" else f"{kind}://bucket/"
        yield Store(kind, proxy, base, environment, www)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith(CLEARED):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")


@pytest.fixture
def store(server, monkeypatch):
    """A server without faults; a test sets `store.proxy.plan`."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    server.proxy.plan = None
    server.proxy.delay = 0.0
    server.proxy.requests.clear()
    return server


@pytest.fixture
def extension():
    """Makes extensions, which see the environment of that moment."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(weir_remote.Extension())
