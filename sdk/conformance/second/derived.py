"""What is made from documents and tapes, as docs/spec has it: bundles, envelopes and the metadata of tasks."""
import json
import re

from formats import (MOVED, NONE, PINNED, document_read, filled, fits, integer, known, moment, name_read, need, parsed,
                     parts, picked, section_of, sha256, uri_read, written)

TEXTS = {"understand_first": "Understand First", "waiting_for": "Waiting For",
         "left_running": "Running in the Background"}


def each(shape):
    return (NONE, lambda value: isinstance(value, list) and all(fits(one, shape) for one in value))


def inside(path):
    return filled(path) and path[0] not in "/~" and "\\" not in path and ".." not in path.split("/")


DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
BUNDLE = {"schema": "rip.handoff_context_bundle.v1", "summary_markdown": str, "refs": {
    "files": each({"path": inside}), "threads": each({"seq": (NONE, integer(0))}),
    "artifacts": each({"artifact_id": lambda text: isinstance(text, str) and DIGEST.fullmatch(text)})}}
ENVELOPE = {"type": "context_handoff", "from": filled, "to": filled,
            "timestamp": lambda text: moment(text) and text.endswith("Z"),
            "content": {"ownership": "transfer", "summary": filled, "tape_ref": filled,
                        "reason": (str, NONE), "intention": (dict, NONE)}}
EXTENSIONS = """md txt go mod sum py lean js ts tsx jsx mjs json jsonl yaml yml toml rs c h cc cpp hpp java kt
    rb sh bash lua vim nix hs ml sql html css xml csv ini cfg conf lock tex swift cs php ex exs
    erl zig proto tf vue ipynb svg png pdf log""".split()


def paths(text, bare=False):
    """The paths that a text names. A name without a folder counts only if it may be bare."""
    for token in re.split(r"[\s`\[\]()|]+", re.sub(r"`[^`\n]*[ ][^`\n]*`", " ", text)):
        m = re.fullmatch(r"([^#:]+)(#.*|:\d.*)?", token.lstrip("\"'*_<,;:").rstrip("\"'*_>.,;:!?"))
        if not m or re.search(r"[*{}<>$=\"'\\…]|\.\.\.", m[1]) or not inside(m[1]):
            continue
        name = re.search(r".\.([A-Za-z][A-Za-z0-9]{0,7})$", m[1])
        if m[1].startswith("specs/") or name and ("/" in m[1] or bare and name[1] in EXTENSIONS):
            yield m[1]


def bundle_of(path, text):
    front, body = parts(text)
    state, references = section_of(text, "Current State")[1], "\n".join(section_of(text, "References")[0])
    works = [item for item in state if re.match(r"\*\*(file|files)(:\*\*|\*\*:)", item, re.I)]
    files = {path: "handoff document"}
    for found, note in [(p, "current state") for item in works for p in paths(item, True)] \
            + [(p, "reference") for p in paths(references)]:
        files.setdefault(found, note)
    cut = dict(line.split(": ", 1) for line in front if ": " in line)
    threads = [{"thread_id": cut["thread"], "seq": int(cut["seq"]), "message_id": None, "note": "source cut"}
               ] if "thread" in cut else []
    ids = {found: "reference" for found in DIGEST.findall(references)}
    for name in PINNED.values():
        for m in filter(None, map(MOVED.fullmatch, section_of(text, name)[0])):
            ids.setdefault(m[2], "pinned items")
    artifacts = [{"artifact_id": found, "note": note} for found, note in ids.items()]
    return written({"schema": BUNDLE["schema"], "summary_markdown": "".join(line + "\n" for line in body), "refs": {
        "threads": threads, "artifacts": artifacts,
        "files": [{"path": found, "note": note} for found, note in files.items()]}})


def bundle_write(q):
    text = bundle_of(q["path"], q["text"])
    return {"id": sha256(text), "text": text}


def bundle_read(q):
    return {"schema": parsed(q["text"], BUNDLE)["schema"]}


def envelope_read(q):
    need(len(q["text"].encode()) <= 1 << 20)
    e = parsed(q["text"], ENVELOPE)
    need({"entry", "anchor"} & set(uri_read({"uri": e["content"]["tape_ref"]})))
    content = picked(e["content"], ("reason", "summary", "tape_ref", "intention", "ownership"))
    if "intention" in content:
        content["intention"] = picked(content["intention"], ("next_steps", "context_summary"))
    text = written({**picked(e, ("type", "from", "to", "timestamp")), "content": content}, ", ", ": ")
    return {"text": text, "digest": sha256(text)}


# Metadata

def once(pairs):
    need(len(dict(pairs)) == len(pairs))
    return dict(pairs)


def members(text, at):
    """Where the values of the object or list at an offset are, and where it ends."""
    found, i = {}, at + 1
    while True:
        i = re.compile(r"[\s,]*").match(text, i).end()
        if text[i] in "]}":
            return found, i
        name = len(found)
        if text[at] == "{":
            name, i = json.decoder.scanstring(text, i + 1)
            i = re.compile(r"[\s:]*").match(text, i).end()
        found[name] = (i, json.JSONDecoder().raw_decode(text, i)[1])
        i = found[name][1]


def put(text, path, value):
    """A JSON text with a value at a path, in the form of what is around it; all else stays as it is."""
    at = text.index("{")
    root, empty = re.match(r"\{(\r?\n)([ \t]+)", text[at:]), not members(text, at)[0]
    eol, unit = root.groups() if root else ("\n", "  ")
    for name in path[:-1]:
        at = members(text, at)[0][name][0]
    found, end = members(text, at)
    around = text[at:end + 1]
    if (root or empty) and (not found or "\n" in around):  # a line for each value
        close = eol + re.match(r"[ \t]*", text[text.rfind("\n", 0, at) + 1:])[0]
        shown = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", close + unit)
        first, comma, colon = close + unit, "," + close + unit, ": "
    else:
        blank = re.search(r'":( ?)', around + text + '": ')[1]  # as after the first name
        first, close, comma, colon = "", "", "," + blank, ":" + blank
        shown = written(value, comma, colon)
    if path[-1] in found:
        return text[:found[path[-1]][0]] + shown + text[found[path[-1]][1]:]
    label = written(path[-1]) + colon if text[at] == "{" else ""
    last = max((stop for _, stop in found.values()), default=at + 1)
    new = comma + label + shown if found else first + label + shown + close
    return text[:last] + new + text[last if found else end:]


def taken_up(meta, name, read):
    """Whether the metadata of a task or the document itself shows that a handoff does not wait."""
    stage = re.search(r"phase[ _-]*(\d+)", (meta.get("partial_progress") or {}).get("stage", "").lower())
    phase = int(re.match(r"\d*", name["phase"])[0] or 999999)
    return (meta.get("status") not in (None, "", "in_progress", "partial") or read["completion"]
            or meta.get("started_at", "") > (name["time"] or "~") or stage and int(stage[1]) > phase)


def metadata_sync(q):
    task, files, out = q["task"], q["files"], {"files": {}, "bundles": {}, "problems": []}
    at, folder = task + "/.return-meta.json", task + "/handoffs/"
    names = {path: name_read({"path": path}) for path in files if path.startswith(folder)}
    documents = sorted(names, key=lambda path: (names[path]["time"] or "", path))
    if at not in files or not documents:
        return out
    try:
        meta = json.loads(files[at], object_pairs_hook=once)
        need(isinstance(meta, dict))
    except ValueError:
        return out | {"problems": [at]}
    text, said, newest = files[at], meta.get("partial_progress") or {}, documents[-1]
    read = document_read({"text": files[newest]})
    if not taken_up(meta, names[newest], read):
        items = {name: "; ".join(section_of(files[newest], section)[1]) or None for name, section in TEXTS.items()}
        new = known(stage="context_exhaustion_handoff", details=read["next_action"], handoff_path=newest,
                    **picked(meta.get("metadata") or {}, ("phases_completed", "phases_total")), **items)
        if said.get("handoff_path") == newest and said.get("details"):
            del new["details"]
        text = put(text, ["status"], "partial")
        for name, value in new.items() if said else ():
            text = put(text, ["partial_progress", name], value)
        text = text if said else put(text, ["partial_progress"], new)
    text = text if "artifacts" in meta else put(text, ["artifacts"], [])
    outputs = [o.get("path") for o in meta.get("artifacts", [])]
    for path in documents:
        digest, phase = sha256(bundle_of(path, files[path])), names[path]["phase"]
        out["bundles"][path] = digest
        if path in outputs:
            text = put(text, ["artifacts", outputs.index(path), "bundle_artifact_id"], digest)
        else:
            summary = f"Handoff of phase {phase}: {document_read({'text': files[path]})['next_action']}"
            output = {"type": "handoff", "path": path, "summary": summary, "bundle_artifact_id": digest}
            text = put(text, ["artifacts", len(outputs)], output)
            outputs.append(path)
        progress = f"{task}/progress/phase-{phase}-progress.json"
        if progress in files:
            count = sum(name["phase"] == phase for name in names.values())
            out["files"][progress] = put(files[progress], ["handoff_count"], count)
    out["files"] |= {at: text} if text != files[at] else {}
    return out
