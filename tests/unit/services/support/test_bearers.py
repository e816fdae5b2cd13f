"""Who consents, decides and pays, and terms that exclude each other, in a sentence and in its quotation."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported


@pytest.mark.parametrize(
    ("quotation", "sentence", "mark"),
    [
        ("The Lessee must obtain the written consent of the Lessor.", "The lessee's consent is needed", "lessee; quoted: Lessor"),
        ("The Lessee must obtain the written consent of the Lessor.", "The landlord's consent is needed", None),
        ("The Agent keeps copies at the Owner's option.", "The agent decides whether copies are kept", "agent; quoted: Owner"),
        ("The Carrier may redeliver the goods at any time without charge.", "The carrier may not bring them back", "carrier may not; quoted: may"),
        ("The Carrier may redeliver the goods only on request.", "The carrier may not redeliver unasked", None),
        ("If the goods are late, the Shipper may cancel the order.", "The shipper must cancel an order that is late", "shipper must; quoted: may"),
        ("The Shipper may cancel the order if it gives notice.", "The shipper must give notice of a cancellation", None),
        ("The Carrier's aggregate liability is limited to $900.", "The shipper's liability is capped at $900", "shipper; quoted: Carrier"),
        ("The Carrier's aggregate liability is limited to $900.", "The liability of the carrier is capped at $900", None),
        ("Neither party's liability exceeds $900.", "The carrier's liability is capped at $900", None),
        ("The Agent keeps copies at the Owner's option.", "The owner decides whether copies are kept", None),
        ("Surveys are made at the Seller's expense.", "The buyer pays for surveys", "buyer; quoted: Seller"),
        ("Surveys are made at the Seller's expense.", "The vendor pays for surveys", None),
        ("The Bank is solely responsible for the audit.", "The parties arrange the audit together", "together; quoted: solely"),
        ("The Bank is solely responsible for the audit.", "The audit is not shared", None),
        ("Both deeds have the same date.", "The deeds have different dates", "different; quoted: same"),
        ("Senior debt is paid in preference to the notes.", "Senior debt ranks behind the notes", "behind; quoted: preference"),
        ("The Supplier uses reasonable efforts to deliver.", "The supplier guarantees delivery", "guarantees; quoted: reasonable efforts"),
        ("The Buyer shall insure the goods.", "The buyer can choose whether to insure the goods", "can choose; quoted: shall"),
        ("If the Carrier is late, the Shipper may terminate the deed.", "If the goods are late, the carrier can walk away", "carrier; quoted: Shipper"),
        ("The Carrier shall give the Shipper a list of the goods.", "The shipper has to draw up a list of the goods", "shipper; quoted: Carrier"),
        ("The Carrier will pay the Shipper 5% of the freight.", "The shipper owes the carrier a share of the freight", "shipper"),
        ("The Bank may audit the records of the Supplier.", "The bank is bound to check the files", "bank must; quoted: may"),
        ("The Carrier shall follow the safety plan.", "The carrier can ignore storms", "carrier may; quoted: shall"),
        ("The Owner acts in good faith.", "The owner's say over the plans is unfettered", "unfettered; quoted: good faith"),
        ("The files must be returned or destroyed.", "The recipient is free to keep the files", "is free to; quoted: must"),
        ("A creditor may agree or refuse to mediate.", "A creditor is obliged to take part in mediation", "obliged to take; quoted: refuse"),
        ("The Bank must reply within ten days.", "The bank must reply on the spot", "on the spot; quoted: within"),
        ("The losing party shall bear the costs of the suit.", "Each side bears its own costs of the suit", "its own costs; quoted: losing party"),
        ("Delivery is included in the price.", "Delivery is an extra charge", "extra charge; quoted: included"),
        ("The Licensee may make a single copy.", "The licensee may make several copies", "several; quoted: single"),
        ("He shall disclose only that portion of the files.", "He discloses all of the files", "all of the; quoted: only that portion"),
        ("The duty of secrecy shall survive the Term.", "The duty of secrecy ends with the term", "ends with; quoted: shall survive"),
        ("Staff may see the files only if they signed.", "Staff may see the files whether or not they signed", "whether or not; quoted: only"),
        ("The deposit is repaid without interest.", "The deposit is repaid together with interest", "together with interest; quoted: without interest"),
        (
            "Neither party may assign the deed, except that the Bank may assign it to an affiliate.",
            "The bank needs consent to assign it to an affiliate",
            "needs consent; quoted: may assign",
        ),
        ("The Lessee shall keep the premises clean.", "The supplier warrants the quality of its goods", "supplier"),
    ],
)  # fmt: skip
def test_a_mark_says_what_the_quotation_says_instead(quotation: str, sentence: str, mark: str | None) -> None:
    assert find_unsupported(sentence, Evidence(quotation)) == mark


@pytest.mark.parametrize(
    ("quotation", "sentence"),
    [
        ("The Owner grants a nonexclusive licence of the marks.", "The licence of the marks is not exclusive"),
        (
            "A cancellation takes effect from the request and not before.",
            "Cancellation never works backwards",
        ),
        ("Rent is the only income of the estate.", "The estate has income from rent alone"),
        ("Every share confers voting rights equal to one per share.", "Each share gives one vote"),
        (
            "A resolution must be passed by a majority of the members present.",
            "Decisions need the votes of a majority of the members",
        ),
        ("The Board may refuse a request at any time.", "The board may refuse a request whether or not it was made in time"),
        (
            "If the Carrier is late, the Shipper may terminate the deed.",
            "If the carrier is late, the carrier can be given notice by the shipper",
        ),
        ("The Shipper accepts changes made by the Carrier, which the Shipper may inspect.", "The carrier may make changes"),
        (
            "The Carrier must ask the Shipper but may sail without its consent in a storm.",
            "The carrier may sail without consent in a storm",
        ),
        ("The Carrier will pay the Shipper 5% of the freight.", "The carrier owes the shipper a share of the freight"),
        ("The Bank may audit the records only if it warns the Supplier.", "The bank must warn the supplier"),
        ("Nothing is published without the Company's prior permission.", "An article appears with the company's permission"),
        (
            "The Recipient may speak if it warns the other forty-eight hours ahead.",
            "The recipient may speak if it warns the other two days ahead",
        ),
        ("The Owner shall give a third party the plans.", "The owner must give the third party the plans"),
        (
            "While the Club is not required to follow the Code, it has chosen to follow it.",
            "For the club, following the Code is voluntary",
        ),
        ("The duty binds him to the extent permitted by law.", "The duty binds him only so far as the law permits"),
        ("Staff have 25 working days' leave in every calendar year.", "Staff have 25 working days of leave a year"),
        ("Payment is due within ten days and default ends the deed forthwith.", "Default ends the deed at once"),
    ],
)
def test_the_same_limit_in_another_word_is_supported(quotation: str, sentence: str) -> None:
    assert find_unsupported(sentence, Evidence(quotation)) is None
