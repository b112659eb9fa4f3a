"""Names, documents, receipts, threads and tapes, as docs/spec has them."""
import datetime
import functools
import hashlib
import json
import re
from urllib.parse import quote, unquote_to_bytes

UTC = datetime.timezone.utc
DEFAULT = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"  # of a question without a handoff
NONE = type(None)


def need(ok):
    """Refuses input that the format does not allow, as the readers of Python do."""
    if not ok:
        raise ValueError


def fits(value, shape):
    """Whether a JSON value has a shape: members, one of several shapes, a type, a test or a value."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(fits(value.get(name), inner) for name, inner in shape.items())
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, type):
        return type(value) is shape
    return bool(shape(value)) if callable(shape) else value == shape


def filled(value):
    return isinstance(value, str) and value != ""


def known(**members):
    """An object of the members that have a value."""
    return {name: value for name, value in members.items() if value is not None}


def picked(value, names):
    return known(**{name: value.get(name) for name in names})


def integer(low, high=2**63 - 1):
    return lambda value: type(value) is int and low <= value <= high


# JSON as the formats write it, and logs

def written(value, comma=",", colon=":"):
    return json.dumps(value, ensure_ascii=False, separators=(comma, colon))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def parsed(text, shape=None, strict=True):
    value = json.loads(text, parse_constant=(lambda _: need(False)) if strict else None)
    need(shape is None or fits(value, shape))
    return value


def lines_of(log, nul_is_torn=True):
    """The complete lines of a log, and where the torn one begins."""
    end = log.rfind("\n") + 1
    lines = log[:end].split("\n")[:-1]
    if nul_is_torn and end == len(log) and lines and (not lines[-1].strip() or "\0" in lines[-1]):
        end -= len(lines.pop()) + 1
    return [line.removesuffix("\r") for line in lines], end


def moment(text):
    form = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)"
    m = re.fullmatch(form, text if isinstance(text, str) else "")
    need(m)
    return datetime.datetime.fromisoformat(f"{m[1]}.{m[2] or '':0<6.6}{m[3].replace('Z', '+00:00')}").astimezone(UTC)


def stamp(t):
    """A time to the millisecond, without zeros at its end."""
    return re.sub(r"\.?0*\+00:00$", "Z", t.isoformat(timespec="milliseconds"))


# Names

FORMS = {  # what follows "handoff-": a day, a time of day, a zone
    "canonical": r"(\d{8})T(\d{6})(?:\.(?!00)\d\d)?(Z)", "no-zone": r"(\d{8})T(\d{6})", "digits": r"(\d{8})(\d{6})",
    "dashed": r"(\d{8})[-_](\d{6})", "minutes": r"(\d{8})T(\d{4})(Z?)", "date-only": r"(\d{8})"}
PHASE = r"0*[1-9]\d{0,5}[A-Z]?"


def time_in(day, clock="", zone=""):
    """A time of digits in the forms of RFC 3339, or None if there is no such time."""
    try:
        t = datetime.datetime.strptime(day + clock, "%Y%m%d" + "%H%M%S"[:len(clock)])
    except ValueError:
        return None
    return t.strftime("%Y-%m-%d" + {0: "", 4: "T%H:%M", 6: "T%H:%M:%S"}[len(clock)]) + zone


def name_read(q):
    m = re.fullmatch(r"(?:.*?/)??(?:(?:.*/)?(?:(\d+)_|(\d{3})-)([^/]+)/handoffs/(?:.*/)?)?([^/]*)", q["path"])
    out = {"class": "foreign", "task": int(m[1] or m[2] or 0), "slug": m[3] or "", "phase": "", "time": None}
    name = re.fullmatch(r"phase-(.+?)-handoff(?:-(.*))?\.md", m[4])
    if not name:
        return out | {"class": "ordinal" if re.match(r"\d{1,3}_", m[4]) else "foreign"}
    rest = name[2] or ""
    day = next(map(time_in, re.findall(r"(?<!\d)\d{8}", rest)), None)
    if not re.fullmatch(rf"{PHASE}|[A-Z]|\d+-\d+", name[1]):
        number = re.match(rf"({PHASE})-", name[1])
        return out | {"time": day, **({"class": "worded", "phase": number[1]} if number else {"class": "phase-less"})}
    out["phase"] = name[1]
    for kind, form in FORMS.items():
        f = re.fullmatch(form, rest)
        if f and time_in(*f.groups()):
            return out | {"class": kind, "time": time_in(*f.groups())}
    if re.fullmatch(r"\d{10}", rest):
        return out | {"class": "epoch", "time": stamp(datetime.datetime.fromtimestamp(int(rest), UTC))}
    return out | {"class": "suffixed" if day else "timeless", "time": day}


def name_write(q):
    need(1 <= q["phase"] <= 999999)
    return {"name": f"phase-{q['phase']}-handoff-{moment(q['time']):%Y%m%dT%H%M%SZ}.md"}


# URIs of tapes

PCHAR = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
URI = re.compile(rf"(?i:tape)://((?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{{2}})*)/({PCHAR}+)"
                 rf"(?:/entry/(-?(?:0|[1-9]\d*))|/anchor/((?:{PCHAR}|/)+))?")
SAFE = "!$&'()*+,;=:@"


def uri_read(q):
    m = URI.fullmatch(q["uri"])
    need(m)
    workspace, tape, entry, anchor = (part and unquote_to_bytes(part).decode() for part in m.groups())
    need(tape not in (".", "..") and not re.search(r"[\0-\x1f\x7f-\x9f]", tape))
    need(entry is None or -2**63 <= int(entry) < 2**63)
    return known(workspace=workspace, tape=tape, entry=entry and int(entry), anchor=anchor)


def uri_write(q):
    entry = f"/entry/{q['entry']}" if "entry" in q else ""
    anchor = "/anchor/" + quote(q["anchor"], SAFE) if "anchor" in q else ""
    return {"uri": "tape://" + quote(q["workspace"], "") + "/" + quote(q["tape"], SAFE) + entry + anchor}


# Marks

MARK = re.compile(r"(.*?)\s*\[(verified|unverified)(?::\s*(.*?))?\s*\]\.?", re.S)
WORD = re.compile(r"""(?:'[^']*'|"[^"$`\\]*"|[^\s'"|&;<>()$`\\*?\[\]{}!#~])+""")


def mark_read(q):
    m = MARK.fullmatch(q["item"])
    if not m:
        return {"text": q["item"], "mark": None}
    said = m[3] or ""
    if m[2] == "unverified":
        return {"text": m[1], "mark": known(verified=False, reason=said or None)}
    command = re.fullmatch(r"(.*?)(?:\s@([0-9a-f]{7,40}))?", re.sub(r"^`([^`]*)`", r"\1", said), re.S)
    words = WORD.findall(command[1])
    need(words and not WORD.sub("", command[1]).strip())
    words = [re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda part: (part[1] or "") + (part[2] or ""), word) for word in words]
    return {"text": m[1], "mark": known(verified=True, command=words, at=command[2])}


# Tapes

ENTRY = {"id": integer(-2**63), "kind": str, "payload": dict, "meta": (dict, NONE), "date": (str, int, float, NONE)}


def entries(log):
    rows, bad = [], []
    lines, end = lines_of(log, nul_is_torn=False)
    for number, line in enumerate(lines, 1):
        try:
            rows += [parsed(line, ENTRY, strict=False)] if line.strip() else []
        except ValueError:
            bad.append(number)
    return rows, bad, end


def tape_read(q):
    rows, bad, _ = entries(q["log"])
    ids, at = [e["id"] for e in rows], [i for i, e in enumerate(rows) if e["kind"] == "anchor"]
    anchors = [{"id": ids[i], "name": "-", "state": {}, **picked(rows[i]["payload"], ("name", "state"))} for i in at]
    return {"entries": ids, "anchors": anchors, "since_last_anchor": ids[at[-1] + 1 if at else 0:], "unreadable": bad}


def tape_append(q):
    need(isinstance(q["state"], dict))
    rows, _, end = entries(q["log"])
    log, next_id = q["log"] + ("\n" if end < len(q["log"]) else ""), max([e["id"] for e in rows], default=0) + 1
    date = moment(q["now"]).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
    first = [] if rows or log else [("session/start", {"owner": "human"})]
    for name, state in first + [(q["anchor"], q["state"])]:
        body = {"name": name, "state": state}
        for kind, payload in ("anchor", body), ("event", {"name": "handoff", "data": body}):
            entry = {"id": next_id, "kind": kind, "payload": payload, "meta": {}, "date": date}
            log += written(entry, ", ", ": ") + "\n"
            next_id += 1
    return {"log": log}


# Threads

FRAME = {"id": filled, "session_id": filled, "stream_id": filled, "stream_kind": "continuity",
         "timestamp_ms": integer(0), "seq": int, "type": str}
ACTOR = {"actor_id": str, "origin": str}
MEMBERS = {  # of a type, besides those of each frame
    "continuity_created": {"workspace": str},
    "continuity_message_appended": {**ACTOR, "content": str},
    "continuity_branched": {**ACTOR, "parent_thread_id": str, "parent_seq": int},
    "continuity_handoff_created": {**ACTOR, "from_thread_id": str, "from_seq": int}}


def frames(log):
    lines, end = lines_of(log)
    rows = [parsed(line, FRAME) for line in lines]
    for seq, f in enumerate(rows):
        need(f["seq"] == seq and f["session_id"] == f["stream_id"] == rows[0]["stream_id"])
        need(fits(f, MEMBERS.get(f["type"], {})))
    return rows, end


def thread_read(q):
    return {"events": [{"seq": f["seq"], "type": f["type"]} for f in frames(q["log"])[0]]}


def thread_post(q):
    rows, end = frames(q["log"])
    need(rows)
    thread, at = rows[0]["stream_id"], moment(q["now"])
    frame = {"id": f"00000000-0000-4000-8000-{1:012d}", "session_id": thread, "stream_kind": "continuity",
             "stream_id": thread, "timestamp_ms": int(at.timestamp()) * 1000 + at.microsecond // 1000,
             "seq": len(rows), "type": "continuity_message_appended",
             "actor_id": q["actor"], "origin": q["origin"], "content": q["content"]}
    return {"log": q["log"][:end] + written(frame) + "\n"}


# Receipts

STEPS = ("delivered", "acknowledged", "claimed", "renewed", "released", "expired", "done", "superseded")


def steps(log, handoff):
    lines, end = lines_of(log)
    rows = [parsed(line, {"step": STEPS, "handoff": handoff, "at": moment}) for line in lines]
    need([s.get("seq") for s in rows] == list(range(len(rows))))
    return rows, end


def lease_of(rows, now):
    """The state of a lease with these steps, its last claim, and whether it was acknowledged."""
    claim, state, acknowledged = None, "waiting", False
    for s in rows:
        state = s["step"]
        if state in ("claimed", "renewed"):
            until = min(moment(s["until"]), moment(s["at"]) + datetime.timedelta(days=31))
            claim = {"by": claim["by"] if claim else "", **s, "until": until}
        acknowledged = state == "acknowledged" or acknowledged and state not in ("claimed", "released", "expired")
        if state == "renewed" or state == "acknowledged" and claim and s.get("claim") == claim["claim"]:
            state = "claimed"
    if claim and claim["until"] > now + datetime.timedelta(days=32):
        claim["until"] = now
    return "expired" if state == "claimed" and now >= claim["until"] else state, claim, acknowledged


def public(claim):
    return claim and {"by": claim["by"], "token": claim["token"], "until": stamp(claim["until"])}


def receipts_read(q):
    rows = [s for s in steps(q["log"], q.get("handoff", DEFAULT))[0] if s.get("part") == q.get("part")]
    state, claim, acknowledged = lease_of(rows, moment(q["now"]))
    return {"state": state, "claim": public(claim), "acknowledged": acknowledged, "steps": len(rows)}


def branches(glob):
    """A glob without its braces, all that they stand for."""
    m = re.search(r"(?<!\\)\{((?:[^\\{}]|\\.)*)\}", glob)
    if not m:
        return [glob]
    return [b for one in re.split(r"(?<!\\),", m[1]) for b in branches(glob[:m.start()] + one + glob[m.end():])]


def units(glob):
    """A glob as units: whether it repeats, whether its characters are those excluded, and which they are."""
    out = []
    for m in re.finditer(r"(?:^|(?<=/))\*\*(?=/|$)|\*+|\?|\\(.)|\[([!^]?)((?:\\.|[^\]])+)\]|(.)", glob):
        spans = re.findall(r"(.)(?:-(.))?", m[3] or m[1] or m[4] or "")
        chars = {chr(c) for low, high in spans for c in range(ord(low), ord(high or low) + 1)}
        every, slash = m[0][0] == "*" and not m[1], m[0] == "**" and glob[m.end():m.end() + 1] in "/"
        out.append((every, not spans or bool(m[2]), frozenset(chars if slash or spans and not m[2] else chars | {"/"})))
    return tuple(out)


@functools.lru_cache(maxsize=None)
def meet(a, b):
    """Whether two lists of units match a common text."""
    if a and a[0][0] and meet(a[1:], b) or b and b[0][0] and meet(a, b[1:]) or not a and not b:
        return True
    if not a or not b or a[0][0] and b[0][0]:
        return False
    (more_a, not_a, of_a), (more_b, not_b, of_b) = a[0], b[0]
    common = not_a and not_b or (of_b - of_a if not_a else of_a - of_b if not_b else of_a & of_b)
    return bool(common) and meet(a if more_a else a[1:], b if more_b else b[1:])


def covered(glob):
    """The units of all that a glob covers: what it matches, and what is below that."""
    forms = {form for one in branches(glob) for form in (one, one.replace("**/", ""))}
    return [units(form + below) for form in forms for below in ("", "/**")]


def receipts_claim(q):
    handoff, part, now, force = q.get("handoff", DEFAULT), q.get("part"), moment(q["now"]), q.get("force")
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    rows, end = steps(q["log"], handoff)
    leases = {key: [s for s in rows if s.get("part") == key] for key in [part] + [s.get("part") for s in rows]}
    own, new = leases.pop(part), []
    state, claim, _ = lease_of(own, now)
    need(not force or q.get("why"))

    def add(step, of=part, **members):
        new.append(known(seq=len(rows) + len(new), at=stamp(now), step=step, handoff=handoff, part=of, **members))
    if state == "claimed" and not force:
        return {"refused": "held", "holder": public(claim)}
    if state in ("done", "superseded") and not force and not (part and state == "done"):
        return {"refused": "finished"}
    for other, log in leases.items() if part else ():
        theirs, held, _ = lease_of(log, now)
        ended = theirs not in ("claimed", "expired") or log[-1]["step"] == "expired"
        if ended or held["by"] == q["by"] or not any(meet(x, y) for x in covered(part) for y in covered(other)):
            continue
        if theirs == "claimed" and not force:
            return {"refused": "held", "holder": public(held)}
        why = q["why"] if theirs == "claimed" else "its lease had ended"
        add("released", other, by=q["by"], claim=held["claim"], token=held["token"], why=why)
    if state == "expired" and own[-1]["step"] != "expired":
        add("expired", by=claim["by"], claim=claim["claim"], token=claim["token"])
    token = max([s.get("token", 0) for s in rows], default=0) + 1
    until = stamp(now + datetime.timedelta(seconds=q["ttl_seconds"]))
    key = "0000" + sha256(handoff)[:12] if "//" in handoff else sha256(handoff)[:16]
    took = claim["claim"] if state == "claimed" else None
    why = q["why"] if force and state in ("claimed", "done", "superseded") else None
    add("claimed", by=q["by"], claim=f"{key}.{token}.{q['random']}", token=token, until=until, took=took, why=why)
    return {"log": q["log"][:end] + "".join(written(s) + "\n" for s in new)}


# Documents

NAMES = {name.lower(): name for name in (
    "Immediate Next Action", "Understand First", "Current State", "Waiting For", "Running in the Background",
    "Key Decisions Made", "Deviations from Plan", "What NOT to Try", "Critical Context", "References")}
NAMES |= {"current status": "Current State", "key decisions": "Key Decisions Made", "decisions": "Key Decisions Made"}
ANNOUNCES = ("next steps", "next step", "next phase", "next action")
MARKER = r"(?:[-*+]|\d{1,9}[.)])"


def plain(heading):
    return re.sub(r"\s*\([^)]*\)\s*$", "", heading).strip().rstrip(":").lower()


def kinds_of(lines):
    """What each line is: text, code, a comment or a heading with its level and text; and the open fence."""
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
            kinds.append((len(m[1]), m[2]))
        elif (m := re.match(r" {0,3}(=+|-+)[ \t]*$", line)) and kinds[-1:] == [("text",)] and lines[i - 1].strip():
            kinds[-1:] = (1 if m[1][0] == "=" else 2, lines[i - 1].strip()), ("underline",)
        else:
            kinds.append(("text",))
    return kinds, fence


def items_of(lines, kinds, indented=True):
    """The entries of the top-level lists, as written: nested lists are no part of them."""
    items, nested, blank, width = [], False, "", 0
    for line, kind in zip(lines, kinds):
        m = re.match(rf"{MARKER}[ \t]+(.*)", line)
        if kind != ("text",) or m:
            items += [m[1]] if m and kind == ("text",) else []
            nested, width = False, 0 if indented or not m else m.start(1)
        elif re.match(rf"\s+{MARKER}\s", line):
            nested = True
        elif items and not nested and line.startswith(" "):
            items[-1] += blank + "\n" + re.sub(rf"^ {{0,{width}}}", "", line)
        blank = "" if line.strip() else blank + "\n"
    return items


def labels_of(lines, kinds):
    found = [re.match(rf"(?:{MARKER} )?\*\*(.+?)(?::\*\*|\*\*:)[ \t]*(.*)", line)
             for line, kind in zip(lines, kinds) if kind == ("text",)]
    return [{"name": m[1], "value": m[2].strip()} for m in found if m]


def parts(text):
    """The lines of a frontmatter, and those after it."""
    lines = re.split(r"\r?\n", text)
    first = lines.index("---", 1) + 1 if lines[0] == "---" and "---" in lines[1:] else 0
    return lines[:first], lines[first:-1] if lines[-1] == "" else lines[first:]


def document_read(q):
    front, body = parts(q["text"])
    kinds, fence = kinds_of(body)
    problems = [i for i, line in enumerate(front[1:-1], 3)  # enough YAML for a reader that must not fail
                if line.count("[") != line.count("]") or line.count("{") != line.count("}")]
    problems += [len(front) + fence[1]] if fence else []
    title, heads, sections, texts = "", [], [], {}
    for i, kind in enumerate(kinds):
        bold = re.match(r"\*\*(.+?)\*\*(?=:|\s*$)", body[i]) if kind == ("text",) else None
        if kind[0] == 1 and not heads:
            title = title or kind[1]
        elif kind[0] == 2:
            heads.append((i, kind[1], i + 1 + (kinds[i + 1:i + 2] == [("underline",)]), []))
        elif bold and plain(bold[1]) in NAMES:
            rest = body[i][bold.end():].lstrip(":").strip()
            heads.append((i, bold[1], i + 1, [rest] if rest else []))
    for n, (i, heading, begin, rest) in enumerate(heads):
        end = heads[n + 1][0] if n + 1 < len(heads) else len(body)
        name, part = NAMES.get(plain(heading), "other"), (body[begin:end], kinds[begin:end])
        sections.append({"section": name, "heading": heading, "lines": [len(front) + i + 1, len(front) + end],
                         "items": items_of(*part), "labels": labels_of(*part)})
        if name == "Immediate Next Action" or plain(heading) in ANNOUNCES:
            texts.setdefault(name, "\n".join(rest + part[0]).strip("\n"))
    said = [title] + [label["value"] for label in labels_of(body, kinds) if label["name"].lower() == "status"]
    return {"title": title, "sections": sections, "problems": sorted(problems),
            "next_action": texts.get("Immediate Next Action", texts.get("other", "")),
            "completion": any(re.search(r"\bcomplete(d)?\b", s, re.I) for s in said)}


def section_of(text, name):
    """The lines of the first section of a name, and its items without the indentation of their list."""
    lines = next((s["lines"] for s in document_read({"text": text})["sections"] if s["section"] == name), (0, 0))
    lines = re.split(r"\r?\n", text)[lines[0]:lines[1]]
    return lines, items_of(lines, kinds_of(lines)[0], indented=False)


# Pinned items

PINNED = {"dead_ends": "What NOT to Try", "context": "Critical Context"}
SHOWN = ("section", "text", "id")
MOVED = re.compile(r"And (\d+) more: `[^`]*` \(artifact ([0-9a-f]{64})\)")


def identity(words):
    return re.sub(r"\s+", " ", re.sub(r"[*_`]", "", words)).strip().removesuffix(".").lower()


def pin(section, raw):
    """A pinned item, or one that retires another: `name` is what that one is called."""
    marked = MARK.fullmatch(raw)
    text = re.sub(r"\s+", " ", marked[1] if marked else raw).strip()
    m = re.fullmatch(r"~~(.*?)~~\s*(?:\((.*)\))?", text) or re.fullmatch(r"(?i:retired): (.*?)(?: - (.*))?", text)
    text, label = re.fullmatch(r"(.*?)(?:(?:^|\s)\^([\w-]+))?", m[1] if m else text).groups()
    return {"section": section, "raw": raw, "text": text, "id": label, "retires": bool(m),
            "reason": m and m[2], "identity": identity(text)}


def packed(section, raws):
    return written({"schema": "handoff.pinned_items.v1", "section": section, "items": raws}) + "\n"


def pins(text, artifacts):
    """The pinned items of a document, those in artifacts too, and the artifacts that are missing."""
    items, missing = [], []
    for section, name in PINNED.items():
        lines, raws = section_of(text, name)
        for m in filter(None, map(MOVED.fullmatch, lines)):
            stored = artifacts.get(m[2])
            if stored and sha256(stored) == m[2]:
                raws += parsed(stored)["items"]
            else:
                missing.append((section, int(m[1]), m[2]))
        items += [p for p in (pin(section, raw) for raw in raws) if p["identity"] != "none"]
    return items, missing


def pinned_pack(q):
    raws = [p["raw"] for p in pins(q["document"], {})[0] if p["section"] == q["section"] and not p["retires"]]
    need(raws)
    artifact = packed(q["section"], raws)
    return {"artifact": artifact, "line": f"And {len(raws)} more: `{q['command']}` (artifact {sha256(artifact)})"}


def pinned_compare(q):
    """What became of each item of a document in the next one."""
    artifacts = q.get("artifacts", {})
    old = [p for p in pins(q["before"], artifacts)[0] if not p["retires"]]
    after, missing = pins(q["after"], artifacts)
    inline = [p["raw"] for p in pins(q["after"], {})[0]]
    fates = [next((p for p in after if same(o, p)), None) for o in old]
    lost, gone = [i for i, found in enumerate(fates) if not found], []
    for section, count, digest in missing:
        own = [i for i in lost if old[i]["section"] == section]
        runs = [own[i:i + count] for i in range(len(own) - count + 1)]
        run = [r for r in runs if sha256(packed(section, [old[i]["raw"] for i in r])) == digest]
        gone += [] if run else [digest]
        for i in run[0] if run else ():
            fates[i] = old[i]
    out = []
    for o, p in zip(old, fates):
        kept = p and not p["retires"]
        out.append(known(fate="kept" if kept else "retired" if p else "lost", **picked(o, SHOWN),
                         reason=p and p["reason"], edited=kept and p["text"] != o["text"] or None,
                         moved=kept and p["raw"] not in inline or None))
    seen = [p["raw"] for p in fates if p]
    out += [{"fate": "new", **picked(p, SHOWN)} for p in after if p["raw"] not in seen and not p["retires"]]
    return {"fates": out, "missing": gone}


def same(o, p):
    """Whether an item of the next document is this one, or retires it."""
    names = {o["identity"]} | ({identity(o["text"].split(":")[0])} if p["retires"] else set())
    return o["id"] == p["id"] if o["id"] and p["id"] else p["identity"] in names
