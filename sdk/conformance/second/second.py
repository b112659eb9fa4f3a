#!/usr/bin/env python3
"""A second implementation of the formats, written from docs/spec alone: it shares no code with
handoff, and needs nothing but Python 3.9 or newer. It answers the questions of the vectors:

    handoff conformance -- python3 second.py

A difference between it and handoff is a defect of one of the two, or a gap of the specification.
"""
import json
import sys

import derived
import formats

for line in sys.stdin:
    question = json.loads(line)
    name, answer = question["operation"].replace(".", "_"), {"id": question["id"]}
    do = getattr(formats, name, None) or getattr(derived, name, None)
    try:
        answer |= {"out": do(question["in"])} if do else {"unsupported": True}
    except ValueError:
        answer["out"] = {"error": "invalid"}
    print(json.dumps(answer), flush=True)
