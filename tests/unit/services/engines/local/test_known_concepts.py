"""Questions about concepts of contracts that the engine was fitted on."""

from __future__ import annotations

from importlib import resources

from orderly.services.engines.local import LocalEngine


async def test_what_comes_near_to_a_concept_that_a_contract_lacks_is_not_confirmed() -> None:
    documents = resources.files("orderly") / "demo_documents"
    contract = (documents / "GOCALLINC_03_30_2000-EX-10.7-Promotion_Agreement.txt").read_text(encoding="utf-8")
    found = await LocalEngine().extract("Can a party terminate without cause, and on what notice?", contract)
    assert not found["answered"]
    assert found["answering"] == []
    assert found["further"] == found["answers"] != []
