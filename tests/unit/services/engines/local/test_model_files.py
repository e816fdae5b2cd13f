"""The files of the offline engine's model: packaged, verified, loaded on first use."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orderly.errors import Misconfigured
from orderly.services.engines.local import LocalEngine, model_files
from orderly.services.engines.local.graph_session import open_session
from orderly.services.engines.local.reader import Reader

EMBED_ONCE = """
import sys
from orderly.services.engines.local import LocalEngine
engine = LocalEngine()
assert "onnxruntime" not in sys.modules
assert engine.windows("One short clause.") == [(0, 17)]
assert not {"torch", "onnx", "safetensors", "sentence_transformers"} & set(sys.modules)
"""


def test_the_model_is_loaded_on_first_use_and_needs_neither_torch_nor_a_builder() -> None:
    subprocess.run([sys.executable, "-c", EMBED_ONCE], check=True)


@pytest.mark.parametrize("name", ["GRAPH", "TOKENIZER", "READER"])
def test_a_file_with_a_wrong_checksum_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = getattr(model_files, name)
    forged = tmp_path / "forged"
    forged.write_bytes(b"\0" + genuine.path.read_bytes()[1:])
    monkeypatch.setattr(model_files, name, replace(genuine, path=forged))
    with pytest.raises(Misconfigured, match="not the genuine"):
        _use(name)


@pytest.mark.parametrize("name", ["GRAPH", "TOKENIZER", "READER"])
def test_a_missing_file_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = replace(getattr(model_files, name), path=tmp_path / "gone.bin")
    monkeypatch.setattr(model_files, name, missing)
    with pytest.raises(Misconfigured, match=r"gone\.bin is missing"):
        _use(name)


@pytest.mark.parametrize("name", ["GRAPH", "READER"])
def test_a_graph_adds_without_overflow_on_every_processor(name: str) -> None:
    """Where the processor has VNNI this shows no difference; elsewhere `test_concept_vectors` fails without it, too."""
    session = open_session(getattr(model_files, name))
    assert session.get_session_options().get_session_config_entry("session.x64quantprecision") == "1"


def _use(name: str) -> None:
    engine = LocalEngine()
    if name == "READER":
        asyncio.run(engine.extract("May I sleep in the unit?", "The storage space is not to be occupied as a residence."))
    else:
        engine.windows("text")


QUESTIONS = [  # the second sentence repeats words of the question and does not answer
    ("Can they throw a member out for not paying?", "A member whose subscription is more than three months in arrears ceases to be a member.", "The committee may pay the members' travel expenses to a general meeting."),
    ("What if the shop burns down?", "If the premises are destroyed or damaged so as to be unfit for use, rent abates until they are reinstated.", "The tenant must not use a fireplace or open flame in the shop."),
    ("May I sleep in the unit?", "The storage space is not to be occupied as a residence.", "The unit is 20 square metres in area and is on the ground floor."),
    ("How do we get out early?", "Either party may terminate this agreement before the end of the term by giving 60 days' written notice.", "Goods must be collected from the loading dock early in the morning."),
    ("When is the bond given back?", "The security deposit must be refunded within 14 days after the tenancy ends.", "The tenant gives the landlord a bond of four weeks' rent when signing."),
    ("Do I have to tell you if I change jobs?", "The borrower must notify the lender of any change in employment within seven days.", "The lender may change the interest rate at any time."),
    ("Why did she lose?", "The application fails because the applicant did not show that the delegate had overlooked relevant material.", "The applicant lost her passport in 2004 and applied for another."),
    ("What is the punishment for lying on the form?", "A person who gives false or misleading information in an application commits an offence. Penalty: 50 penalty units.", "The form must be lodged with the registrar and lie open for inspection."),
]  # fmt: skip


def test_the_reader_finds_what_answers_among_words_of_the_question() -> None:
    reader = Reader(threads=2)
    first = 0
    for question, answer, other in QUESTIONS:
        readings = reader.read(question, [answer, other])
        first += readings[0].relevance > readings[1].relevance
    assert first >= len(QUESTIONS) - 1
    [reading] = reader.read("How much is the fee?", ["The office opens at nine. The fee is $40 a day. Dogs are welcome."])
    assert "$40" in "The office opens at nine. The fee is $40 a day. Dogs are welcome."[reading.start : reading.end]


def test_a_pair_is_read_alike_alone_and_beside_others() -> None:
    passages = [answer for _, answer, _ in QUESTIONS]
    together = Reader(threads=2).read("Who pays?", passages)
    assert [Reader(threads=1).read("Who pays?", [passage])[0] for passage in passages] == together


def test_the_reader_tells_a_supported_statement_from_a_contradicted_one() -> None:
    passage = "The tenant must pay the rent on the first day of each month in advance."
    yes, no = (
        Reader(threads=1).support(s, [passage])[0]
        for s in ("Rent is paid monthly in advance.", "Rent is paid yearly in arrears.")
    )
    assert yes > no
