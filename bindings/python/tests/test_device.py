"""Elements on a device, with the driver of tests/fake_cuda, compiled here."""

import ctypes
import gc
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import weir

FAKE = pathlib.Path(__file__).resolve().parents[3] / "tests" / "fake_cuda"
BATCHES = 'range(80000) | map(x -> {image: uint8(x / 8000), label: x}) | batch(8000) | to_device("cuda:0")'


class _Tensor(ctypes.Structure):
    """A DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


@pytest.fixture(scope="module")
def cuda(tmp_path_factory):
    """The fake driver, which the library finds because a library of that name is loaded."""
    compiler = shutil.which("c++")
    if compiler is None or not FAKE.is_dir():
        pytest.skip("needs a compiler and the source tree")
    library = tmp_path_factory.mktemp("driver") / "libcuda.so.1"
    sources = sorted(map(str, FAKE.glob("*.cc")))
    command = [compiler, "-std=c++20", "-shared", "-fPIC", "-O1", "-I", str(FAKE.parent), *sources]
    subprocess.run([*command, "-Wl,-soname,libcuda.so.1", "-o", str(library)], check=True)
    fake = ctypes.CDLL(str(library))
    fake.fake_cuda_stream.restype = ctypes.c_void_p
    fake.fake_cuda_trap.restype = ctypes.c_char_p
    fake.fake_cuda_device_bytes.restype = ctypes.c_size_t
    return fake


def capsule_pointer(capsule, name=b"dltensor"):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name)


def take_over(capsule):
    """What a framework does with a capsule: the tensor is its own from now on."""
    tensor = ctypes.cast(capsule_pointer(capsule), ctypes.POINTER(_Tensor))
    rename = ctypes.pythonapi.PyCapsule_SetName
    rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
    rename(capsule, b"used_dltensor")
    return tensor


def test_an_array_on_a_device_says_where_it_is(cuda):
    batch = next(iter(weir.parse(BATCHES)))
    image = batch["image"]
    assert isinstance(image, weir.DeviceArray)
    assert image.__dlpack_device__() == (2, 0)
    assert (image.shape, image.dtype, image.nbytes, image.device) == ((8000,), np.dtype("uint8"), 8000, "cuda:0")
    assert len(image) == 8000 and batch["label"].dtype == np.dtype("int64")
    assert "cuda:0" in repr(image)
    with pytest.raises(TypeError, match="found one on cuda:0"):
        np.asarray(image)


def test_streams_follow_the_protocol(cuda):
    image = next(iter(weir.parse(BATCHES)))["image"]
    for stream in (None, 1, 2, -1, cuda.fake_cuda_stream(0, 0)):
        assert capsule_pointer(image.__dlpack__(stream=stream))
    assert capsule_pointer(image.__dlpack__(stream=1, max_version=(1, 0)), b"dltensor_versioned")
    with pytest.raises(weir.Error, match="0 may mean either"):
        image.__dlpack__(stream=0)
    for stream in ("x", 1.0, True):
        with pytest.raises(TypeError, match="expected a stream"):
            image.__dlpack__(stream=stream)
    with pytest.raises(ValueError, match="expected a stream"):
        image.__dlpack__(stream=2**70)
    with pytest.raises(BufferError):
        image.__dlpack__(copy=True)
    with pytest.raises(BufferError):
        image.__dlpack__(dl_device=(1, 0))
    assert capsule_pointer(image.__dlpack__(dl_device=(2, 0), copy=False))


def test_a_consumer_that_deletes_early_reads_the_right_bytes(cuda):
    cuda.fake_cuda_schedule(1, ctypes.c_uint64(7))
    stream = cuda.fake_cuda_stream(0, 0)
    read = []
    for batch in weir.parse(BATCHES):
        tensor = take_over(batch["image"].__dlpack__(stream=stream))
        del batch
        out = (ctypes.c_uint8 * 8000)()
        pointer = ctypes.c_void_p(tensor.contents.data)
        cuda.fake_cuda_read(0, ctypes.c_void_p(stream), pointer, ctypes.c_size_t(8000), out)
        tensor.contents.deleter(ctypes.cast(tensor, ctypes.c_void_p))
        read.append(out)
    cuda.fake_cuda_finish()
    assert cuda.fake_cuda_trap() is None
    assert [set(out) for out in read] == [{i} for i in range(10)]


def test_elements_may_be_kept(cuda):
    kept = list(weir.parse(BATCHES))
    assert len({id(batch["image"]) for batch in kept}) == 10
    del kept
    gc.collect()
    cuda.fake_cuda_finish()
    assert cuda.fake_cuda_trap() is None
    assert cuda.fake_cuda_device_bytes() == 0


def test_the_device_is_looked_for_when_an_iterator_is_made(cuda):
    dataset = weir.range(3).to_device("cuda:9")
    with pytest.raises(weir.Error, match="expected the device cuda:9"):
        iter(dataset)


def test_who_reads_on_the_cpu_refuses_elements_of_a_device(cuda):
    pyarrow = pytest.importorskip("pyarrow")
    dataset = weir.range(6).map(lambda x: {"x": x, "twice": 2 * x}).to_device("cuda:0")
    with pytest.raises(weir.errors.InvalidArgument, match="read before to_device"):
        weir.digest(dataset)
    with pytest.raises(OSError, match="read before to_device"):
        pyarrow.table(dataset)


def test_positions_of_loaders_move_between_devices(cuda):
    pytest.importorskip("torch")

    def numbers(device):
        return weir.torch.loader(weir.range(20).shuffle(20, seed=1), device)

    expected = list(weir.range(20).shuffle(20, seed=1))
    for saved, found in ((None, "cuda:0"), ("cuda:0", None), ("cuda:0", "cuda:1")):
        loader, other = numbers(saved), numbers(found)
        element = next(loader._begin())
        assert isinstance(element, weir.DeviceArray) == (saved is not None)
        other.load_state_dict(loader.state_dict())
        left = list(other._begin())
        # As the position is: torch moves them.
        assert {isinstance(element, weir.DeviceArray) for element in left} == {saved is not None}
        assert len(left) == 19 and (saved or left == expected[1:])
        assert isinstance(next(other._begin()), weir.DeviceArray) == (found is not None)
