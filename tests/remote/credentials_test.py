"""Credentials are found where each vendor's tools find them, sent only there, and fetched again when they expire."""

import base64
import concurrent.futures
import json
import threading
import time

import pytest

from fakes import Fake, ranged
from weir_remote import Failed

DATA = b"some bytes of a file" * 100
KEYS = {"AccessKeyId": "AKIATEST", "SecretAccessKey": "secret", "Token": "session-token"}


def date(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


@pytest.fixture
def s3(monkeypatch):
    """A server that takes any signature, and remembers who asked."""
    def handle(method, path, headers, body):
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", fake.url)
        yield fake


def signer_of(fake):
    headers = fake.requests[-1][2]
    authorization = headers.get("Authorization", "")
    return authorization.partition("Credential=")[2].partition("/")[0], headers.get("x-amz-security-token")


def read_by_s3(extension):
    assert extension().read("s3://bucket/key") == DATA


def test_aws_environment(s3, extension, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "t")
    monkeypatch.setenv("AWS_REGION", "eu-west-3")
    read_by_s3(extension)
    assert signer_of(s3) == ("AKIAENV", "t")
    assert "/eu-west-3/s3/aws4_request" in s3.requests[-1][2]["Authorization"]


def test_aws_anonymous(s3, extension):
    read_by_s3(extension)
    assert "Authorization" not in s3.requests[-1][2]


def write_aws(tmp_path, config, credentials):
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text(config)
    (tmp_path / ".aws" / "credentials").write_text(credentials)


def test_aws_profiles(s3, extension, monkeypatch, tmp_path):
    write_aws(tmp_path, "[default]\nregion = eu-central-1\n[profile work]\nregion=us-west-2\n",
              "# keys\n[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key = a\n"
              "[work]\naws_access_key_id=AKIAWORK\naws_secret_access_key=b\n")
    read_by_s3(extension)
    assert signer_of(s3)[0] == "AKIADEFAULT"
    assert "/eu-central-1/" in s3.requests[-1][2]["Authorization"]
    monkeypatch.setenv("AWS_PROFILE", "work")
    read_by_s3(extension)
    assert signer_of(s3)[0] == "AKIAWORK"
    assert "/us-west-2/" in s3.requests[-1][2]["Authorization"]
    monkeypatch.setenv("AWS_PROFILE", "missing")
    with pytest.raises(Failed, match="invalid_argument.*missing"):
        read_by_s3(extension)


def sts(monkeypatch, action, seen):
    def handle(method, path, headers, body):
        seen.append((body.decode(), headers.get("Authorization")))
        return 200, {}, (
            f"<{action}Response xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><{action}Result><Credentials>"
            "<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>role-token"
            f"</SessionToken><Expiration>{date(3600)}</Expiration></Credentials></{action}Result></{action}Response>"
        ).encode()

    fake = Fake(handle)
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", fake.url)
    return fake


def test_aws_web_identity(s3, extension, monkeypatch, tmp_path):
    (tmp_path / "token").write_text("the-identity\n")
    monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r")
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
    seen = []
    with sts(monkeypatch, "AssumeRoleWithWebIdentity", seen):
        read_by_s3(extension)
    assert signer_of(s3) == ("ASIAROLE", "role-token")
    assert "WebIdentityToken=the-identity" in seen[0][0] and seen[0][1] is None


def test_aws_role_of_a_profile(s3, extension, monkeypatch, tmp_path):
    write_aws(tmp_path, "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n",
              "[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = a\n")
    seen = []
    with sts(monkeypatch, "AssumeRole", seen):
        read_by_s3(extension)
    assert signer_of(s3)[0] == "ASIAROLE"
    assert "Credential=AKIABASE/" in seen[0][1] and "/sts/aws4_request" in seen[0][1]


def test_aws_container(s3, extension, monkeypatch):
    def handle(method, path, headers, body):
        return (200, {}, {**KEYS, "Expiration": date(3600)}) if headers["Authorization"] == "pass" else (403, {}, {})

    with Fake(handle) as fake:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", fake.url + "/creds")
        monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "pass")
        read_by_s3(extension)
        assert signer_of(s3) == ("AKIATEST", "session-token")
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/creds")
    with pytest.raises(Failed, match="permission_denied.*neither https"):
        read_by_s3(extension)


def test_aws_instance(s3, extension, monkeypatch):
    def handle(method, path, headers, body):
        if method == "PUT" and path == "/latest/api/token" and headers["X-aws-ec2-metadata-token-ttl-seconds"]:
            return 200, {}, b"imds"
        if headers["X-aws-ec2-metadata-token"] != "imds":
            return 401, {}, b""
        if path.endswith("/security-credentials/"):
            return 200, {}, b"my-role"
        assert path.endswith("/security-credentials/my-role")
        return 200, {}, {**KEYS, "Expiration": date(3600)}

    with Fake(handle) as fake:
        monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", fake.url)
        read_by_s3(extension)
        assert signer_of(s3) == ("AKIATEST", "session-token")


@pytest.mark.parametrize("code", ["ExpiredToken", "TokenRefreshRequired", "InvalidAccessKeyId"])
def test_aws_credentials_that_expire_are_fetched_again(extension, monkeypatch, code):
    given = []

    def metadata(method, path, headers, body):
        given.append(f"token{len(given)}")
        return 200, {}, {**KEYS, "Token": given[-1], "Expiration": date(3600)}

    def handle(method, path, headers, body):
        if headers["x-amz-security-token"] == "token0":
            return 400, {}, f"<Error><Code>{code}</Code><Message>It has expired.</Message></Error>".encode()
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(metadata) as container, Fake(handle) as store:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.url + "/creds")
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store.url)
        read_by_s3(extension)
    assert given == ["token0", "token1"]


@pytest.mark.parametrize("token", ["T\r\nX-Evil: 1", "secret\n", "a\x7fb"])
def test_a_credential_never_becomes_a_header_of_its_own(extension, monkeypatch, token):
    with Fake(lambda method, path, headers, body: ranged(DATA, headers, {"ETag": '"1"'})) as store:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
        with pytest.raises(Failed, match="invalid_argument.*x-amz-security-token has a control character") as failure:
            extension().read("s3://bucket/key")
    assert not store.requests and token not in str(failure.value)


def test_aws_region_is_learned(extension, monkeypatch):
    def handle(method, path, headers, body):
        if "/eu-south-1/" not in headers["Authorization"]:
            return 400, {}, (b"<Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong</Message>"
                             b"<Region>eu-south-1</Region></Error>")
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(handle) as store:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        one = extension()
        assert one.read("s3://bucket/key") == DATA
        count = len(store.requests)
        assert one.read("s3://bucket/other") == DATA
        assert len(store.requests) == count + 1


def read_four_at_once(one):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(one.read, (f"s3://bucket/{i}" for i in range(4)))) == {DATA}


@pytest.mark.parametrize("answer", [
    (400, {}, b"<Error><Code>ExpiredToken</Code><Message>It has expired.</Message></Error>"),
    (400, {}, b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-south-1</Region></Error>"),
    (403, {"Date": "Sun, 01 Jan 2040 00:00:00 GMT"}, b"<Error><Code>RequestTimeTooSkewed</Code></Error>"),
], ids=["credentials", "region", "clock"])
def test_aws_what_one_answer_tells_is_known_to_all(extension, monkeypatch, answer):
    """Four requests are under way when the first answer tells what is wrong with all of them."""
    under_way = threading.Barrier(4)
    fetched = []

    def metadata(method, path, headers, body):
        fetched.append(path)
        return 200, {}, {**KEYS, "Token": f"token{len(fetched)}", "Expiration": date(3600)}

    def handle(method, path, headers, body):
        signed = (headers["x-amz-security-token"], headers["Authorization"].split("/")[2], headers["x-amz-date"][:4])
        if signed == before:
            under_way.wait(timeout=20)
            return answer
        return ranged(DATA, headers, {"ETag": '"1"'})

    before = ("token1", "us-east-1", time.strftime("%Y", time.gmtime()))
    with Fake(metadata) as container, Fake(handle) as store:
        store.server.RequestHandlerClass.date_time_string = lambda self, timestamp=None: "Sun, 01 Jan 2040 00:00:00 GMT"
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.url + "/creds")
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store.url)
        read_four_at_once(extension())
        assert len(store.requests) == 8
    assert len(fetched) == (2 if b"Expired" in answer[2] else 1)


def test_aws_clock_is_learned(extension, monkeypatch):
    ahead = 5000

    def handle(method, path, headers, body):
        server = time.time() + ahead
        stamp = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(server))
        sent = time.mktime(time.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ")) - time.timezone
        if abs(sent - server) > 900:
            return 403, {"Date": stamp}, b"<Error><Code>RequestTimeTooSkewed</Code><Message>clock</Message></Error>"
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(handle) as store:
        store.server.RequestHandlerClass.date_time_string = lambda self, timestamp=None: time.strftime(
            "%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + ahead))
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        read_by_s3(extension)


@pytest.fixture
def hub(monkeypatch):
    """Stands for a store that wants the bearer token "good", by the name of the host that is really Google's or Azure's."""
    def handle(method, path, headers, body):
        if headers.get("Authorization") != "Bearer good":
            return 401, {}, {"error": {"message": "Invalid Credentials"}}
        return ranged(DATA, headers, {"ETag": '"1"', "x-goog-generation": "1"})

    with Fake(handle) as fake:
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "account")
        monkeypatch.setenv("AZURE_STORAGE_BLOB_ENDPOINT", fake.url)
        monkeypatch.setenv("WEIR_REMOTE_GS_ENDPOINT", fake.url)
        yield fake


def test_google_service_account(hub, extension, monkeypatch, tmp_path):
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                            serialization.NoEncryption()).decode()
    claims = []

    def handle(method, path, headers, body):
        assertion = dict(pair.split("=", 1) for pair in body.decode().split("&"))["assertion"]
        head, claim, signature = assertion.split(".")
        unpad = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        key.public_key().verify(unpad(signature), f"{head}.{claim}".encode(), padding.PKCS1v15(), hashes.SHA256())
        claims.append((json.loads(unpad(head)), json.loads(unpad(claim))))
        return 200, {}, {"access_token": "good", "expires_in": 3600}

    with Fake(handle) as tokens:
        (tmp_path / "key.json").write_text(json.dumps({
            "type": "service_account", "client_email": "me@project", "private_key_id": "id", "private_key": pem,
            "token_uri": tokens.url + "/token"}))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "key.json"))
        assert extension().read("gs://bucket/key") == DATA
        assert claims[0][0]["alg"] == "RS256" and claims[0][1]["iss"] == "me@project"


def test_google_user(hub, extension, monkeypatch, tmp_path):
    def handle(method, path, headers, body):
        assert b"refresh_token=refresh" in body and b"client_secret=secret" in body
        return 200, {}, {"access_token": "good", "expires_in": 3600}

    with Fake(handle) as tokens:
        folder = tmp_path / ".config" / "gcloud"
        folder.mkdir(parents=True)
        (folder / "application_default_credentials.json").write_text(json.dumps({
            "type": "authorized_user", "client_id": "c", "client_secret": "secret", "refresh_token": "refresh",
            "token_uri": tokens.url}))
        assert extension().read("gs://bucket/key") == DATA


def test_google_credentials_that_are_refused_or_unreadable(hub, extension, monkeypatch, tmp_path):
    with Fake(lambda *_: (400, {}, {"error": "invalid_grant", "error_description": "it was revoked"})) as tokens:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "key.json"))
        (tmp_path / "key.json").write_text(json.dumps({
            "type": "authorized_user", "client_id": "c", "client_secret": "secret", "refresh_token": "refresh",
            "token_uri": tokens.url}))
        with pytest.raises(Failed, match="permission_denied.*invalid_grant: it was revoked"):
            extension().read("gs://bucket/key")
        (tmp_path / "key.json").write_text("-----BEGIN PRIVATE KEY-----")
        with pytest.raises(Failed, match="invalid_argument.*key.json: this isn't JSON"):
            extension().read("gs://bucket/key")


def test_google_metadata_and_a_token_that_is_refused(hub, extension, monkeypatch):
    given = []

    def handle(method, path, headers, body):
        assert headers["Metadata-Flavor"] == "Google"
        given.append("good" if given else "stale")
        return 200, {}, {"access_token": given[-1], "expires_in": 3600}

    with Fake(handle) as metadata:
        monkeypatch.delenv("NO_GCE_CHECK")
        monkeypatch.setenv("GCE_METADATA_HOST", metadata.host)
        assert extension().read("gs://bucket/key") == DATA
    assert given == ["stale", "good"]


@pytest.fixture(params=["gs", "az", "s3"])
def renewed(request, hub, monkeypatch):
    """A file whose store refuses the first credentials of a metadata service, and `later`: how that answers from then on,
    until nothing is left."""
    later, given = [], []

    def metadata(method, path, headers, body):
        if given and later:
            return later.pop(0), {}, {"error": "out of order"}
        if method == "PUT" or path.endswith("/security-credentials/"):
            return 200, {}, b"role"
        given.append("good" if given else "stale")
        return 200, {}, {"access_token": given[-1], "expires_in": 3600, **KEYS, "Token": given[-1],
                         "Expiration": date(3600)}

    def s3(method, path, headers, body):
        if headers.get("x-amz-security-token") != "good":
            return 400, {}, b"<Error><Code>ExpiredToken</Code><Message>It has expired.</Message></Error>"
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(metadata) as service, Fake(s3) as store:
        for name in ("NO_GCE_CHECK", "AWS_EC2_METADATA_DISABLED"):
            monkeypatch.delenv(name)
        for name, value in (("GCE_METADATA_HOST", service.host), ("AZURE_POD_IDENTITY_AUTHORITY_HOST", service.url),
                            ("AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url), ("AWS_ENDPOINT_URL_S3", store.url)):
            monkeypatch.setenv(name, value)
        yield request.param + "://bucket/key", later


@pytest.mark.parametrize("status", [500, 503])
def test_a_metadata_service_is_asked_again_after_a_bad_answer(renewed, extension, status):
    name, later = renewed
    later.append(status)
    assert extension().read(name) == DATA and not later


@pytest.mark.parametrize("status, code", [(500, "unavailable"), (404, "permission_denied")])
def test_a_metadata_service_that_stops_answering_is_no_anonymous_access(renewed, extension, status, code):
    name, later = renewed
    later += [status] * 50
    with pytest.raises(Failed, match=f"{code}: {name}: the (machine|managed|instance)'?.*the server answered {status}") as caught:
        extension().read(name)
    assert "no credentials" not in str(caught.value)


def test_google_anonymous_says_so(hub, extension):
    with pytest.raises(Failed, match="permission_denied.*no credentials.*GOOGLE_APPLICATION_CREDENTIALS"):
        extension().read("gs://bucket/key")
    assert "Authorization" not in hub.requests[-1][2]


def test_azure_managed_identity(hub, extension, monkeypatch):
    def handle(method, path, headers, body):
        assert headers["Metadata"] == "true" and "storage.azure.com" in path
        return 200, {}, {"access_token": "good", "expires_in": "3600"}

    with Fake(handle) as metadata:
        monkeypatch.setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", metadata.url)
        assert extension().read("az://bucket/key") == DATA


def test_azure_workload_identity(hub, extension, monkeypatch, tmp_path):
    (tmp_path / "token").write_text("workload")

    def handle(method, path, headers, body):
        assert path == "/tenant/oauth2/v2.0/token" and b"client_assertion=workload" in body
        return 200, {}, {"access_token": "good", "expires_in": 3600}

    with Fake(handle) as login:
        for name, value in (("TENANT_ID", "tenant"), ("CLIENT_ID", "client"), ("AUTHORITY_HOST", login.url),
                            ("FEDERATED_TOKEN_FILE", str(tmp_path / "token"))):
            monkeypatch.setenv("AZURE_" + name, value)
        assert extension().read("az://bucket/key") == DATA


def test_azure_sas_is_sent_and_never_shown(extension, monkeypatch):
    def handle(method, path, headers, body):
        assert "sig=SECRET" in path
        if path.startswith("/bucket/none"):
            return 403, {"x-ms-error-code": "AuthenticationFailed"}, b""
        return ranged(DATA, headers, {"ETag": '"1"'})

    with Fake(handle) as fake:
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "account")
        monkeypatch.setenv("AZURE_STORAGE_BLOB_ENDPOINT", fake.url)
        monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", "?sv=2021&sig=SECRET")
        one = extension()
        assert one.read("az://bucket/key") == DATA
        with pytest.raises(Failed, match="AuthenticationFailed.*AZURE_STORAGE_SAS_TOKEN") as caught:
            one.read("az://bucket/none")
        assert "SECRET" not in str(caught.value)


def test_azure_without_an_account(extension):
    with pytest.raises(Failed, match="invalid_argument.*AZURE_STORAGE_ACCOUNT"):
        extension().read("az://bucket/key")
