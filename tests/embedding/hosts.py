"""The hosts in Python: what each does as an operation of its own. Results are bytes; numbers are whole, so that sums
are exact in any order, but for those too small to be normal, which another floating-point mode would make zero. Modules
are imported where they are used: tools/test-embedding reads the names without any of them."""

import gzip
import io

SIZE = 96


def whole_numbers():
    import numpy
    return (numpy.arange(SIZE * SIZE).reshape(SIZE, SIZE) * 7919 % 13 - 6).astype(numpy.float32)


def subnormal():
    import numpy
    return numpy.full(4, 3e-39, numpy.float32)


class Numpy:
    module = "numpy"

    def operate(self):
        import numpy
        x = whole_numbers()
        return (x @ x).tobytes() + numpy.sort(x, axis=None).tobytes() + (subnormal() / 2).tobytes()


class Tensorflow:
    module = "tensorflow"

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
            tf.strings.regex_replace("2024-01-31", r"(\d+)-(\d+)", r"\2/\1").numpy(),
            (tf.constant(subnormal()) / 2).numpy().tobytes()])


class Torch:
    module = "torch"

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


class Jax:
    module = "jax"

    def operate(self):
        import jax
        import numpy
        x = jax.numpy.asarray(whole_numbers())
        return numpy.asarray(jax.jit(lambda a: a @ a + a.sum(axis=0))(x)).tobytes()


class Pyarrow:
    module = "pyarrow"

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


class Onnxruntime:
    module = "onnxruntime"
    session = None

    def operate(self):
        import onnx
        import onnxruntime
        if self.session is None:
            x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [SIZE, SIZE])
            y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [SIZE, SIZE])
            graph = onnx.helper.make_graph([onnx.helper.make_node("MatMul", ["x", "x"], ["p"]),
                                            onnx.helper.make_node("Relu", ["p"], ["y"])], "host", [x], [y])
            model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
            self.session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return self.session.run(None, {"x": whole_numbers()})[0].tobytes()


HOSTS = {"NumPy": Numpy, "TensorFlow": Tensorflow, "PyTorch": Torch, "JAX": Jax, "pyarrow": Pyarrow,
         "ONNX Runtime": Onnxruntime}
