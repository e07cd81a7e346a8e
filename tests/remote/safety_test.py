"""Certificates, redirects, secrets, and servers that send too much."""

import contextlib
import datetime
import ipaddress
import os
import subprocess

import pytest

import servers
from fakes import Fake, ranged
from proxy import Fault, Proxy
from weir_remote import LIBRARY, Failed

DATA = os.urandom(600_000)


@pytest.fixture
def target():
    with Fake(lambda method, path, headers, body: ranged(DATA, headers, {"ETag": '"1"'})) as fake:
        yield fake


def make_certificate(folder):
    """A certificate of 127.0.0.1 that signs itself: the names of its file and its key's."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256()))
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return folder / "cert.pem", folder / "key.pem"


def test_certificates_are_checked(extension, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path)
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "file").write_bytes(DATA)
    os.chmod(tmp_path, 0o755)
    with contextlib.ExitStack() as stack:
        monkeypatch.setattr(servers, "wait_for", wait_for_port)
        host, port = stack.enter_context(servers.nginx(tmp_path, certificate))
        url = f"https://{host}:{port}/file"
        with pytest.raises(Failed, match="failed_precondition.*certificate.*SSL_CERT_FILE"):
            extension().open(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        assert extension().read(url, 100_000) == DATA  # by HTTP/2
        (tmp_path / "other").mkdir()
        monkeypatch.setenv("CURL_CA_BUNDLE", str(make_certificate(tmp_path / "other")[0]))
        with pytest.raises(Failed, match="certificate.*CURL_CA_BUNDLE names") as caught:
            extension().open(url)
        assert "SSL_CERT_FILE" not in str(caught.value)
        monkeypatch.delenv("CURL_CA_BUNDLE")
        monkeypatch.delenv("SSL_CERT_FILE")
        # Only the requests of s3 trust AWS_CA_BUNDLE.
        monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate[0]))
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"https://{host}:{port}")
        with pytest.raises(Failed, match="not_found"):
            extension().open("s3://bucket/none")
        with pytest.raises(Failed, match="certificate"):
            extension().open(url)


def wait_for_port(url, process):
    import socket
    import time
    for _ in range(200):
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1].strip("/")))).close()
        time.sleep(0.05)
    raise TimeoutError(url)


def redirecting(location, status=302):
    return Fake(lambda method, path, headers, body: (status, {"Location": location}, b""))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_without_credentials(target, extension, status):
    with redirecting(target.url + "/there?token=T", status) as fake:
        one = extension()
        assert one.read(fake.url.replace("//", "//user:password@") + "/file", 100_000) == DATA
    assert fake.requests[0][2]["Authorization"].startswith("Basic ")
    assert all("Authorization" not in headers for _, _, headers, _ in target.requests)


def test_redirects_of_s3_carry_no_signature(target, extension, monkeypatch):
    with redirecting(target.url + "/there") as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        monkeypatch.setenv("AWS_SESSION_TOKEN", "c")
        assert extension().read("s3://bucket/key", 100_000) == DATA
    assert "x-amz-security-token" in fake.requests[0][2]
    for _, _, headers, _ in target.requests:
        assert not any(name.lower().startswith(("x-amz", "authorization")) for name in headers)


def test_redirects_are_bounded(extension):
    with redirecting("/again") as fake:
        with pytest.raises(Failed, match="failed_precondition.*more than 5 redirects"):
            extension().open(fake.url + "/file")
        assert len(fake.requests) == 6


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"])
def test_redirects_go_to_http_alone(extension, location):
    with redirecting(location) as fake:
        with pytest.raises(Failed, match="failed_precondition.*isn't http or https"):
            extension().open(fake.url + "/file")


def test_secrets_of_a_url_are_never_shown(extension):
    with Fake(lambda method, path, headers, body: (403, {}, b"")) as fake:
        with pytest.raises(Failed) as caught:
            extension().open(fake.url.replace("//", "//user:hunter2@") + "/file?X-Amz-Signature=abc&sig=d5f#frag")
    for secret in ("hunter2", "abc", "d5f", "?"):
        assert secret not in caught.value.message


@pytest.mark.parametrize("name", ["s3://AKID:hunter2@bucket/file", "gs://hunter2@bucket/file", "az://a:hunter2@bucket/file",
                                  "hf://hunter2@owner/name/file", "s3://bucket?sig=hunter2", "s3://AKID:hun/hunter2@bucket/a"])
def test_secrets_of_a_name_are_never_shown(extension, monkeypatch, name):
    with Fake(lambda method, path, headers, body: (403, {}, b"")) as fake:
        for variable in ("AWS_ENDPOINT_URL_S3", "STORAGE_EMULATOR_HOST", "HF_ENDPOINT"):
            monkeypatch.setenv(variable, fake.url)
        monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", f"AccountName=a;AccountKey=a2V5;BlobEndpoint={fake.url}")
        one = extension()
        for ask in (one.open, one.stat, one.list, lambda name: one.write(name, b"x")):
            with pytest.raises(Failed, match="invalid_argument|unimplemented|read only") as caught:
                ask(name)
            assert "hunter2" not in caught.value.message and "AKID" not in caught.value.message
        assert not fake.requests


def test_credentials_that_a_server_repeats_are_never_shown(extension, monkeypatch):
    def handle(method, path, headers, body):
        if path.startswith(("/datasets", "/api")):
            return 403, {"X-Error-Message": f"no {headers['Authorization']}, sorry"}, b""
        sent = headers["Authorization"].split("Credential=")[1].split("/")[0] + " " + headers["x-amz-security-token"]
        body = f"<Error><Code>No</Code><Message>no {sent}, sorry</Message></Error>"
        return 403, {"x-amz-request-id": f"1-{sent}"}, body.encode()

    for name, value in (("AWS_ACCESS_KEY_ID", "AKIDHUNTER"), ("AWS_SECRET_ACCESS_KEY", "b"),
                        ("AWS_SESSION_TOKEN", "t/HUNTER+2="), ("HF_TOKEN", "hf_HUNTER")):
        monkeypatch.setenv(name, value)
    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        monkeypatch.setenv("HF_ENDPOINT", fake.url)
        for name in ("s3://bucket/a", f"hf://datasets/owner/name@{'0' * 40}/a"):
            for ask in (extension().open, extension().list):
                with pytest.raises(Failed) as caught:
                    ask(name)
                assert "HUNTER" not in caught.value.message
            with pytest.raises(Failed, match=r"permission_denied.*\(.*no .*\*\*\*, sorry\)"):
                extension().open(name)


def test_a_long_answer_without_ranges_is_bounded(target, extension):
    with Proxy(tuple([target.host.split(":")[0], int(target.host.split(":")[1])])) as proxy:
        proxy.plan = lambda _: Fault("endless")
        with pytest.raises(Failed, match="failed_precondition.*longer than 32 MiB.*ranges|unavailable"):
            extension().open(proxy.url + "/file")
        proxy.plan = lambda _: Fault("ignore_range")
        assert extension().read(proxy.url + "/file", 100_000) == DATA


def test_long_headers_are_bounded(extension):
    headers = {f"X-{i}": "x" * 1000 for i in range(90)}
    with Fake(lambda method, path, h, body: (200, headers, b"fine")) as fake:
        assert extension().read(fake.url + "/file") == b"fine"
    headers = {f"X-{i}": "x" * 1000 for i in range(99)} | {f"Y-{i}": "x" * 1000 for i in range(60)}
    with Fake(lambda method, path, h, body: (200, headers, b"fine")) as fake:
        with pytest.raises(Failed, match="headers"):
            extension().open(fake.url + "/file")


@pytest.mark.parametrize("body", [
    b"", b"<", b"<ListBucketResult>", b"not xml", b"\xff\xfe\x00", b"<a>" * 100_000,
    b'<!DOCTYPE x [<!ENTITY a "' + b"b" * 100 + b'">]><ListBucketResult>&a;</ListBucketResult>',
    b"<ListBucketResult><Contents><Key>../../x</Key><Size>99999999999999999999999</Size></Contents></ListBucketResult>",
    b"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>1</NextContinuationToken>"
    b"</ListBucketResult>"])
def test_listings_of_a_hostile_server(extension, monkeypatch, body):
    with Fake(lambda method, path, headers, b: (200, {}, body)) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        try:
            assert extension().list("s3://bucket/") in ({}, {"x": {}})
        except Failed as failure:
            assert failure.code == "data_loss"
        assert len(fake.requests) <= 2


def test_names_that_are_no_part_of_a_path_are_left_out(extension, monkeypatch):
    body = b"""<ListBucketResult><CommonPrefixes><Prefix>e8/../</Prefix></CommonPrefixes>
        <CommonPrefixes><Prefix>e8/./</Prefix></CommonPrefixes><CommonPrefixes><Prefix>e8//</Prefix></CommonPrefixes>
        <Contents><Key>e8/..</Key></Contents><Contents><Key>e8/k1.txt</Key></Contents></ListBucketResult>"""
    with Fake(lambda method, path, headers, b: (200, {}, body)) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        assert list(extension().list("s3://bucket/e8/")) == ["k1.txt"]


def test_azure_names_that_are_encoded(extension, monkeypatch):
    body = b"""<EnumerationResults><Blobs><Blob><Name>d/100%25</Name></Blob>
        <Blob><Name Encoded="true">d%2Fx%EF%BF%BE</Name></Blob><Blob><Name Encoded="false">d/a%2Fb</Name></Blob>
        <BlobPrefix><Name Encoded="true">d%2F%EF%BF%BF%2F</Name></BlobPrefix></Blobs><NextMarker /></EnumerationResults>"""
    with Fake(lambda method, path, headers, b: (200, {}, body)) as fake:
        monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", f"AccountName=a;AccountKey=a2V5;BlobEndpoint={fake.url}")
        found = extension().list("az://bucket/d/")
    assert {name: entry["folder"] for name, entry in found.items()} == {
        "100%25": False, "x\ufffe": False, "a%2Fb": False, "\uffff": True}


PAGES = {
    "s3": "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key></Contents>NEXT</ListBucketResult>",
    "gs": '{"items": [{"name": "a", "size": "1"}], "nextPageToken": "NEXT"}',
    "az": "<EnumerationResults><Blobs><Blob><Name>a</Name></Blob></Blobs><NextMarker>NEXT</NextMarker></EnumerationResults>"}


@pytest.mark.parametrize("kind, following, message", [
    ("s3", "", "doesn't say where"), ("s3", "<NextMarker>a</NextMarker>", "doesn't say where"),
    ("s3", "<NextContinuationToken>1</NextContinuationToken>", "next page is one that was sent"),
    ("gs", "1", "next page is one that was sent"), ("az", "1", "next page is one that was sent")])
def test_listings_that_dont_say_how_they_go_on(extension, monkeypatch, kind, following, message):
    page = PAGES[kind].replace("NEXT", following).encode()
    with Fake(lambda method, path, headers, body: (200, {}, page)) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", fake.url)
        monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", f"AccountName=a;AccountKey=a2V5;BlobEndpoint={fake.url}")
        with pytest.raises(Failed, match=f"data_loss: {kind}://bucket/: the server's listing goes on.*{message}"):
            extension().list(f"{kind}://bucket/")


@pytest.mark.parametrize("kind, following", [
    ("s3", "<NextContinuationToken>{}</NextContinuationToken>"), ("gs", "{}"), ("az", "{}")])
def test_listings_that_go_in_a_circle(extension, monkeypatch, kind, following):
    def handle(method, path, headers, body):
        return 200, {}, PAGES[kind].replace("NEXT", following.format("BCA"[len(fake.requests) % 3])).encode()

    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", fake.url)
        monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", f"AccountName=a;AccountKey=a2V5;BlobEndpoint={fake.url}")
        with pytest.raises(Failed, match="data_loss.*next page is one that was sent"):
            extension().list(f"{kind}://bucket/")
        assert len(fake.requests) <= 4


def test_one_function_is_exported():
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in names.splitlines()] == ["weir_extension_load"]
    assert os.path.getsize(LIBRARY) <= 1 << 20


def test_proxies_of_the_environment(extension, monkeypatch):
    def handle(method, path, headers, body):
        assert path == "http://files.invalid/file"
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(handle) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert extension().read("http://files.invalid/file", 100_000) == DATA
        monkeypatch.setenv("no_proxy", "files.invalid")
        monkeypatch.setenv("WEIR_REMOTE_PATIENCE", "2")
        with pytest.raises(Failed, match="unavailable.*resolve"):
            extension().read("http://files.invalid/file")


@pytest.mark.parametrize("encoding, kept", [("gzip", 300_000), ("gzip", 299_999), ("", 299_999), ("identity", 300_001)])
def test_answers_that_contradict_themselves_or_the_first_one(extension, monkeypatch, encoding, kept):
    faulty = []

    def handle(method, path, headers, body):
        status, extra, part = ranged(DATA, headers, {"ETag": '"1"'})
        if "bytes=0-" in headers["Range"] or not faulty:
            return status, extra, part
        faulty.pop()
        return status, extra | {"Content-Encoding": encoding}, (b"\x1f\x8b" * kept)[:kept]

    monkeypatch.setenv("WEIR_REMOTE_PATIENCE", "2")
    with Fake(handle) as fake, extension().open(fake.url + "/file") as file:
        faulty.append(1)
        assert file.read(300_000, 300_000) == DATA[300_000:]
        faulty.extend([1] * 20)
        with pytest.raises(Failed, match="unavailable.*(Content-Range|Content-Encoding: gzip)"):
            file.read(300_000, 300_000)


def test_an_object_that_is_stored_compressed_comes_as_it_is(extension):
    extra = {"ETag": '"1"', "Content-Encoding": "GZIP"}
    with Fake(lambda method, path, headers, body: ranged(DATA, headers, extra)) as fake:
        assert extension().read(fake.url + "/file", 100_000) == DATA


@pytest.mark.parametrize("size", [1000, 600_000])
def test_a_server_that_doesnt_say_where_the_end_is(extension, size):
    length = size

    def handle(method, path, headers, body):
        if method == "HEAD":
            assert headers["If-Match"] == '"1"'
            return 200, {"Content-Length": str(length)}, b""
        status, extra, part = ranged(DATA[:size], headers, {"ETag": '"1"'})
        return status, extra | {"Content-Range": extra["Content-Range"].replace(f"/{size}", "/*")}, part

    with Fake(handle) as fake:
        with extension().open(fake.url + "/file") as file:
            assert file.size == size
            assert file.read(0, size) == DATA[:size]
        length = 999
        with pytest.raises(Failed, match="failed_precondition.*has 999 bytes, and sends"):
            extension().open(fake.url + "/file")


@pytest.mark.parametrize("size", [0, 1000])
@pytest.mark.parametrize("head", [(200, {"Content-Encoding": "gzip", "Content-Length": "500"}), (405, {}), (403, {})])
def test_a_size_that_head_doesnt_tell(extension, monkeypatch, head, size):
    def handle(method, path, headers, body):
        return (*head, b"") if method == "HEAD" else ranged(DATA[:size], headers, {"ETag": '"1"'})

    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        for name in (fake.url + "/bucket/file", "s3://bucket/file"):
            assert extension().stat(name)["size"] == size
            assert extension().read(name) == DATA[:size]


def test_redirects_say_the_same_of_stat_and_open(target, extension):
    answer = 302, {"Location": target.url + "/there", "ETag": '"of the redirect"'}, b""
    with Fake(lambda method, path, headers, body: answer) as fake:
        one = extension()
        with one.open(fake.url + "/file") as file:
            assert file.version == one.stat(fake.url + "/file")["version"] == '"of the redirect"'


def test_a_file_that_grows_on_a_server_without_versions(extension):
    data = bytearray(DATA)
    with Fake(lambda method, path, headers, body: ranged(bytes(data), headers, {})) as fake:
        with extension().open(fake.url + "/file") as file:
            assert file.read(500_000, 10) == DATA[500_000:500_010]
            data.extend(b"more")
            with pytest.raises(Failed, match="failed_precondition.*changed"):
                file.read(500_000, 10)
