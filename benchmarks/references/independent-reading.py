"""Reads a file with Python's own modules: `csv FILE` prints rows as JSON, `text FILE ENCODING` its text."""
import csv
import json
import sys


def decoded(raw):
    for encoding in ("utf-8-sig", "cp1252", "mac_roman"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            pass
    return raw.decode("latin-1")


kind, path = sys.argv[1:3]
raw = open(path, "rb").read()
if kind == "text":
    sys.stdout.buffer.write(raw.decode(sys.argv[3], "replace").encode("utf-8", "replace"))
else:
    csv.field_size_limit(1 << 30)
    text = decoded(raw)
    try:
        delimiter = csv.Sniffer().sniff(text[:16384], ",;\t|").delimiter
    except csv.Error:
        delimiter = ","
    rows = [row for row in csv.reader(text.splitlines(True), delimiter=delimiter) if row]
    json.dump(rows, sys.stdout)
