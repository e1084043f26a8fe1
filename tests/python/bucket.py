"""Serves S3 on a loopback port, with the files below a folder in bucket `tickets`, until standard input closes.

    python bucket.py FOLDER        prints the address once it serves
"""

import pathlib
import sys

import boto3
from moto.server import ThreadedMotoServer


def main(folder):
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    client = boto3.client("s3", endpoint_url=address, aws_access_key_id="key", aws_secret_access_key="secret",
                          region_name="us-east-1")
    client.create_bucket(Bucket="tickets")
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            client.upload_file(str(path), "tickets", path.relative_to(folder).as_posix())
    print(address, flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
