"""The conformance cases that read files, through the library and each store: elements, errors and their places are those of
local files, with the URL in place of the file's name."""

import concurrent.futures
import os
import pathlib
import re
import subprocess

import proxy as proxies
from weir_remote import BUILD

CASES = pathlib.Path(__file__).parent.parent / "conformance"
# What reads a file beside its own (an index, a database), lists folders where http has none, or writes.
LOCAL_ONLY = re.compile(r"\bsql\(|cache\(|snapshot\(|save\(|load\(|index")


def cases():
    found = []
    for file in sorted(CASES.glob("*.cases")):
        for block in re.split(r"^====\n", file.read_text("utf-8"), flags=re.M):
            run = re.search(r"^run: (.*\n(?:  .*\n)*)", block, flags=re.M)
            name = re.search(r"^case: (.*)$", block, flags=re.M)
            if not run or '"data/' not in run[1] or LOCAL_ONLY.search(run[1]) or "\nrank:" in block:
                continue
            count = re.search(r"^take: (\d+)$", block, flags=re.M)
            params = re.findall(r"^param: (.*)$", block, flags=re.M)
            unordered = "\nunordered\n" in block
            found.append((f"{file.stem}:{name[1]}", run[1].strip(), int(count[1]) if count else 300, params, unordered))
    return found


def run(document, count, params, environment=None):
    command = [os.path.join(BUILD, "weir"), "run", "-n", str(count), "-e", document]
    for param in params:
        command += ["-p", param]
    ended = subprocess.run(command, cwd=CASES, capture_output=True, text=True, encoding="utf-8", errors="replace",
                           timeout=120, env={**os.environ, **(environment or {}),
                                             "WEIR_EXTENSIONS": os.path.join(BUILD, "extensions")})
    return ended.returncode, ended.stdout, ended.stderr


def copy_data(store, extension):
    one = extension()
    for path in sorted((CASES / "data").rglob("*")):
        if path.is_file():
            store.put(one, "data/" + path.relative_to(CASES / "data").as_posix(), path.read_bytes())


def plain(result, base, unordered):
    """Without what may differ: the names' beginning, and so the columns after them and the text that is shown; times, and
    what a store says of a missing file."""
    code, out, err = result
    text = (out + err).replace(base + "data/", "data/")
    text = re.sub(r"error: not_found: .*", "error: not_found", text)
    text = re.sub(r"column \d+|^.*\n *\^$|^\d{4}-\d\d-\d\d [\d:.]+", "", text, flags=re.M)
    return code, sorted(text.splitlines()) if unordered else text


def check_case(store, case, local):
    name, document, count, params, unordered = case
    remote = run(document.replace('"data/', f'"{store.base}data/'), count, params)
    expected, found = (plain(result, store.base, unordered) for result in (local, remote))
    return None if found == expected else f"{name}\n  local: {expected}\n  remote: {found}"


LOCAL = {}


def differences(store):
    chosen = [case for case in cases() if store.kind != "http" or not re.search(r'"data/[^"]*[*?\[]', case[1])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, local in zip(chosen, pool.map(lambda case: LOCAL.get(case[0]) or run(*case[1:4]), chosen)):
            LOCAL[case[0]] = local
        results = list(pool.map(lambda case: check_case(store, case, LOCAL[case[0]]), chosen))
    print(f"{store.kind}: {len(chosen)} cases")
    assert len(chosen) > 80
    return [result for result in results if result]


def test_cases_are_equal(store, extension):
    copy_data(store, extension)
    assert not differences(store)


def test_digests_are_equal_through_mild_faults(store, extension):
    copy_data(store, extension)
    document = 'tfrecord(["BASEdata/big.tfrecord", "BASEdata/five.tfrecord"]) | shuffle(10, seed: 1) | batch(3)'

    def digest(base):
        command = [os.path.join(BUILD, "weir"), "digest", "-e", document.replace("BASE", base)]
        return subprocess.run(command, cwd=CASES, capture_output=True, text=True, check=True, timeout=120, env={
            **os.environ, "WEIR_EXTENSIONS": os.path.join(BUILD, "extensions")}).stdout

    local = digest("")
    for seed in range(5):
        faults = proxies.random_plan(seed, 0.3)

        def mild(request):
            fault = faults(request)
            # Without those that are errors; Azure signs the range, which the proxy takes away for "ignore_range".
            harsh = fault and (fault.kind == "changed" or fault.status in (403, 404) or
                               (fault.kind == "ignore_range" and store.kind == "az"))
            return None if harsh else fault

        store.proxy.plan = mild
        assert digest(store.base) == local
