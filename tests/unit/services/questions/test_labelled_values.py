"""Items of a reference table that bear the name of what is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.questions.labelled_values import labelled_values
from orderly.services.text import RevisionView

TABLE = """DEED OF LEASE

Item 1   Landlord            Kite Nominees Pty Ltd
Item 2   Rent                $61,000 per annum plus GST
Item 3   Rent review         On 1 July in each year, by 3%
C. Security deposit: $12,400.50
Handover date     9 August 2027
Completion day    on demand
| Option fee | on request |

4. Hire charge: $90
5. Hire charge: $95
6. Hire charge: $99

Schedule   18

7.1 The Tenant must pay the Rent by equal monthly instalments.
"""


def view(text: str = TABLE) -> RevisionView:
    document: Any = {"id": "d", "filename": "Deed.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": text, "pages": [], "sections": []}
    return RevisionView(row)


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("What is the rent?", "Item 2   Rent                $61,000 per annum plus GST"),
        ("What annual rent is payable?", "Item 2   Rent                $61,000 per annum plus GST"),
        ("How much is the tenant's security deposit?", "C. Security deposit: $12,400.50"),
        ("Which lease has the larger security deposit?", "C. Security deposit: $12,400.50"),
        ("What is the rent review?", "Item 3   Rent review         On 1 July in each year, by 3%"),
        ("Who reviews the rent?", None),
        ("When is the handover?", "Handover date     9 August 2027"),
        ("On what date must the tenant be handed over the keys?", None),
        ("When is the completion?", None),  # no date
        ("How much is the deposit?", None),
        ("What is the option fee?", None),
        ("What is the definition of the schedule?", None),
        ("What is the hire charge price?", None),
        ("How much is the hire charge?", None),
        ("When is the rent paid?", None),
    ],
)
def test_the_item_of_that_name_with_a_figure_of_that_kind_answers(question: str, item: str | None) -> None:
    found = labelled_values(view(), question)
    assert (found and [p.text for p in found.passages]) == (item and [item])
