"""The search plans of large matters; the tests lower the thresholds, so that a small matter uses each plan."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from orderly.models import Caller
from store.conftest import Admin
from support.revisions import TEST_MODEL, vector_of, vector_text

WORDS = [f"{a}{b}" for a in ("lease", "sale", "term", "notice", "supply", "price") for b in ("hold", "able", "ward", "less")]
# Plan -> {function that returns a threshold: value}.
PLANS: dict[str, dict[str, int]] = {
    "by the index": {"scan_limit": 0},
    "by samples and codes": {"scan_limit": 0, "exact_limit": 0, "exact_components": 0},
}


@pytest.fixture
async def ada(make_user) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
async def matter(make_matter, ada, publish_text) -> str:
    pick = random.Random(4)
    made: dict[str, Any] = await make_matter(ada)
    other: dict[str, Any] = await make_matter(ada, "Another")
    for number in range(12):
        paragraphs = [" ".join(pick.choices(WORDS, k=pick.randint(4, 30))) for _ in range(5)]
        paragraphs[0] += f" Wattle{number % 7}"
        await publish_text(ada, made["id"], f"Banksia{number % 5} deed.txt", "\n\n".join(paragraphs))
        await publish_text(ada, other["id"], f"{number}.txt", "\n\n".join(reversed(paragraphs)))
    return str(made["id"])


def take(admin: Admin, plan: str) -> None:
    for function, limit in PLANS[plan].items():
        admin.execute(
            f"create or replace function private.{function}() returns integer language sql immutable"
            f" set search_path = '' as $$ select {limit} $$"
        )


def searches(matter: str, within: list[str] | None = None) -> list[tuple[str, dict[str, Any]]]:
    nearest = [
        {
            "matter_id": matter,
            "query_embedding": vector_text(vector_of(text)),
            "model": TEST_MODEL,
            "within": within,
            "match_count": 7,
        }
        for text in ("leasehold termward", "noticeless")
    ]
    words = [
        {"matter_id": matter, "query": text, "within": within, "match_count": count}
        for text in ("leasehold priceable supplyless", "noticeward", " ".join(WORDS), "nowhere")
        for count in (5, 100)
    ]
    return [*(("match_document_embeddings", p) for p in nearest), *(("search_chunks", p) for p in words)]


def named(matter: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("named_documents", {"matter_id": matter, "words": w, "match_count": 20})
        for w in ("Wattle3 Banksia2", "deed", "Nobody")
    ]


async def answers(store, caller, asked) -> list[Any]:
    return [await store.rpc(caller, function, params) for function, params in asked]


@pytest.mark.parametrize("plan", PLANS)
async def test_every_plan_gives_the_same_results_in_the_same_order(store, admin, ada, matter, plan):
    documents = (await store.rpc(ada, "list_documents", {"matter_ref": matter}))["documents"]
    asked = [*searches(matter), *searches(matter, [documents[0]["id"], documents[5]["id"]]), *named(matter)]
    read = await answers(store, ada, asked)
    assert all(read[i] for i in range(8))
    take(admin, plan)
    for (function, params), before, after in zip(asked, read, await answers(store, ada, asked), strict=True):
        assert [rounded(hit) for hit in after] == [rounded(hit) for hit in before], (function, params)


def rounded(hit: dict[str, Any]) -> dict[str, Any]:
    """Rounds scores, because plans add the same numbers in different order."""
    return {k: round(v, 9) if isinstance(v, float) else v for k, v in hit.items()}


@pytest.mark.parametrize("plan", PLANS)
async def test_no_plan_returns_hidden_passages(store, admin, ada, matter, make_user, plan):
    """Hidden are documents of a group, deleted ones, and passages that are not published yet."""
    take(admin, plan)
    pat = await make_user("pat@firm.example")
    member = {"matter_ref": matter, "member_email": "pat@firm.example", "member_role": "viewer"}
    await store.rpc(ada, "add_matter_member", member)
    documents = [d["id"] for d in (await store.rpc(ada, "list_documents", {"matter_ref": matter}))["documents"]]
    admin.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants")
    admin.execute("update documents set group_id = (select id from groups) where id = %s", (documents[0],))
    await store.rpc(ada, "delete_document", {"document_id": documents[1]})
    admin.execute("update documents set current_revision_id = null where id = %s", (documents[2],))
    seen = set[str]()
    for found in await answers(store, pat, [*searches(matter), *named(matter)]):
        seen |= {hit["document_id"] for hit in found}
    assert len(seen) > 5
    assert seen.isdisjoint(documents[:3])


@pytest.mark.parametrize("plan", PLANS)
async def test_every_plan_respects_the_given_documents(store, admin, ada, matter, plan):
    take(admin, plan)
    [first, second, *_] = (await store.rpc(ada, "list_documents", {"matter_ref": matter}))["documents"]
    within = [first["id"], second["id"]]
    for found in await answers(store, ada, searches(matter, within)):
        assert {hit["document_id"] for hit in found} <= set(within)
    everywhere = await answers(store, ada, searches(matter, None))
    assert await answers(store, ada, searches(matter, [])) == everywhere, "an empty filter is no filter"


async def test_candidates_of_a_common_word_are_limited_and_rare_words_are_complete(store, admin, ada, matter):
    """Beyond the limit, a word of every passage adds only some candidates; all passages of a rare word are candidates."""
    take(admin, "by samples and codes")
    admin.execute(
        "create or replace function private.candidate_limit() returns integer language sql immutable"
        " set search_path = '' as $$ select 3 $$"
    )
    common = await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": " ".join(WORDS), "match_count": 100})
    assert 0 < len(common) <= 5
    rare = await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "Wattle6 leasehold", "match_count": 100})
    assert "Wattle6" in rare[0]["text"]


async def test_binary_codes_select_near_candidates_among_readable_passages(store, admin, ada, matter):
    """With few candidates, the nearest passage is among them, and no candidate is a hidden passage."""
    take(admin, "by samples and codes")
    admin.execute(
        "create or replace function private.code_candidates(passages bigint, wanted_count integer) returns bigint"
        " language sql immutable set search_path = '' as $$ select 6 $$"
    )
    asked = searches(matter)[0][1]
    [text] = {
        hit["text"]
        for hit in await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "Wattle6", "match_count": 1})
    }
    itself = {**asked, "query_embedding": vector_text(vector_of(text)), "match_count": 6}
    assert (await store.rpc(ada, "match_document_embeddings", itself))[0]["text"] == text
    for _ in range(3):
        found = await store.rpc(ada, "match_document_embeddings", itself)
        assert len(found) == 6
        await store.rpc(ada, "delete_document", {"document_id": found[0]["document_id"]})


async def test_every_vector_has_its_binary_code(admin, matter):
    ((count, wrong),) = admin.execute(
        "select count(*), count(*) filter (where code is distinct from extensions.binary_quantize(embedding)::bit varying)"
        " from chunk_embeddings"
    ).fetchall()
    assert (count > 0, wrong) == (True, 0)


async def test_a_plan_cached_on_empty_tables_uses_no_sequential_scan(store, admin, make_user, make_matter, publish_text):
    """A connection that searched empty tables keeps its cached plans."""
    admin.execute("vacuum documents, document_revisions, sections, chunks, chunk_embeddings")
    ada = await make_user("ada@firm.example")
    matter = (await make_matter(ada))["id"]
    asked = [
        ("match_document_embeddings", [matter, vector_text(vector_of("lease")), TEST_MODEL]),
        ("search_chunks", [matter, "lease"]),
    ]

    def ask() -> list[Any]:
        claims = f"set_config('request.jwt.claims', '{{\"sub\": \"{ada.user_id}\"}}', true)"
        found = []
        for function, params in asked:
            places = ", ".join(["%s"] * len(params))
            ((_, hits),) = admin.execute(f"select {claims}, public.{function}({places})", params).fetchall()
            found.append(hits)
        return found

    with admin.transaction():
        assert ask() == [[], []]
    for number in range(20):
        await publish_text(ada, matter, f"{number}.txt", f"The lease of house {number}.")
    with admin.transaction():
        assert all(len(hits) == 10 for hits in ask())
        read_whole = admin.execute(
            "select relname from pg_stat_xact_user_tables where seq_scan > 0 and relname = any (%s)",
            (["documents", "document_revisions", "sections", "chunks", "chunk_embeddings"],),
        ).fetchall()
    assert read_whole == []


async def test_a_search_costs_the_same_for_a_member_of_many_matters(store, admin, ada, matter):
    """This also holds for the cached generic plan."""
    admin.execute(
        "with made as (insert into matters (tenant_id, number, title) select tenant_id, 'X-' || n, 'X' from matters, generate_series(1, 200) n"
        " where id = %s returning id) insert into matter_members (matter_id, user_id, role) select id, %s, 'owner' from made",
        (matter, ada.user_id),
    )
    admin.execute("analyze matters, matter_members")
    with admin.transaction():
        admin.execute("select set_config('request.jwt.claims', %s, true)", (json.dumps({"sub": ada.user_id}),))
        ((mine,),) = admin.execute("select count(*) from private.my_matter_ids()").fetchall()
        assert mine == 202
        before = members_read(admin)
        for _ in range(10):
            admin.execute("select public.search_chunks(%s, 'leasehold')", (matter,))
        assert members_read(admin) - before <= 100


def members_read(admin: Admin) -> int:
    ((rows,),) = admin.execute(
        "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'matter_members'"
    ).fetchall()
    return int(rows)
