"""Reads what bench/remote/remote.py --peers serves, through s3fs, and prints the seconds from the first byte to the last.

    s3_peers.py tf_data|webdataset ENDPOINT URL…

tf.data has no file system for s3:// in its own wheels, so that it reads from a generator over s3fs, which takes TFRecords
apart. webdataset opens its shards through s3fs too.
"""

import os
import struct
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import s3fs


def store(endpoint):
    return s3fs.S3FileSystem(anon=True, endpoint_url=endpoint, client_kwargs={"region_name": "us-east-1"})


def tf_data(endpoint, urls):
    import tensorflow as tf

    files = store(endpoint)

    def records():
        for url in urls:
            with files.open(url, "rb", fill_cache=False) as file:
                while head := file.read(12):
                    yield file.read(struct.unpack("<Q", head[:8])[0])
                    file.read(4)

    return tf.data.Dataset.from_generator(records, output_signature=tf.TensorSpec([], tf.string)).prefetch(tf.data.AUTOTUNE)


def webdataset(endpoint, urls):
    import webdataset as wds

    files = store(endpoint)
    wds.gopen_schemes["s3"] = lambda url, mode="rb", bufsize=8192, **rest: files.open(url, "rb")
    return wds.WebDataset(urls, shardshuffle=False)


def main():
    peer, endpoint, *urls = sys.argv[1:]
    dataset = {"tf_data": tf_data, "webdataset": webdataset}[peer](endpoint, urls)
    began = time.monotonic()
    count = sum(1 for _ in dataset)
    print(count, time.monotonic() - began)


if __name__ == "__main__":
    main()
