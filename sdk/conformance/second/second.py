#!/usr/bin/env python3
"""A second implementation of the formats, written from docs/spec alone: it shares no code with
handoff, and needs nothing but Python 3.9 or newer. It answers the questions of the vectors:

    handoff conformance -- python3 second.py

A difference between it and handoff is a defect of one of the two, or a gap of the specification.
"""
import datetime
import hashlib
import json
import re
import sys
from urllib.parse import quote, unquote_to_bytes

INVALID = {"error": "invalid"}
UTC = datetime.timezone.utc
DEFAULT = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"  # of a question without a handoff


def need(ok):
    """Refuses input that the format does not allow, as the readers of Python do."""
    if not ok:
        raise ValueError


# JSON as the formats write it

def quoted(text):
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def written(value, comma=",", colon=":"):
    if isinstance(value, dict):
        return "{" + comma.join(quoted(k) + colon + written(v, comma, colon) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + comma.join(written(v, comma, colon) for v in value) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def parsed(text, strict=True):
    return json.loads(text, parse_constant=(lambda _: need(False)) if strict else None)


def lines_of(log, nul_is_torn=True):
    """The complete lines of a log, and where the torn one begins."""
    end = log.rfind("\n") + 1
    lines = log[:end].split("\n")[:-1]
    if nul_is_torn and end == len(log) and lines and (not lines[-1].strip() or "\0" in lines[-1]):
        end -= len(lines.pop()) + 1
    return [line.removesuffix("\r") for line in lines], end


def moment(text):
    m = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))", text if isinstance(text, str) else "")
    need(m)
    t = datetime.datetime.strptime(m[1], "%Y-%m-%dT%H:%M:%S").replace(microsecond=int(((m[2] or "") + "000000")[:6]), tzinfo=UTC)
    zone = datetime.timedelta(hours=int(m[4] or 0), minutes=int(m[5] or 0))
    return t + zone if m[3] == "-" else t - zone


def stamp(t):
    """A time to the millisecond, without digits that say nothing."""
    fraction = f"{t.microsecond // 1000:03d}".rstrip("0")
    return t.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"


# Names

FORMS = [  # class, form after "handoff-", and how the time is written
    ("canonical", r"(\d{8})T(\d{6})(?:\.(?!00)\d\d)?Z", "{}T{}Z"), ("no-zone", r"(\d{8})T(\d{6})", "{}T{}"),
    ("digits", r"(\d{8})(\d{6})", "{}T{}"), ("dashed", r"(\d{8})[-_](\d{6})", "{}T{}"),
    ("minutes", r"(\d{8})T(\d{4})(Z?)", "{}T{}{}"), ("epoch", r"(\d{10})", None), ("date-only", r"(\d{8})", "{}")]


def time_in(day, clock="", zone=""):
    """A time of digits in the forms of RFC 3339, or None if there is no such time."""
    try:
        t = datetime.datetime.strptime(day + clock, "%Y%m%d" + "%H%M%S"[:len(clock)])
    except ValueError:
        return None
    return t.strftime("%Y-%m-%d" + {0: "", 4: "T%H:%M", 6: "T%H:%M:%S"}[len(clock)]) + zone


def name_read(q):
    *folders, name = q["path"].split("/")
    task = slug = None
    for i in range(len(folders) - 1, 0, -1):
        m = re.fullmatch(r"(\d+)_(.+)|(\d{3})-(.+)", folders[i - 1])
        if folders[i] == "handoffs" and m:
            task, slug = int(m[1] or m[3]), m[2] or m[4]
            break
    out = {"class": "foreign", "task": task or 0, "slug": slug or "", "phase": "", "time": None}

    def day_of(text):
        return next(map(time_in, re.findall(r"(?<!\d)\d{8}", text)), None)
    m = re.fullmatch(r"phase-(.+?)-handoff(?:-(.*))?\.md", name)
    phase = m and re.fullmatch(r"(0*[1-9]\d{0,5}[A-Z]?|[A-Z]|\d+-\d+)", m[1])
    if not m:
        out["class"] = "ordinal" if re.match(r"\d\d?_", name) else "foreign"
    elif not phase:
        number = re.match(r"(0*[1-9]\d{0,5}[A-Z]?)-", m[1])
        out["class"], out["phase"] = ("worded", number[1]) if number else ("phase-less", "")
        out["time"] = day_of(m[2] or "")
    else:
        out["phase"], out["class"] = m[1], "timeless"
        for kind, form, _ in FORMS:
            f = re.fullmatch(form, m[2] or "")
            if f and kind == "epoch":
                out["class"], out["time"] = kind, stamp(datetime.datetime.fromtimestamp(int(f[1]), UTC))
            elif f and time_in(*f.groups()):
                out["class"], out["time"] = kind, time_in(*f.groups()) + ("Z" if kind == "canonical" else "")
            else:
                continue
            return out
        if day_of(m[2] or ""):
            out["class"], out["time"] = "suffixed", day_of(m[2])
    return out


def name_write(q):
    need(1 <= q["phase"] <= 999999)
    return {"name": f"phase-{q['phase']}-handoff-{moment(q['time']):%Y%m%dT%H%M%SZ}.md"}


# URIs of tapes

PCHAR = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"


def decoded(text):
    return unquote_to_bytes(text).decode()


def uri_read(q):
    m = re.fullmatch(rf"(?i:tape)://((?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{{2}})*)/({PCHAR}+)(?:/entry/(-?(?:0|[1-9]\d*))|/anchor/((?:{PCHAR}|/)+))?", q["uri"])
    need(m)
    out = {"workspace": decoded(m[1]), "tape": decoded(m[2])}
    need(out["tape"] not in (".", "..") and not re.search(r"[\0-\x1f\x7f-\x9f]", out["tape"]))
    if m[3]:
        out["entry"] = int(m[3])
        need(-2**63 <= out["entry"] < 2**63)
    if m[4]:
        out["anchor"] = decoded(m[4])
    return out


def uri_write(q):
    more = f"/entry/{q['entry']}" if "entry" in q else "/anchor/" + quote(q["anchor"], "!$&'()*+,;=:@") if "anchor" in q else ""
    return {"uri": "tape://" + quote(q["workspace"], "") + "/" + quote(q["tape"], "!$&'()*+,;=:@") + more}


# Marks

def words_of(command):
    """A command split as a shell would, if it needs no shell."""
    words, word, i = [], None, 0
    while i < len(command):
        c = command[i]
        if c in " \n\t":
            words, word = words + ([word] if word is not None else []), None
        elif c in "'\"":
            end = command.find(c, i + 1)
            need(end > 0 and not (c == '"' and re.search(r"[$`\\]", command[i:end])))
            word, i = (word or "") + command[i + 1:end], end
        else:
            need(c not in "|&;<>()$`\\*?[]{}!#~")
            word = (word or "") + c
        i += 1
    return words + ([word] if word is not None else [])


def mark_read(q):
    m = re.fullmatch(r"(.*?)\s*\[(verified|unverified)(?::\s*(.*?))?\s*\]\.?", q["item"], re.S)
    if not m:
        return {"text": q["item"], "mark": None}
    if m[2] == "unverified":
        return {"text": m[1], "mark": {"verified": False, **({"reason": m[3]} if m[3] else {})}}
    body = (m[3] or "").replace("`", "").strip() if (m[3] or "").count("`") == 2 and m[3].startswith("`") else m[3] or ""
    at = re.search(r"\s@([0-9a-f]{7,40})$", body)
    words = words_of(body[:at.start()] if at else body)
    need(words)
    return {"text": m[1], "mark": {"verified": True, "command": words, **({"at": at[1]} if at else {})}}


# Tapes

def entries(log):
    rows, bad = [], []
    lines, end = lines_of(log, nul_is_torn=False)
    for number, line in enumerate(lines, 1):
        try:
            for e in [parsed(line, strict=False)] if line.strip() else []:
                need(isinstance(e, dict) and type(e.get("id")) is int and -2**63 <= e["id"] < 2**63 and isinstance(e.get("kind"), str) and isinstance(e.get("payload"), dict))
                need(isinstance(e.get("meta") or {}, dict) and isinstance(e.get("date") or "", (str, int, float)))
                rows.append(e)
        except ValueError:
            bad.append(number)
    return rows, bad, end


def tape_read(q):
    rows, bad, _ = entries(q["log"])
    anchors = [{"id": e["id"], "name": e["payload"].get("name", "-"), "state": e["payload"].get("state", {})} for e in rows if e["kind"] == "anchor"]
    last = max((i for i, e in enumerate(rows) if e["kind"] == "anchor"), default=-1)
    return {"entries": [e["id"] for e in rows], "anchors": anchors, "since_last_anchor": [e["id"] for e in rows[last + 1:]], "unreadable": bad}


def tape_append(q):
    need(isinstance(q["state"], dict))
    rows, _, end = entries(q["log"])
    log = q["log"] + ("\n" if end < len(q["log"]) else "")
    at, next_id = moment(q["now"]).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00"), max([e["id"] for e in rows], default=0) + 1
    for name, state in ([] if rows or log else [("session/start", {"owner": "human"})]) + [(q["anchor"], q["state"])]:
        body = {"name": name, "state": state}
        for kind, payload in ("anchor", body), ("event", {"name": "handoff", "data": body}):
            log += written({"id": next_id, "kind": kind, "payload": payload, "meta": {}, "date": at}, ", ", ": ") + "\n"
            next_id += 1
    return {"log": log}


# Threads

REQUIRED = {  # members of a type, besides those of each frame
    "continuity_created": {"workspace": str}, "continuity_message_appended": {"actor_id": str, "origin": str, "content": str},
    "continuity_branched": {"parent_thread_id": str, "parent_seq": int, "actor_id": str, "origin": str},
    "continuity_handoff_created": {"from_thread_id": str, "from_seq": int, "actor_id": str, "origin": str}}


def frames(log):
    lines, end = lines_of(log)
    rows = []
    for line in lines:
        f = parsed(line)
        need(isinstance(f, dict) and f.get("seq") == len(rows) and f.get("stream_kind") == "continuity" and isinstance(f.get("type"), str))
        need(all(isinstance(f.get(k), str) and f[k] for k in ("id", "session_id", "stream_id")) and f["session_id"] == f["stream_id"])
        need(type(f.get("timestamp_ms")) is int and f["timestamp_ms"] >= 0 and (not rows or f["stream_id"] == rows[0]["stream_id"]))
        need(all(isinstance(f.get(k), kind) for k, kind in REQUIRED.get(f["type"], {}).items()))
        rows.append(f)
    return rows, end


def thread_read(q):
    return {"events": [{"seq": f["seq"], "type": f["type"]} for f in frames(q["log"])[0]]}


def thread_post(q):
    rows, end = frames(q["log"])
    need(rows)
    thread, at = rows[0]["stream_id"], moment(q["now"])
    frame = {"id": f"00000000-0000-4000-8000-{1:012d}", "session_id": thread, "stream_kind": "continuity", "stream_id": thread,
             "timestamp_ms": int(at.timestamp()) * 1000 + at.microsecond // 1000, "seq": len(rows), "type": "continuity_message_appended",
             "actor_id": q["actor"], "origin": q["origin"], "content": q["content"]}
    return {"log": q["log"][:end] + written(frame) + "\n"}


# Receipts

STEPS = ("delivered", "acknowledged", "claimed", "renewed", "released", "expired", "done", "superseded")


def key_of(handoff):
    digest = hashlib.sha256(handoff.encode()).hexdigest()
    return "0000" + digest[:12] if "//" in handoff else digest[:16]


def steps(log, handoff):
    lines, end = lines_of(log)
    rows = []
    for line in lines:
        s = parsed(line)
        need(isinstance(s, dict) and s.get("seq") == len(rows) and s.get("step") in STEPS and s.get("handoff") == handoff)
        moment(s.get("at"))
        rows.append(s)
    return rows, end


def lease_of(rows, now):
    """The last claim of the steps of one lease: its state, its holder, its end."""
    claim, state, acknowledged = None, "waiting", False
    for s in rows:
        state = s["step"]
        if state in ("claimed", "renewed"):
            until = min(moment(s["until"]), moment(s["at"]) + datetime.timedelta(days=31))
            claim = {"by": s.get("by", claim and claim["by"] or ""), "token": s["token"], "until": until, "claim": s["claim"], "at": moment(s["at"])}
            acknowledged = acknowledged and state == "renewed"
        elif state == "acknowledged":
            acknowledged = True
            state = "claimed" if claim and s.get("claim") == claim["claim"] else state
        elif state in ("released", "expired"):
            acknowledged = False
    state = "claimed" if state == "renewed" else state
    if claim and claim["until"] > now + datetime.timedelta(days=32):
        claim["until"] = now
    return "expired" if state == "claimed" and now >= claim["until"] else state, claim, acknowledged


def public(claim):
    return claim and {"by": claim["by"], "token": claim["token"], "until": stamp(claim["until"])}


def receipts_read(q):
    rows, _ = steps(q["log"], q.get("handoff", DEFAULT))
    rows = [s for s in rows if s.get("part") == q.get("part")]
    state, claim, acknowledged = lease_of(rows, moment(q["now"]))
    return {"state": state, "claim": public(claim), "acknowledged": acknowledged, "steps": len(rows)}


def branches(glob):
    """A glob without its braces: all that they stand for."""
    m = re.search(r"(?:[^\\{]|\\.)*?\{", glob)
    if not m:
        return [glob]
    depth, parts, start = 0, [], m.end()
    for i in range(m.end() - 1, len(glob)):
        c = glob[i]
        depth += (c == "{") - (c == "}")
        if (c == "," and depth == 1) or depth == 0:
            parts.append(glob[start:i])
            start = i + 1
        if depth == 0:
            return [b for p in parts for b in branches(glob[:m.end() - 1] + p + glob[i + 1:])]
    raise ValueError


def units(name):
    """A name of a glob as a list of sets of characters: None is a star."""
    out = []
    for m in re.finditer(r"\*+|\\(.)|\[([!^]?)((?:\\.|[^\]])+)\]|(.)", name):
        if m[0].startswith("*"):
            out.append(None)
        elif m[3]:
            chars = {chr(c) for lo, hi in re.findall(r"(.)(?:-(.))?", m[3]) for c in range(ord(lo), ord(hi or lo) + 1)}
            out.append((bool(m[2]), chars))
        else:
            out.append((True, set()) if m[0] == "?" else (False, {m[1] or m[4]}))
    return out


def meet(a, b):
    """Whether two lists of units match a common text."""
    if not a and not b:
        return True
    if (a and a[0] is None) or (b and b[0] is None):
        a, b = (a, b) if a and a[0] is None else (b, a)
        return meet(a[1:], b) or bool(b) and (meet(a, b[1:]) if b[0] is not None else meet(a, b[1:]))
    if not a or not b:
        return False
    (no_a, of_a), (no_b, of_b) = a[0], b[0]
    common = True if no_a and no_b else bool(of_a - of_b) if no_b else bool(of_b - of_a) if no_a else bool(of_a & of_b)
    return common and meet(a[1:], b[1:])


def cross(a, b):
    """Whether two paths of names cover a path in common: each covers what is below it, too."""
    if not a or not b:
        return True
    if a[0] == "**" or b[0] == "**":
        a, b = (a, b) if a[0] == "**" else (b, a)
        return cross(a[1:], b) or cross(a, b[1:]) if b else True
    return meet(units(a[0]), units(b[0])) and cross(a[1:], b[1:])


def overlap(a, b):
    return any(cross(x.split("/"), y.split("/")) for x in branches(a) for y in branches(b))


def receipts_claim(q):
    handoff, part, now = q.get("handoff", DEFAULT), q.get("part"), moment(q["now"])
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    rows, end = steps(q["log"], handoff)
    own = [s for s in rows if s.get("part") == part]
    state, claim, _ = lease_of(own, now)
    force, new, log = q.get("force"), [], q["log"][:end]
    need(not force or q.get("why"))

    def add(step, **members):
        new.append({"seq": len(rows) + len(new), "at": stamp(now), "step": step, "handoff": handoff, **({"part": part} if part else {}), **members})
    if state == "claimed" and not force:
        return {"refused": "held", "holder": public(claim)}
    if state in ("done", "superseded") and not force and not (part and state == "done"):
        return {"refused": "finished"}
    others = {s["part"]: [t for t in rows if t.get("part") == s["part"]] for s in rows if part and s["part"] != part}
    for other, log_of in others.items():
        theirs, held, _ = lease_of(log_of, now)
        if theirs not in ("claimed", "expired") or log_of[-1]["step"] == "expired" or held["by"] == q["by"] or not overlap(part, other):
            continue
        if theirs == "claimed" and not force:
            return {"refused": "held", "holder": public(held)}
        add("released", by=q["by"], claim=held["claim"], token=held["token"], why=q["why"] if theirs == "claimed" else "its lease had ended")
        new[-1]["part"] = other
    if state == "expired" and own[-1]["step"] != "expired":
        add("expired", by=claim["by"], claim=claim["claim"], token=claim["token"])
    token = max([s.get("token", 0) for s in rows], default=0) + 1
    until = now + datetime.timedelta(seconds=q["ttl_seconds"])
    took = {"took": claim["claim"]} if force and state == "claimed" else {}
    why = {"why": q["why"]} if force and (took or state in ("done", "superseded")) else {}
    add("claimed", by=q["by"], claim=f"{key_of(handoff)}.{token}.{q['random']}", token=token, until=stamp(until), **took, **why)
    return {"log": log + "".join(written(s) + "\n" for s in new)}


# Envelopes and bundles

def envelope_read(q):
    need(len(q["text"].encode()) <= 1 << 20)
    e = parsed(q["text"])
    c = e.get("content") if isinstance(e, dict) else None
    need(isinstance(c, dict) and e.get("type") == "context_handoff" and c.get("ownership") == "transfer" and str(e.get("timestamp")).endswith("Z"))
    need(all(isinstance(v, str) and v for v in (e.get("from"), e.get("to"), c.get("summary"), c.get("tape_ref"))) and moment(e["timestamp"]))
    need({"entry", "anchor"} & set(uri_read({"uri": c["tape_ref"]})))
    intention = c.get("intention")
    need(isinstance(c.get("reason", ""), str) and (intention is None or isinstance(intention, dict)))
    content = {k: c[k] for k in ("reason", "summary", "tape_ref", "intention", "ownership") if c.get(k) is not None}
    if intention is not None:
        content["intention"] = {k: intention[k] for k in ("next_steps", "context_summary") if k in intention}
    text = written({**{k: e[k] for k in ("type", "from", "to", "timestamp")}, "content": content}, ", ", ": ")
    return {"text": text, "digest": hashlib.sha256(text.encode()).hexdigest()}


def bundle_read(q):
    b = parsed(q["text"])
    need(isinstance(b, dict) and b.get("schema") == "rip.handoff_context_bundle.v1" and isinstance(b.get("summary_markdown"), str) and isinstance(b.get("refs"), dict))
    for f in b["refs"].get("files") or []:
        path = f.get("path")
        need(isinstance(path, str) and path and not path.startswith("/") and "\\" not in path and ".." not in path.split("/"))
    need(all(re.fullmatch(r"[0-9a-f]{64}", a.get("artifact_id", "")) for a in b["refs"].get("artifacts") or []))
    need(all(type(t.get("seq", 0)) is int and t.get("seq", 0) >= 0 for t in b["refs"].get("threads") or []))
    return {"schema": b["schema"]}


# Documents

NAMES = {s.lower(): s for s in ("Immediate Next Action", "Current State", "Key Decisions Made", "Deviations from Plan", "What NOT to Try", "Critical Context", "References")}
NAMES |= {"current status": "Current State", "key decisions": "Key Decisions Made", "decisions": "Key Decisions Made"}
ANNOUNCES = ("next steps", "next step", "next phase", "next action")


def plain(heading):
    return re.sub(r"\s*\([^)]*\)\s*$", "", heading).strip().rstrip(":").lower()


def blocks(lines, first):
    """What each line is: text, a heading (level, text), code or comment; and problems."""
    kinds, fence, comment = [], None, False
    for i, line in enumerate(lines):
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence:
            kinds.append(("code",))
            if mark and mark[1].startswith(fence[0]) and not line.strip().strip(mark[1][0]):
                fence = None
        elif comment or line.lstrip().startswith("<!--"):
            kinds.append(("comment",))
            comment = "-->" not in line
        elif mark:
            fence = (mark[1], i + 1)
            kinds.append(("code",))
        elif m := re.match(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", line):
            kinds.append(("heading", len(m[1]), m[2]))
        elif (m := re.match(r" {0,3}(=+|-+)[ \t]*$", line)) and kinds and kinds[-1] == ("text",) and lines[i - 1].strip():
            kinds[-1] = ("heading", 1 if m[1][0] == "=" else 2, lines[i - 1].strip())
            kinds.append(("underline",))
        else:
            kinds.append(("text",))
    return kinds, [first + fence[1]] if fence else []


def items_of(lines, kinds):
    """The entries of the top-level lists, as written: nested lists are no part of them."""
    items, nested = [], False
    for line, kind in zip(lines, kinds):
        m = re.match(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)", line) if kind == ("text",) else None
        if m:
            items.append(m[1])
            nested = False
        elif items and re.match(r"\s+(?:[-*+]|\d{1,9}[.)])\s", line):
            nested = True
        elif items and line.strip() and not nested and kind == ("text",) and line.startswith(" "):
            items[-1] += "\n" + line
    return items


def labels_of(lines, kinds):
    found = [re.match(r"(?:[-*+] |\d+[.)] )?\*\*(.+?)(?::\*\*|\*\*:)[ \t]*(.*)", line) for line, kind in zip(lines, kinds) if kind == ("text",)]
    return [{"name": m[1], "value": m[2].strip()} for m in found if m]


def document_read(q):
    lines, first, problems = re.split(r"\r?\n", q["text"]), 0, []
    if lines[-1] == "":
        lines.pop()
    if lines and lines[0] == "---" and "---" in lines[1:]:
        first = lines.index("---", 1) + 1
        front = enumerate(lines[1:first - 1], 3)  # enough YAML for a reader that must not fail
        problems = [i for i, line in front if line.count("[") != line.count("]") or line.count("{") != line.count("}")]
    body = lines[first:]
    kinds, more = blocks(body, first)
    problems += more
    title, heads = "", []
    for i, kind in enumerate(kinds):
        bold = re.match(r"\*\*(.+?)\*\*(?=:|\s*$)", body[i]) if kind == ("text",) else None
        if kind[0] == "heading" and kind[1] == 1 and not heads:
            title = title or kind[2]
        elif kind[0] == "heading" and kind[1] == 2:
            heads.append((i, kind[2], i + 1 + (i + 1 < len(kinds) and kinds[i + 1] == ("underline",)), ""))
        elif bold and plain(bold[1]) in NAMES:
            heads.append((i, bold[1], i + 1, body[i][bold.end():].lstrip(":").strip()))
    out, texts = [], []
    for n, (i, heading, begin, rest) in enumerate(heads):
        end = heads[n + 1][0] if n + 1 < len(heads) else len(body)
        part, of = body[begin:end], kinds[begin:end]
        out.append({"section": NAMES.get(plain(heading), "other"), "heading": heading, "lines": [first + i + 1, first + end],
                    "items": items_of(part, of), "labels": labels_of(part, of)})
        texts.append("\n".join([rest] * bool(rest) + part).strip("\n"))
    wanted = [t for s, t in zip(out, texts) if s["section"] == "Immediate Next Action"] + [t for s, t in zip(out, texts) if plain(s["heading"]) in ANNOUNCES]
    said = [title] + [label["value"] for label in labels_of(body, kinds) if label["name"].lower() == "status"]
    return {"title": title, "sections": out, "next_action": wanted[0] if wanted else "", "problems": sorted(problems),
            "completion": any(re.search(r"\bcomplete(d)?\b", s, re.I) for s in said)}


OPERATIONS = {name.replace("_", ".", 1): do for name, do in list(globals().items()) if re.fullmatch(r"[a-z]+_(read|write|append|post|claim)", name)}


def main():
    for line in sys.stdin:
        question = json.loads(line)
        do, answer = OPERATIONS.get(question["operation"]), {"id": question["id"]}
        try:
            answer |= {"out": do(question["in"])} if do else {"unsupported": True}
        except ValueError:
            answer["out"] = INVALID
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
