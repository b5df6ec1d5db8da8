"""Runs manifest.yaml with airbyte-cdk, as Airbyte does: spec, check, discover, or read.

Usage: run.py (spec | check --config FILE | discover --config FILE | read --config FILE --catalog FILE [--state FILE])
"""

import pathlib
import sys

import yaml
from airbyte_cdk.entrypoint import AirbyteEntrypoint, launch
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource

manifest = yaml.safe_load(pathlib.Path(__file__).with_name("manifest.yaml").read_text(encoding="utf-8"))
given = AirbyteEntrypoint.parse_args(sys.argv[1:])


def read(option, read_file):
    path = getattr(given, option, None)
    return read_file(path) if path else None


source = ConcurrentDeclarativeSource(
    config=read("config", ConcurrentDeclarativeSource.read_config),
    catalog=read("catalog", ConcurrentDeclarativeSource.read_catalog),
    state=read("state", ConcurrentDeclarativeSource.read_state) or [],
    source_config=manifest,
)
launch(source, sys.argv[1:])
