#!/usr/bin/env python3
"""A provider of NDKPI in memory, for ndkrecord --provider exec:. docs/exec-provider.md has the protocol.

Two queue pairs that are connected move the consumer's real bytes. The environment variable NDK_SEEDED_BUG switches on a fault as they are met in the
field, of those that --bugs lists: tracecheck finds each in what ndkrecord records.
"""

import base64
import json
import os
import sys

BUGS = {
    "last-arm-wins", "second-arm-dropped", "no-fire-at-arm", "fire-again-for-reported", "two-callbacks-one-arm", "callback-never-armed",
    "solicit-bit-ignored", "error-not-solicited", "duplicate-completion", "swap-completions", "silent-failure-lost", "flush-misses-last",
    "refused-post-no-doorbell", "overflow-continues", "token-survives-plain-poll", "wrong-invalidated-token", "bad-token-accepted",
}
BUG = os.environ.get("NDK_SEEDED_BUG", "")

OK, CANCELLED, VIOLATION = "STATUS_SUCCESS", "STATUS_CANCELLED", "STATUS_ACCESS_VIOLATION"
INVALID, REFUSED, FULL = "STATUS_INVALID_PARAMETER", "STATUS_CONNECTION_INVALID", "STATUS_INSUFFICIENT_RESOURCES"
STRENGTH = {"ERRORS": 1, "SOLICITED": 2, "ANY": 3}  # of arms (ARM-07)


class Wire:
    """Calls both ways, a line each."""

    def __init__(self):
        self.last, self.backlog, self.on_answer = 0, [], {}

    def write(self, message):
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def call(self, method, params, then=None):
        """Calls the consumer. then is called when it has answered."""
        self.last += 1
        self.on_answer[self.last] = then or (lambda result: None)
        self.write({"id": self.last, "method": method, "params": params})
        return self.last

    def ask(self, method, params):
        """Calls the consumer, and waits for its answer. What comes meanwhile is taken afterwards."""
        answers = []
        self.call(method, params, answers.append)
        while not answers:
            message = json.loads(sys.stdin.readline())
            if "method" in message:
                self.backlog.append(message)
            else:
                self.answered(message)
        return answers[0]

    def answered(self, message):
        if "error" in message:
            sys.exit("the consumer: " + message["error"]["message"])
        self.on_answer.pop(message["id"])(message["result"])

    def next(self):
        """Returns the next call of the consumer, or None at the end."""
        while not self.backlog:
            line = sys.stdin.readline()
            if not line:
                return None
            message = json.loads(line)
            if "method" in message:
                return message
            self.answered(message)
            if PROVIDER:
                PROVIDER.progress()
        return self.backlog.pop(0)


WIRE, PROVIDER = Wire(), None


class Cq:
    def __init__(self, name, depth):
        self.name, self.depth = name, depth
        self.entries, self.fresh = [], 0  # how many of the last were placed since the last callback
        self.arm, self.twice = 0, False
        self.due, self.running = 0, False
        self.failed, self.error_due = False, False
        self.closing = self.closed = False

    def matches(self, entry):
        failed = entry["status"] != OK
        if self.arm == STRENGTH["SOLICITED"]:
            return entry["solicited"] and BUG != "solicit-bit-ignored" or failed and BUG != "error-not-solicited"
        return self.arm == STRENGTH["ANY"]

    def satisfy(self):
        if BUG == "two-callbacks-one-arm" and not self.twice:
            self.twice = True  # and the arm stays
        else:
            self.arm, self.twice = 0, False
        self.due = max(self.due, 1)

    def arms(self, strength):
        if self.closing:
            return
        if self.arm and BUG == "second-arm-dropped":
            pass
        elif BUG == "last-arm-wins":
            self.arm = strength
        else:
            self.arm = max(self.arm, strength)
        fresh = self.entries[len(self.entries) - self.fresh:]
        if self.failed:
            self.arm, self.error_due = 0, self.failed != "reported"
        elif any(self.matches(e) for e in fresh) and BUG != "no-fire-at-arm":
            self.satisfy()
        elif BUG == "fire-again-for-reported" and self.arm == STRENGTH["ANY"] and not self.entries and self.reported:
            self.satisfy()

    reported = False

    def place(self, entry):
        if self.failed or self.closed:
            return
        if len(self.entries) == self.depth:
            if BUG == "overflow-continues":
                return
            self.failed = "unreported"
            if self.arm:
                self.arm, self.error_due = 0, True
            for qp in PROVIDER.qps.values():
                if self in (qp.send_cq, qp.receive_cq):
                    qp.break_down()
            return
        self.entries.append(entry)
        if BUG == "duplicate-completion" and entry["wr"].endswith("7") and len(self.entries) < self.depth:
            self.entries.append(dict(entry))
        if BUG == "swap-completions" and len(self.entries) > 1 and self.entries[-2]["queue"] is entry["queue"]:
            self.entries[-2:] = [self.entries[-1], self.entries[-2]]
        self.fresh += 1
        if self.arm and self.matches(entry):
            self.satisfy()
        elif not self.arm and BUG == "callback-never-armed":
            self.due = 1

    def call_back(self):
        """Enters the callback that is owed, unless one runs (ARM-06). Nothing in the CQ is fresh from here on (ARM-05)."""
        if self.running or self.closed or not (self.due or self.error_due):
            return False
        status = OK
        if self.due:
            self.due -= 1
        else:
            status, self.error_due, self.failed = "STATUS_BUFFER_OVERFLOW", False, "reported"
        self.fresh, self.running, self.reported = 0, True, True
        WIRE.call("NdkCqNotificationCallback", {"cq": self.name, "status": status}, lambda _: self.returned())
        return True

    def returned(self):
        self.running = False

    def poll(self, room, extended):
        taken, self.entries = self.entries[:room], self.entries[room:]
        self.fresh = min(self.fresh, len(self.entries))
        results = []
        for e in taken:
            r = {k: e[k] for k in ("wr", "qp", "status", "bytes")}
            if extended:
                r["type"] = e["type"]
                if "token" in e:
                    if BUG == "token-survives-plain-poll":
                        PROVIDER.tokens.pop(e["token"], None)
                    r["token"] = e["token"] + (1 if BUG == "wrong-invalidated-token" else 0)
            results.append(r)
        return results


class Qp:
    def __init__(self, name, p):
        self.name, self.peer, self.broken, self.closed = name, None, False, False
        self.send_cq, self.receive_cq = PROVIDER.cqs[p["initiator_cq"]], PROVIDER.cqs[p["receive_cq"]]
        self.send_depth, self.receive_depth, self.inline = p["initiator_depth"], p["receive_depth"], p["inline"]
        self.sends, self.receives, self.indicated = [], [], 0

    def post(self, method, p):
        flags = p.get("flags") or []
        status = OK
        if self.peer is None or self.broken:
            status = REFUSED
        elif len(self.sends) >= self.send_depth:
            status = FULL
        elif len(base64.b64decode(p.get("data") or "")) > self.inline or not PROVIDER.in_regions(p.get("sgl") or []):
            status = INVALID
        elif method in ("NdkFastRegister", "NdkBind"):
            PROVIDER.name_region(p)
        if status == OK:
            self.sends.append({"method": method, "flags": flags, **p, "dies": PROVIDER.named.get(p.get("mr") or p.get("mw"))})
        if not (status == OK and "DEFER" in flags or status != OK and BUG == "refused-post-no-doorbell"):
            self.indicated = len(self.sends)
        return status

    def receive(self, p):
        if self.closed or len(self.receives) >= self.receive_depth:
            return FULL
        if self.broken:
            return REFUSED
        if not PROVIDER.in_regions(p.get("sgl") or []):
            return INVALID
        self.receives.append(p)
        return OK

    def step(self):
        """Executes one request, if one can be."""
        if not self.indicated or self.closed:
            return False
        r, peer = self.sends[0], self.peer
        message = r["method"] in ("NdkSend", "NdkSendAndInvalidate")
        if message and not peer.receives:
            return False
        self.sends.pop(0)
        self.indicated -= 1
        if not self.execute(r, peer, message):
            self.complete(r, VIOLATION)
            self.break_down()
            peer.break_down()
            return True
        self.complete(r, OK)
        return True

    def execute(self, r, peer, message):
        method, sgl = r["method"], r.get("sgl") or []
        if message or method == "NdkWrite":
            data = base64.b64decode(r["data"]) if "INLINE" in r["flags"] else PROVIDER.read(sgl)
            if data is None:
                return False
            if not message:
                return PROVIDER.write_at(r["remote_address"], r["remote_token"], data)
            return self.deliver(r, peer, data)
        if method == "NdkRead":
            data = PROVIDER.read([{"address": r["remote_address"], "length": sum(s["length"] for s in sgl), "token": r["remote_token"]}])
            return data is not None and PROVIDER.write(sgl, data)
        if method == "NdkInvalidate":
            return PROVIDER.tokens.pop(r["dies"], None) is not None
        region = r["region"]  # NdkFastRegister, NdkBind
        PROVIDER.tokens[region["token"]] = region
        return True

    def deliver(self, r, peer, data):
        if "token" in r and BUG != "bad-token-accepted":
            if not PROVIDER.tokens.get(r["token"], {}).get("revocable"):
                return False  # and the receive is cancelled with the connection (INV-05)
        taken = peer.receives.pop(0)
        if not PROVIDER.write(taken.get("sgl") or [], data):
            peer.completed(taken["wr"], VIOLATION, "Receive")
            return False
        extra = {"bytes": len(data), "solicited": "SEND_AND_SOLICIT_EVENT" in r["flags"]}
        if "token" in r:
            if BUG != "token-survives-plain-poll":
                PROVIDER.tokens.pop(r["token"], None)
            extra["token"] = r["token"]
        peer.completed(taken["wr"], OK, "ReceiveAndInvalidate" if "token" in r else "Receive", **extra)
        return True

    def complete(self, r, status):
        """Places the completion of an initiator request, unless it is silent (FLAG-01)."""
        silent = "SILENT_SUCCESS" in r["flags"]
        if silent and (status == OK or BUG == "silent-failure-lost"):
            return
        kind = "Send" if r["method"] == "NdkSendAndInvalidate" else r["method"].removeprefix("Ndk")
        self.completed(r["wr"], status, kind)

    def completed(self, wr, status, kind, **extra):
        receive = kind.startswith("Receive")
        cq = self.receive_cq if receive else self.send_cq
        entry = {"wr": wr, "qp": self.name, "status": status, "type": kind, "bytes": 0, "solicited": False,
                 "queue": self.receives if receive else self.sends, **extra}
        cq.place(entry)

    def break_down(self):
        """Cancels what is pending (FLUSH-01, RES-10)."""
        if self.broken:
            return
        self.broken = True
        sends, receives = self.sends[:], self.receives[:]
        self.sends.clear()
        self.receives.clear()
        self.indicated = 0
        if sends and BUG == "flush-misses-last":
            sends.pop()
        for r in sends:
            self.complete(r, CANCELLED)
        for r in receives:
            self.completed(r["wr"], CANCELLED, "Receive")


class Provider:
    def __init__(self):
        self.cqs, self.qps, self.mrs, self.mws, self.offers = {}, {}, {}, {}, {}
        self.tokens = {}  # the regions that are valid
        self.named = {}  # by object: the token asked for last
        self.last_token = 0
        self.closes = []  # CQs whose close is pending

    # Memory.

    def new_region(self, obj, p, revocable):
        self.last_token += 1
        self.named[obj] = self.last_token
        return {"token": self.last_token, "address": p["address"], "length": p["length"], "revocable": revocable, "object": obj}

    def name_region(self, p):
        p["region"] = self.new_region(p.get("mw") or p["mr"], p, True)

    def in_regions(self, sgl):
        return all(s["token"] not in self.tokens or self.covers(s) for s in sgl if s["length"])

    def covers(self, s):
        region = self.tokens.get(s["token"])
        return region is not None and region["address"] <= s["address"] and s["address"] + s["length"] <= region["address"] + region["length"]

    def read(self, sgl):
        data = b""
        for s in sgl:
            if s["length"] and not self.covers(s):
                return None
            answer = WIRE.ask("ReadMemory", {"address": s["address"], "length": s["length"]})
            data += base64.b64decode(answer["data"])
        return data

    def write(self, sgl, data):
        if len(data) > sum(s["length"] for s in sgl) or not all(self.covers(s) for s in sgl if s["length"]):
            return False
        for s in sgl:
            part, data = data[:s["length"]], data[s["length"]:]
            if part:
                WIRE.call("WriteMemory", {"address": s["address"], "data": base64.b64encode(part).decode()})
        return True

    def write_at(self, address, token, data):
        return self.write([{"address": address, "length": len(data), "token": token}], data)

    # What happens of itself.

    def progress(self):
        moved = True
        while moved:
            moved = False
            for qp in list(self.qps.values()):
                while qp.step():
                    moved = True
            for cq in list(self.cqs.values()):
                moved = cq.call_back() or moved
            self.finish_closes()

    def finish_closes(self):
        for cq in self.closes[:]:
            if not cq.running and not self.uses(cq):
                self.closes.remove(cq)
                self.cqs.pop(cq.name)
                cq.closed = True
                WIRE.call("NdkCloseCompletion", {"object": cq.name})

    def uses(self, cq):
        return any(cq in (qp.send_cq, qp.receive_cq) for qp in self.qps.values())

    # Calls of the consumer. Each returns its result, or None where it is answered later.

    def Open(self, p, call):
        return {"version": "2.1", "max_cq_depth": 4096, "max_initiator_depth": 1024, "max_receive_depth": 1024, "max_inline": 64,
                "fast_register": True, "bind": True, "remote_invalidate": True, "describe": {"driver": "provider.py"}}

    def AtRest(self, p, call):
        return {"rest": not WIRE.on_answer}  # all but what the consumer has to answer has happened before each answer

    def NdkCreatePd(self, p, call):
        return {"status": OK}

    def NdkCreateCq(self, p, call):
        if not 0 < p["depth"] <= 4096:
            return {"status": INVALID}
        self.cqs[p["cq"]] = Cq(p["cq"], p["depth"])
        return {"status": OK}

    def NdkCreateQp(self, p, call):
        self.qps[p["qp"]] = Qp(p["qp"], p)
        return {"status": OK}

    def NdkCreateMr(self, p, call):
        return {"status": OK}

    NdkCreateMw = NdkCreateMr

    def NdkRegisterMr(self, p, call):
        region = self.new_region(p["mr"], p, False)
        self.tokens[region["token"]] = region
        return {"status": OK}

    def NdkGetLocalTokenFromMr(self, p, call):
        return {"token": self.named.get(p.get("mr") or p.get("mw"), 0)}

    NdkGetRemoteTokenFromMr = NdkGetRemoteTokenFromMw = NdkGetLocalTokenFromMr

    def NdkConnect(self, p, call):
        return self.join(p, call, "connects")

    def NdkAccept(self, p, call):
        return self.join(p, call, "accepts")

    def join(self, p, call, side):
        """Two queue pairs are connected once both sides of an address have called."""
        here = self.offers.setdefault(p["peer_address"], {})
        here[side] = (self.qps[p["qp"]], call)
        if len(here) == 2:
            del self.offers[p["peer_address"]]
            (a, first), (b, second) = here.values()
            a.peer, b.peer = b, a
            WIRE.write({"id": first, "result": {"status": OK}})
            WIRE.write({"id": second, "result": {"status": OK}})

    def NdkArmCq(self, p, call):
        self.cqs[p["cq"]].arms(STRENGTH[p["type"]])
        return {}

    def NdkGetCqResults(self, p, call):
        cq = self.cqs.get(p["cq"])
        return {"results": cq.poll(p["n"], False) if cq else []}

    def NdkGetCqResultsEx(self, p, call):
        cq = self.cqs.get(p["cq"])
        return {"results": cq.poll(p["n"], True) if cq else []}

    def NdkReceive(self, p, call):
        return {"status": self.qps[p["qp"]].receive(p)}

    def NdkFlush(self, p, call):
        self.qps[p["qp"]].break_down()
        return {}

    def NdkCloseQp(self, p, call):
        qp = self.qps.pop(p["qp"])
        qp.break_down()
        qp.closed = True
        return {"status": OK}

    def NdkCloseCq(self, p, call):
        cq = self.cqs[p["cq"]]
        cq.closing = True
        if cq.running or self.uses(cq):
            self.closes.append(cq)
            return {"status": "STATUS_PENDING"}
        del self.cqs[p["cq"]]
        cq.closed = True
        return {"status": OK}

    def NdkCloseMr(self, p, call):
        self.tokens.pop(self.named.get(p.get("mr") or p.get("mw")), None)
        return {"status": OK}

    NdkCloseMw = NdkCloseMr

    def NdkClosePd(self, p, call):
        return {"status": OK}

    def NdkCloseAdapter(self, p, call):
        return {}


POSTS = {"NdkSend", "NdkSendAndInvalidate", "NdkRead", "NdkWrite", "NdkFastRegister", "NdkBind", "NdkInvalidate"}


def main():
    global PROVIDER
    if sys.argv[1:] == ["--bugs"]:
        print("\n".join(sorted(BUGS)))
        return
    if BUG and BUG not in BUGS:
        sys.exit(f"NDK_SEEDED_BUG={BUG}: there are {', '.join(sorted(BUGS))}")
    PROVIDER = Provider()
    while (message := WIRE.next()) is not None:
        method, p, call = message["method"], message.get("params") or {}, message["id"]
        if method in POSTS:
            result = {"status": PROVIDER.qps[p["qp"]].post(method, p)}
        elif hasattr(PROVIDER, method):
            result = getattr(PROVIDER, method)(p, call)
        else:
            WIRE.write({"id": call, "error": {"code": -32601, "message": f"no method {method}"}})
            continue
        if result is not None:
            WIRE.write({"id": call, "result": result})
        PROVIDER.progress()


main()
