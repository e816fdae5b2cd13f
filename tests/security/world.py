"""The world of the leak matrix: two firms and four matters with things of every kind, each with unique words and ids."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

import psycopg
from psycopg.types.json import Jsonb

from orderly.models import Caller, Section
from orderly.sign_in.tokens import new_local_token, token_hash
from orderly.store.base import Blobs, Store, WorkerStore
from security.people import (
    BY_NAME,
    COMPARTMENTS,
    CONVERSATION,
    ELSEWHERE,
    HOME,
    PARTNERS,
    PEOPLE,
    Person,
    in_group,
    knows_of,
    maker_of_bare_response,
    names,
    opens_bare_response,
    owner_of,
    sees,
)
from support.plain_selects import allow_plain_selects
from support.revisions import publish, revision_of

INSIDE = frozenset({"document", "revision", "section", "chunk", "citation", "cell", "response"})
"""Kinds of things that belong to a document; the other kinds belong to the matter."""

Admin = psycopg.Connection[tuple[Any, ...]]


WORDS = "cnry"
"""Prefix of the unique words."""


def word_of(name: str) -> str:
    """Returns the word that occurs in one compartment only."""
    return WORDS + hashlib.sha256(name.encode()).hexdigest()[:12]


def answered(name: str) -> str:
    """Returns the answer in a compartment's cell."""
    return f"Twelve months {word_of(name)}"


@dataclass
class World:
    places: dict[str, dict[str, str]] = field(default_factory=dict)
    """Compartment -> {kind of thing: id}; "number" is the matter's number."""
    marks: dict[str, set[str]] = field(default_factory=dict)
    """Compartment (or "people of <firm>", "walls of <firm>") -> strings that must not reach persons who do not see it."""
    users: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    last_entry: int = 0
    """Id of the last audit entry of the world's construction."""
    database_url: str = ""
    home: Path = Path()

    def caller(self, person: Person) -> Caller:
        kept = None if person.kept_to is None else tuple(self.places[name]["matter"] for name in person.kept_to)
        return Caller(self.users[person.account or person.name], person.conversation, kept_to=kept)

    def hidden_from(self, person: Person) -> frozenset[str]:
        """Returns every mark that must not reach the person."""
        hidden: set[str] = set()
        for place in COMPARTMENTS:
            hidden |= set() if sees(person, place) else self.marks[place.name]
            hidden |= set() if names(person, place) else self.marks.get(f"name of {place.name}", set())
            its_own = person.signed_in and (person.account or person.name) == owner_of(place)
            hidden |= set() if its_own else self.marks[f"kept by the owner of {place.name}"]
            hidden |= set() if opens_bare_response(person, place) else self.marks[f"bare response of {place.name}"]
            hidden |= set() if knows_of(person, place) else self.marks.get(f"traces of {place.name}", set())
        for firm in (HOME, ELSEWHERE):
            one_of_them = person.signed_in and person.firm == firm
            hidden |= set() if one_of_them else self.marks[f"people of {firm}"]
            hidden |= set() if one_of_them and person.officer else self.marks[f"walls of {firm}"]
            hidden |= set() if one_of_them and (person.admin or in_group(person, firm)) else self.marks[f"groups of {firm}"]
        return frozenset(hidden)


def text_of(word: str) -> tuple[str, tuple[Section, ...]]:
    text = (
        f"1 Term {word}\n\nThis agreement of {word} lasts twelve months from the effective date in Ohio.\n\n"
        f"2 Termination\n\nEither party may terminate {word} on thirty days written notice.\f"
        f"3 Governing law\n\nThe law of Ohio governs this agreement of {word} in every respect."
    )
    second, third = text.index("2 Term"), text.index("3 Gov")
    return text, (
        Section(0, None, 1, "1", f"Term {word}", 0, second),
        Section(1, None, 1, "2", "Termination", second, third),
        Section(2, None, 1, "3", "Governing law", third, len(text)),
    )


class Builder:
    """Builds the world with the store's functions, and with plain SQL where the functions refuse."""

    def __init__(self, store: Store, worker: WorkerStore, blobs: Blobs, admin: Admin, home: Path, database_url: str) -> None:
        self.store, self.worker, self.blobs, self.admin = store, worker, blobs, admin
        self.world = World(home=home, database_url=database_url)

    async def build(self) -> World:
        allow_plain_selects(self.admin)
        await self._people()
        callers = {p.name: self.world.caller(p) for p in PEOPLE if p.kept_to is None}
        for matter in ("main", "second", "foreign", "workspace"):
            await self._matter(matter, callers[owner_of(BY_NAME[matter])])
        self._members()
        for place in COMPARTMENTS:
            await self._document(place.name, callers[owner_of(place)])
        for matter in ("main", "second", "foreign", "workspace"):
            await self._review(matter, callers[owner_of(BY_NAME[matter])])
        self._groups()
        await self._deletions()
        self._processors()
        self._run_in_two_matters()
        self._move()
        await self._screens()
        await self._tokens()
        self._threads()
        self._collect()
        return self.world

    async def _people(self) -> None:
        for firm in (HOME, ELSEWHERE):
            await self.worker.rpc("create_tenant", {"name": firm})
        for person in PEOPLE:
            name = person.account or person.name
            if name in self.world.users:
                self.world.users[person.name] = self.world.users[name]
            elif person.has_account:
                made = await self.worker.rpc("create_user", {
                    "email": person.email, "display_name": name, "is_admin": person.admin,
                    # A person who left a firm was a member before.
                    "tenant": HOME if "main" in person.roles else person.firm,
                })  # fmt: skip
                self.world.users[person.name] = made["user_id"]
                if person.officer:
                    await self.worker.rpc("set_conflicts_officer", {"email": person.email, "is_officer": True})
            else:
                self.world.users[person.name] = str(uuid4())

    async def _matter(self, name: str, owner: Caller) -> None:
        word = word_of(f"name of {name}")
        if name == "workspace":
            matter = await self.store.rpc(Caller(owner.user_id, CONVERSATION), "chat_workspace", {"make": True})
            self.admin.execute("update matters set title = %s where id = %s", (f"Files {word}", matter["id"]))
        else:
            number = f"{word_of(name + ' number')[4:]}-7"
            matter = await self.store.rpc(owner, "create_matter", {"title": word, "number": number})
        place = self.world.places[name] = {"matter": matter["id"], "number": matter["number"]}
        # A workspace is not named by its title.
        place["title"] = word if name != "workspace" else matter["number"]
        caller = Caller(owner.user_id, CONVERSATION)
        folder = await self.store.rpc(caller, "create_folder", {"matter_ref": matter["id"], "name": f"Papers {word_of(name)}"})
        place["folder"] = folder["id"]
        colleague = {"second": "second viewer", "foreign": "foreign viewer", "workspace": "owner"}.get(name, "viewer")
        place["colleague"] = next(p.email for p in PEOPLE if p.name == colleague)

    def _members(self) -> None:
        for person in PEOPLE:
            for matter, role in person.roles.items():
                self.admin.execute(
                    "insert into matter_members (matter_id, user_id, role) values (%s, %s, %s) on conflict do nothing",
                    (self.world.places[matter]["matter"], self.world.users[person.name], role),
                )

    async def _document(self, name: str, owner: Caller) -> None:
        caller = Caller(owner.user_id, CONVERSATION)
        home, word = self.world.places[BY_NAME[name].matter], word_of(name)
        text, sections = text_of(word)
        # Receipts name deleted documents to their former readers.
        file_name = f"file-{word_of(name)}.txt" if not BY_NAME[name].deleted else f"file-{word_of(name + ' trace')}-gone.txt"
        document, storage_key = await self._file(home, caller, file_name, text)
        content = replace(
            revision_of(document, text, sections=sections), health={"pages": 1, "details": {"hidden_text": [word]}}
        )
        await publish(self.worker, content)
        await self.worker.rpc("put_visuals", {
            "revision_id": content.revision_id, "engine": "embedded", "status": "ready", "reason": "", "visuals": [
                {"page": 1, "kind": "drawing", "box": [1, 2, 3, 4], "caption": f"Plan of Ohio {word}", "words": word, "terms": ""}
            ],
        })  # fmt: skip
        await self.store.rpc(caller, "open_page", {"path_part_id": document})
        self.admin.execute("insert into attachment_links values (%s, %s, %s)", (document, document, f"itself {word}"))
        start = text.index("This agreement")
        span = {"document_id": document, "revision_id": content.revision_id, "start": start, "end": start + 60}
        citation = (await self.store.rpc(caller, "save_citation", span))["id"]
        response = "resp_" + hashlib.sha256(name.encode()).hexdigest()[:32]
        await self.store.rpc(caller, "save_response", {
            "new_id": response, "thread_id": f"thread-{word_of(name + ' kept')}", "checkpoint_id": "c",
            "body": {"output": [{"type": "message", "text": word_of(name + ' kept')}]}, "document_ids": [document],
        })  # fmt: skip
        used = {"engine": f"engine {word}", "model": "m", "endpoint": "/e", "requests": 1, "input_tokens": 2}
        if name in self.world.places:
            await self.store.rpc(caller, "record_engine_usage", {"entries": [used], "matter_ref": home["matter"]})
        sections_kept = (await self.store.rpc(caller, "get_revision", {"document_id": document}))["sections"]
        self.world.places.setdefault(name, dict(home)).update({
            "document": document, "revision": content.revision_id, "section": sections_kept[0]["id"],
            "chunk": content.chunk_ids[0], "citation": citation, "response": response, "storage_key": storage_key,
        })  # fmt: skip
        self.world.places[name]["unsearched"] = await self._unsearched(home, caller, file_name, text)
        # A run that read and quoted the document.
        run = str(uuid5(UUID(document), "run"))
        asking = replace(caller, run_id=run)
        await self.store.rpc(asking, "get_revision", {"document_id": document})
        await self.store.rpc(asking, "record_answer", {
            "question": f"What of {word_of(name + ' run')}?", "model": "m", "answer_sha256": "0" * 64, "citations": [span],
        })  # fmt: skip
        self.world.places[name]["run"] = run
        self.world.marks[f"kept by the owner of {name}"] = {word_of(name + " kept"), response}

    async def _review(self, matter: str, owner: Caller) -> None:
        """Creates a review of every document, and one of chosen documents; answers the cells of the first."""
        caller = Caller(owner.user_id, CONVERSATION)
        home = self.world.places[matter]
        here = [self.world.places[c.name] for c in COMPARTMENTS if c.matter == matter]
        chosen = {"matter_ref": home["matter"], "name": "Some", "document_ids": [place["document"] for place in here]}
        await self.store.rpc(caller, "create_review", chosen)
        name = {"matter_ref": home["matter"], "name": f"Review {word_of(matter + ' review')}"}
        review = await self.store.rpc(caller, "create_review", name)
        column = {"title": "Term", "question": f"How long is the term of {word_of(matter + ' review')}?", "answer_type": "text"}
        asked = {"review_id": review["id"], "cell_limit": 1000}
        added = await self.store.rpc(caller, "add_review_columns", {**asked, "columns": [column]})
        await self.store.rpc(caller, "run_review", asked)
        for compartment in (c for c in COMPARTMENTS if c.matter == matter):
            place = self.world.places[compartment.name]
            row = {"review_id": review["id"], "document_id": place["document"]}
            claimed = await self.worker.rpc("claim_review_row", {**row, "lease_seconds": 30, "max_attempts": 5})
            answer = {
                "column_id": added["columns"][0]["id"], "column_edition": 1, "state": "found", "citations": [[0, 6]],
                "value": {"type": "text", "text": answered(compartment.name)}, "confidence": 0.9, "engine": "e", "model": None,
                "read": {"characters": 9, "pages": None, "unread": [], "incomplete": ""}, "note": "",
            }  # fmt: skip
            saved = {**row, "claim": claimed["claim"], "revision_id": place["revision"], "cells": [answer]}
            await self.worker.rpc("save_review_cells", saved)
            ((cell,),) = self.admin.execute(
                "select id::text from review_cells where review_id = %(review_id)s and document_id = %(document_id)s", row
            ).fetchall()
            place.update({"review": review["id"], "column": added["columns"][0]["id"], "cell": cell})

    async def _file(self, home: dict[str, str], caller: Caller, name: str, text: str) -> tuple[str, str]:
        """Uploads a file; returns the document's id and its storage key."""
        data = text.encode()
        registered = await self.store.rpc(caller, "register_document", {
            "matter_ref": home["matter"], "filename": name, "content_type": "text/plain", "size_bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(), "on_duplicate": "keep", "folder_id": home["folder"],
        })  # fmt: skip
        document = registered["document"]["id"]
        with tempfile.NamedTemporaryFile(dir=self.world.home) as file:
            file.write(data)
            file.flush()
            await self.blobs.put(registered["storage_key"], Path(file.name))
        await self.store.rpc(caller, "document_stored", {"document_id": document})
        return document, registered["storage_key"]

    async def _unsearched(self, home: dict[str, str], caller: Caller, beside: str, text: str) -> str:
        """Creates a document that is processed but not in the index."""
        document, _ = await self._file(home, caller, f"new-{beside}", f"{text} And more.")
        await publish(self.worker, revision_of(document, f"{text} And more.", chunked=False))
        return document

    async def _deletions(self) -> None:
        for name in (c.name for c in COMPARTMENTS if c.deleted):
            place, owner = self.world.places[name], Caller(self.world.users[owner_of(BY_NAME[name])])
            for document in (place["document"], place["unsearched"]):
                await self.store.rpc(owner, "delete_document", {"document_id": document})
            # One of the two deleted documents is purged.
            self.admin.execute("delete from documents where id = %s", (place["unsearched"],))

    def _groups(self) -> None:
        ((group,),) = self.admin.execute(
            "insert into groups (tenant_id, name) select id, %s from tenants where name = %s returning id::text",
            (f"{PARTNERS} {word_of('group')}", HOME),
        ).fetchall()
        for person in PEOPLE:
            if PARTNERS in person.groups and person.has_account:
                self.admin.execute("insert into group_members values (%s, %s)", (group, self.world.users[person.name]))
        for place in (self.world.places[c.name] for c in COMPARTMENTS if c.group):
            both = [place["document"], place["unsearched"]]
            # As an attachment, this document was never visible to others.
            self.admin.execute(
                "update private.document_changes set was_open = false where document_id = any (%s::uuid[])", (both,)
            )
            self.admin.execute("update documents set group_id = %s where id = any (%s::uuid[])", (group, both))
        for place in self.world.places.values():
            place["group"] = group
        other = self.admin.execute(
            "insert into groups (tenant_id, name) select id, %s from tenants where name = %s returning id::text",
            (word_of("group elsewhere"), ELSEWHERE),
        ).fetchall()
        self.world.places["foreign"]["group"] = other[0][0]

    def _processors(self) -> None:
        """Forbids egress in matters of others."""
        others = [self.world.places[name]["matter"] for name in ("second", "foreign")]
        self.admin.execute("update matters set allowed_processors = '{}' where id = any (%s::uuid[])", (others,))

    def _run_in_two_matters(self) -> None:
        """Creates a run in two matters whose question reveals one matter to the owners of the other."""
        question = {"run": str(uuid4()), "question": word_of("second run")}
        for matter in ("main", "second"):
            self._answer(matter, 1000000, question)
        # A second run found a document of the other matter by its name only.
        run = str(uuid4())
        self._answer("main", 1000001, {**question, "run": run})
        self.admin.execute(
            "insert into audit_log (chain, seq, at, tenant_id, user_id, action, detail, previous_hash, hash)"
            " select user_id, 1000001, at, tenant_id, user_id, 'find_by_name', %s, previous_hash, hash from audit_log"
            " where matter_id = %s and action = 'answer' limit 1",
            (Jsonb({"run": run, "given": [self.world.places["second"]["document"]]}), self.world.places["main"]["matter"]),
        )

    def _answer(self, matter: str, seq: int, detail: dict[str, str]) -> None:
        self.admin.execute(
            "insert into audit_log (chain, seq, at, tenant_id, matter_id, user_id, action, detail, previous_hash, hash)"
            " select chain, %s, at, tenant_id, matter_id, user_id, action, %s, previous_hash, hash from audit_log"
            " where matter_id = %s and action = 'answer' limit 1",
            (seq, Jsonb(detail), self.world.places[matter]["matter"]),
        )

    async def _screens(self) -> None:
        # A wall in every other matter, against a person who is no member.
        for matter, email in (("second", "tenant.admin@firm.example"), ("foreign", "left.for.another.firm@other.example")):
            self.world.places[matter]["screen"] = await self._screen(matter, email, f"Reason {word_of('wall of ' + matter)}")
        for person in PEOPLE:
            for matter, (start, end) in person.screened.items():
                screen = await self._screen(matter, person.email, f"Acted for the other side {word_of('wall')}")
                self.admin.execute(
                    "update matter_screens set starts_at = now() + %s::interval, ends_at = now() + %s::interval,"
                    " lifted_at = case when %s then now() end where id = %s",
                    (start, end, person.lifted, screen),
                )
                for same in (c.name for c in COMPARTMENTS if c.matter == matter and not person.lifted):
                    self.world.places[same]["screen"] = screen

    async def _screen(self, matter: str, email: str, reason: str) -> str:
        """Raises a wall as an officer of the matter's firm; only officers see its reason."""
        officer = Caller(self.world.users["foreign officer" if matter == "foreign" else "conflicts officer"])
        wall = {"matter_ref": self.world.places[matter]["matter"], "member_email": email, "reason": reason}
        screen: str = (await self.store.rpc(officer, "add_matter_screen", wall))["id"]
        return screen

    def _move(self) -> None:
        for person in PEOPLE:
            if person.firm == ELSEWHERE and "main" in person.roles:
                self.admin.execute(
                    "update profiles set tenant_id = (select id from tenants where name = %s) where user_id = %s",
                    (ELSEWHERE, self.world.users[person.name]),
                )

    async def _tokens(self) -> None:
        for person in PEOPLE:
            token = self.world.tokens[person.name] = new_local_token()
            if person.credential in ("token", "expired", "revoked", "access revoked"):
                await self.worker.rpc(
                    "issue_token",
                    {"email": person.email, "token_sha256": token_hash(token), "expires_at": "2999-01-01T00:00:00Z"},
                )
            column = {"expired": "expires_at", "revoked": "revoked_at"}.get(person.credential)
            if column:
                self.admin.execute(
                    f"update private.access_tokens set {column} = now() - interval '1 minute' where token_sha256 = %s",
                    (token_hash(token),),
                )
            if person.credential == "access revoked":
                await self.worker.rpc("revoke_user", {"email": person.email})

    def _threads(self) -> None:
        """Gives every person a thread that has read in each compartment, before walls and groups were set."""
        for name, place in self.world.places.items():
            place["thread"] = f"conversation-{word_of(name + ' read')}"
            for user in {self.world.users[p.name] for p in PEOPLE if p.has_account}:
                self.admin.execute(
                    "insert into thread_reads (thread_id, user_id, matter_id, document_id) values (%s, %s, %s, %s)",
                    (place["thread"], user, place["matter"], place["document"]),
                )
            bare = place["bare response"] = "resp_" + hashlib.sha256(f"bare {name}".encode()).hexdigest()[:32]
            self.admin.execute(
                "insert into responses values (%s, %s, %s, 'c', %s, '{}')",
                (bare, self.world.users[maker_of_bare_response(BY_NAME[name])], place["thread"],
                 Jsonb({"output": [{"type": "message", "text": word_of(f"{name} bare")}]})),
            )  # fmt: skip
            owner = self.world.users[owner_of(BY_NAME[name])]
            kept = place["kept thread"] = f"conversation-{word_of(name + ' kept')}"
            self.admin.execute("insert into threads (thread_id, user_id) values (%s, %s)", (kept, owner))
            self.admin.execute(
                "insert into thread_reads (thread_id, user_id, matter_id) values (%s, %s, %s)", (kept, owner, place["matter"])
            )
        for firm in (HOME, ELSEWHERE):
            self.admin.execute(
                "insert into withheld_tools (tenant_id, client_id, function_name) select id, 'mcp', %s from tenants where name = %s",
                (word_of(f"withheld in {firm}"), firm),
            )

    def _collect(self) -> None:
        for name, place in self.world.places.items():
            self.world.marks[f"bare response of {name}"] = {word_of(f"{name} bare"), place["bare response"]}
            # Questions about a compartment reveal it too.
            self.world.marks[name] = {
                word_of(name),
                word_of(name + " run"),
                place["unsearched"],
                *(place[kind] for kind in INSIDE - {"response"}),
            }
            rows = self.admin.execute(
                "select id::text from sections where revision_id = %(r)s union all select id::text from chunks where revision_id = %(r)s",
                {"r": place["revision"]},
            )
            self.world.marks[name] |= {row[0] for row in rows}
        # Receipts, the audit record and old answers show name and ids of a deleted document to its former readers; its content and
        # the questions about it stay hidden.
        for name in (c.name for c in COMPARTMENTS if c.deleted):
            self.world.marks[f"traces of {name}"] = {*self.world.marks[name] - {word_of(name)}, word_of(name + " trace")}
            self.world.marks[name] = {word_of(name)}
        for name in ("main", "second", "foreign", "workspace"):
            place = self.world.places[name]
            self.world.marks[name] |= {place["folder"], place["review"], place["column"], word_of(name + " review")}
            self.world.marks[f"name of {name}"] = {place["matter"], place["number"], word_of(f"name of {name}")}
        for firm in (HOME, ELSEWHERE):
            accounts = [p for p in PEOPLE if p.firm == firm and p.signed_in and not (firm == ELSEWHERE and "main" in p.roles)]
            ((tenant,),) = self.admin.execute("select id::text from tenants where name = %s", (firm,)).fetchall()
            self.world.marks[f"people of {firm}"] = {
                tenant,
                *(p.email for p in accounts),
                *(self.world.users[p.name] for p in accounts),
            }
            place = self.world.places["main" if firm == HOME else "foreign"]
            self.world.marks[f"groups of {firm}"] = {place["group"], word_of("group" if firm == HOME else "group elsewhere")}
        ((self.world.last_entry,),) = self.admin.execute("select max(id) from audit_log").fetchall()
        self.world.marks[f"walls of {HOME}"] = {word_of("wall"), word_of("wall of second")}
        self.world.marks[f"walls of {ELSEWHERE}"] = {word_of("wall of foreign")}
