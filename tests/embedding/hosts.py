"""The hosts in Python: what each does as an operation of its own, `operate`, and with weir's elements: `take` makes
matrices of its own kind of them, and `multiply` works on one. Results are bytes; numbers are whole, so that sums are exact
in any order, but for those too small to be normal, which another floating-point mode would make zero. Modules are imported
where they are used: tools/test-embedding reads the names without any of them. `job` is the host's example in
examples/digits."""

import gzip
import io
import os
import zlib

SIZE = 96
FOLDER = os.environ.get("WEIR_FOLDER", ".")


def whole_numbers(block=0):
    import numpy
    return ((numpy.arange(SIZE * SIZE).reshape(SIZE, SIZE) + block * SIZE * SIZE) * 7919 % 13 - 6).astype(numpy.float32)


def subnormal():
    import numpy
    return numpy.full(4, 3e-39, numpy.float32)


class Host:
    """What hosts have in common: an array of weir's is an array of theirs."""

    job = None

    def take(self, dataset):
        return iter(dataset)

    def multiply(self, x):
        return (x @ x).tobytes()


class Numpy(Host):
    module = "numpy"
    job = "digits.py"

    def operate(self):
        import numpy
        x = whole_numbers()
        return (x @ x).tobytes() + numpy.sort(x, axis=None).tobytes() + (subnormal() / 2).tobytes()


class Tensorflow(Host):
    module = "tensorflow"
    job = "digits_tf.py"

    def take(self, dataset):
        import weir
        return iter(weir.tf.dataset(dataset))

    def multiply(self, x):
        import tensorflow as tf
        return tf.linalg.matmul(x, x).numpy().tobytes()

    def operate(self):
        import tensorflow as tf
        x = tf.constant(whole_numbers())
        record = tf.train.Example(features=tf.train.Features(feature={
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})).SerializeToString()
        dataset = tf.data.Dataset.range(100).map(lambda i: i * i, num_parallel_calls=2).batch(10).prefetch(2)
        return b"".join([
            tf.linalg.matmul(x, x).numpy().tobytes(),
            b"".join(batch.numpy().tobytes() for batch in dataset),
            tf.io.parse_single_example(record, {"label": tf.io.FixedLenFeature([], tf.int64)})["label"].numpy().tobytes(),
            tf.io.decode_jpeg(tf.io.encode_jpeg(tf.fill([16, 16, 3], tf.constant(77, tf.uint8)))).numpy().tobytes(),
            tf.io.decode_png(tf.io.encode_png(tf.fill([16, 16, 3], tf.constant(77, tf.uint8)))).numpy().tobytes(),
            tf.io.decode_gif(tf.io.read_file(f"{FOLDER}/tests/conformance/data_expr/three.gif")).numpy().tobytes(),
            tf.io.decode_compressed(zlib.compress(b"the host's own"), "ZLIB").numpy(),
            b"".join(name.numpy() for name in tf.data.experimental.SqlDataset(
                "sqlite", f"{FOLDER}/tests/conformance/data/small.sqlite", "select name from people order by id",
                tf.string)),
            tf.strings.regex_replace("2024-01-31", r"(\d+)-(\d+)", r"\2/\1").numpy(),
            (tf.constant(subnormal()) / 2).numpy().tobytes()])


class Torch(Host):
    module = "torch"
    job = "digits_torch.py"

    def take(self, dataset):
        import weir
        return iter(weir.torch.loader(dataset))

    def multiply(self, x):
        import torch
        x = torch.as_tensor(x)
        return (x @ x).numpy().tobytes()

    def operate(self):
        import torch
        x = torch.from_numpy(whole_numbers())
        loader = torch.utils.data.DataLoader(torch.arange(100), batch_size=10, shuffle=False)
        image = x.reshape(1, 1, SIZE, SIZE)
        return b"".join([
            (x @ x).numpy().tobytes(),
            torch.nn.functional.conv2d(image, torch.ones(2, 1, 3, 3)).numpy().tobytes(),
            torch.sort(x.flatten()).values.numpy().tobytes(),
            b"".join(batch.numpy().tobytes() for batch in loader),
            (torch.from_numpy(subnormal()) / 2).numpy().tobytes()])


class Jax(Host):
    module = "jax"
    job = "digits_jax.py"

    def take(self, dataset):
        import weir
        return weir.jax.arrays(dataset)

    def multiply(self, x):
        import jax
        import numpy
        return numpy.asarray(jax.jit(lambda a: a @ a)(x)).tobytes()

    def operate(self):
        import jax
        import numpy
        x = jax.numpy.asarray(whole_numbers())
        return numpy.asarray(jax.jit(lambda a: a @ a + a.sum(axis=0))(x)).tobytes()


class Pyarrow(Host):
    module = "pyarrow"

    def take(self, dataset):
        import pyarrow
        table = pyarrow.table(dataset.map(lambda matrix: {"matrix": matrix}))
        return (row for chunk in table["matrix"].chunks for row in chunk)

    def multiply(self, x):
        import numpy
        import pyarrow
        import pyarrow.compute
        flat = pyarrow.array(x.ravel()) if isinstance(x, numpy.ndarray) else x.values.flatten()
        return pyarrow.compute.multiply(flat, flat).to_numpy().tobytes()

    def operate(self):
        import numpy
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
        table = pyarrow.table({"i": range(1000), "s": [f"row {i}" for i in range(1000)]})
        written = io.BytesIO()
        pyarrow.parquet.write_table(table, written, compression="gzip")
        read = pyarrow.parquet.read_table(io.BytesIO(written.getvalue()))
        text = pyarrow.compute.replace_substring_regex(read["s"], r"(\d)(\d*)", r"\2-\1")
        lines = pyarrow.csv.read_csv(io.BytesIO(b"a,b\n" + b"1,2.5\n" * 1000))
        half = pyarrow.compute.divide(pyarrow.array(subnormal()), numpy.float32(2))
        return repr((text.to_pylist(), pyarrow.compute.sum(lines["b"]).as_py(), half.to_pylist(),
                     gzip.compress(b"x" * 1000, mtime=0))).encode()


class Onnxruntime(Host):
    module = "onnxruntime"
    session = None

    def operate(self):
        return self.multiply(whole_numbers())

    def multiply(self, x):
        import onnx
        import onnxruntime
        if self.session is None:
            given, made = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [SIZE, SIZE]) for name in "xy")
            graph = onnx.helper.make_graph([onnx.helper.make_node("MatMul", ["x", "x"], ["p"]),
                                            onnx.helper.make_node("Relu", ["p"], ["y"])], "host", [given], [made])
            model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
            self.session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return self.session.run(None, {"x": x})[0].tobytes()


HOSTS = {"NumPy": Numpy, "TensorFlow": Tensorflow, "PyTorch": Torch, "JAX": Jax, "pyarrow": Pyarrow,
         "ONNX Runtime": Onnxruntime}
