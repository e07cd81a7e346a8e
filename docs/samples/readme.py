import weir
from weir import fn


def decode(example):
    return {"image": fn.cast(fn.decode_raw(example.image, "uint8"), "float32") / 255.0, "label": example.label}


batches = (
    weir.list_files("examples/digits/data/train-*.tfrecord.gz", seed=1)
    .interleave(lambda file: weir.tfrecord(file, compression="gzip"), cycle_length=4)
    .map(lambda record: fn.parse_example(record, {"image": "string", "label": "int64"}), num_parallel_calls="auto")
    .map(decode, num_parallel_calls="auto")
    .shuffle(1000, seed=2)
    .batch(32)
    .prefetch("auto")
)
for batch in batches:
    print(batch["image"].shape, batch["label"][:8])
