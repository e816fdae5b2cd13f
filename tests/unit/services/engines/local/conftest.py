from __future__ import annotations

import pytest

from orderly.services.engines.local import LocalEngine

AGREEMENT = """\
CONSULTING SERVICES AGREEMENT

This Consulting Services Agreement is made on 3 March 2025 between Wattle Mining Pty Ltd (ACN 600 100 200) ("the \
Client") and Banksia Advisory Pty Ltd ("the Consultant").

1. Services

1.1 The Consultant will provide geological advice as described in Schedule 1, with due care and skill.

2. Fees and payment

2.1 The Client must pay each invoice within 30 days of receipt. Interest at 8% per annum is payable on late payments.

3. Confidentiality

3.1 Each party must keep the other's Confidential Information in strict confidence and must not disclose it to any \
third party, except to employees who need to know it.

4. Intellectual property

4.1 All reports prepared by the Consultant under this Agreement are the property of the Client, and the Consultant \
hereby assigns to the Client all right, title and interest in them.

5. Insurance

5.1 The Consultant must maintain professional indemnity insurance of not less than $5,000,000 for any one claim.

6. Books and records

6.1 The Client may on reasonable notice inspect and audit the Consultant's books and records relating to the Services.

7. Termination

7.1 Either party may terminate this Agreement without cause by giving ninety (90) days written notice to the other \
party.

7.2 A party may terminate this Agreement immediately if the other commits a material breach and fails to cure it \
within 14 days.

8. Liability

8.1 Neither party is liable for indirect or consequential loss. The Consultant's total liability under this Agreement \
must not exceed the fees paid in the preceding twelve months.

9. General

9.1 This Agreement is governed by and construed in accordance with the laws of New South Wales.

9.2 Neither party may assign this Agreement without the prior written consent of the other.
"""


@pytest.fixture(scope="session")
def engine() -> LocalEngine:
    return LocalEngine()


@pytest.fixture
def agreement() -> str:
    return AGREEMENT
