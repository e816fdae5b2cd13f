"""Sentences that repeat or report their quotation with one thing altered."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported
from orderly.services.support.nearly_verbatim import find_altered
from orderly.services.support.payers import find_other_payer
from orderly.services.support.turned import find_turned

AUDIT = (
    "The Operator shall maintain full and accurate books of account for six years after expiry, and neither the Operator nor the "
    "Manager shall destroy any of them without giving the Auditor thirty (30) days' notice."
)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("The Operator must maintain full and accurate books of account for six years after expiry", None),
        ("The Operator shall not maintain full and accurate books of account for six years after expiry", "not"),
        ("The Operator may maintain full and accurate books of account for six years after expiry", "may"),
        ("The Manager must maintain full and accurate books of account for six years after expiry", "Manager"),
        ("The Operator must maintain full or accurate books of account for six years after expiry", "or"),
        ("The Operator must maintain full and accurate books of account for six years before expiry", "before"),
        ("The Operator has to keep full and accurate books of account for 6 years after expiry", None),
        ("Neither the Operator nor the Manager shall destroy any of them without giving the Auditor 30 days' notice", None),
        ("Neither the Operator nor Services shall destroy any of them without giving the Auditor 30 days' notice", "Services"),
        ("Neither the Operator nor the Manager shall destroy any of them without giving the Auditor 20 days' notice", "20"),
        ("The Operator may keep full and accurate books of account for six years after expiry", "may"),
        ("Books must be kept, fully and accurately, by the Operator until six years have passed since expiry", None),
    ],
)
def test_a_sentence_nearly_in_the_quoted_words_alters_none_of_them(sentence: str, word: str | None) -> None:
    assert find_altered(sentence, AUDIT) == word


@pytest.mark.parametrize(
    ("sentence", "quotation", "word"),
    [
        ("The visitor is permitted in the vault at night.", "The visitor is not permitted in the vault at night.", "not"),
        ("The visitor is permitted in the vault by day only.", "The visitor is not permitted in the vault except by day.", None),
        ("The stock is at least the equivalent of ten days.", "The stock is not less than the equivalent of ten days.", None),
        ("LICENSEE may not end the deed on 90 days of notice.", "LICENSEE may terminate this deed on 90 days of notice.", "not"),
        ("The fee falls due prior to the first delivery of goods.", "The fee falls due following the first delivery of goods.", "before"),
        ("The later of the two dates decides on the delivery.", "The earlier of the two dates decides on the delivery.", "later"),
        ("The price is binding, nor shall it be read as an offer to sell.", "The price is not binding, nor shall it be read as an offer to sell.", "not"),
        ("The visitors are not, either of them, permitted in the vault.", "Neither of the visitors is permitted in the vault.", None),
    ],
)  # fmt: skip
def test_a_negation_that_one_has_alone_alters_it(sentence: str, quotation: str, word: str | None) -> None:
    assert find_altered(sentence, quotation) == word


@pytest.mark.parametrize(
    ("sentence", "quotation", "word"),
    [
        ("Notice is due sixty days after renewal", "notice at least sixty (60) days in advance of the renewal date", "after"),
        ("Notice is due 60 days before renewal", "notice at least sixty (60) days in advance of the renewal date", None),
        ("The file may be read after the hearing", "An opportunity, prior to any hearing, to read the file.", "after"),
        ("The file may not be read until after the hearing", "An opportunity, prior to any hearing, to read the file.", None),
        ("Interest runs at the lower of the two rates", "the statutory or the agreed rate, whichever is the greater", "lower"),
        ("Interest runs at the higher of the two rates", "the statutory or the agreed rate, whichever is the greater", None),
        ("It lasts until sale or expiry, whichever comes first", "until sale or expiry, whichever is the later", "first"),
        ("The Agent may sublet without the Owner's approval", "The Agent shall not sublet without the Owner's prior approval.", "the Owner's approval"),
        ("No consent is needed to sublet", "The Agent may sublet only with the Owner's consent.", "consent is needed"),
        ("Consent is in the Owner's sole discretion", "Consent must not be unreasonably withheld.", "sole discretion"),
        ("The notice must give reasons", "The notice may, but need not, give reasons.", "must"),
        ("The notice may give reasons", "The notice may, but need not, give reasons.", None),
        ("Neither party may end it on five days' notice", "Either party may end it on five days' notice.", "Neither party"),
        ("Either party may publish it", "Neither party shall publish it.", "Either party"),
        ("Neither party shall publish it", "Neither party shall publish it.", None),
        ("Prices are in euros", "All prices are quoted in US Dollars.", "euros"),
        ("A licence must be written or signed by the Owner", "A licence must be written and signed by the Owner.", "or"),
        ("It must end by sale and merger", "It ends by sale or merger.", "and"),
        ("Both a sale and a merger end it", "A sale or a merger ends it.", None),
        ("Access is a right, not a privilege", "Access is a privilege and not an entitlement.", "right"),
        ("Access is a privilege, not a right", "Access is a privilege and not an entitlement.", None),
        ("A claim was made under the first policy", "There was no claim under the first policy.", "claim"),
        ("No claim was made under the first policy", "There was no claim under the first policy.", None),
        ("Support runs from Monday to Saturday", "Support is given Monday through Friday.", "Saturday"),
    ],
)  # fmt: skip
def test_order_choice_consent_parties_currency_and_days_are_not_turned_round(
    sentence: str, quotation: str, word: str | None
) -> None:
    assert find_turned(sentence, quotation) == word


@pytest.mark.parametrize(
    ("sentence", "quotation", "payer"),
    [
        ("Travel costs are borne by the Trainer", "The Club shall be responsible for the payment of all travel expenses.", "Trainer"),
        ("The Club pays travel costs", "The Club shall be responsible for the payment of all travel expenses.", None),
        ("It is done at the Trainer's expense", "The Club shall reimburse all costs of the Trainer.", "Trainer"),
        ("The landlord pays the fee", "Each party bears its own fees.", None),
    ],
)  # fmt: skip
def test_a_cost_is_borne_by_whom_the_quotation_says(sentence: str, quotation: str, payer: str | None) -> None:
    assert find_other_payer(sentence, quotation) == payer


@pytest.mark.parametrize(
    ("sentence", "quotation", "wrong"),
    [
        ("The licence is non-exclusive", "The Owner grants an exclusive licence of the marks.", True),
        ("The breach was deliberate", "It must be borne in mind that the breach was unintentional.", True),
        ("Payment obligations lapse at the end", "All payment obligations survive the end of this contract.", True),
        ("The list includes samples", "A minimum quantity in each year, excluding samples.", True),
        ("The term includes a sale", "any other winding up (excluding a sale), whether voluntary or involuntary", True),
        ("Losing exempt status ends it", "The Agent may end it if the Player becomes a non-exempt player.", False),
        ("The licence is not exclusive but joint", "The licence is not exclusive.", False),
        ("Fees are inclusive of tax", "All fees are exclusive of all taxes, levies or duties.", True),
        ("Fees come net of tax", "All fees are exclusive of all taxes, levies or duties.", False),
        ("It renews only by written agreement", "It will automatically renew for one year.", True),
        ("Either party may end it without cause by oral notice", "Either party may end it by written notice.", True),
        ("Interest is due, but no more than the maximum rate", "interest, but not more than the maximum rate permitted", False),
        (
            "In other words, except for the audit, the Agent will not sell any of its parts to others without the Owner's consent",
            "Except for the audit, the Agent will not sell any of its parts to others, without the Owner's consent.",
            False,
        ),
        ("Renewal is an option; it is not automatic", "The Bank may, at its option, renew it.", False),
        ("The cap may not exceed what was paid", "In no event will the cap of the Agent incurred in any action exceed what was paid.", False),
        ("In no case may it use less than reasonable care", "in no case may it use less than reasonable care", False),
    ],
)  # fmt: skip
def test_words_of_opposite_meaning_tell_a_false_sentence(sentence: str, quotation: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, Evidence(quotation)) is not None) is wrong


SALE = 'This deed binds you ("us, the Vendor"). 2. You agree: 2.2 that '


@pytest.mark.parametrize(
    ("sentence", "quotation", "before", "wrong"),
    [
        ("The Vendor may assign its rights in part", "our rights may be assigned in part", SALE, False),
        ("Exclusion 1.8 is of claims from valuations by any person not named", "claims from valuations by any person not named", "1.7 others 1.8 ", False),
        ("Exclusion 1.9 is of claims from valuations by any person not named", "claims from valuations by any person not named", "1.7 others 1.8 ", True),
        ("Sub-cl 4(4) allows a first period of 12 months", "a first period of 12 months", "", False),
        ("Prima facie, a first period of 12 months is allowed", "a first period of 12 months is allowed", "", False),
        ("Exclusion 7.2 is of claims from valuations", "claims from valuations", "7.2 ", False),
    ],
)  # fmt: skip
def test_names_and_numbers_of_the_place_of_a_quotation_are_known(
    sentence: str, quotation: str, before: str, wrong: bool
) -> None:
    assert (find_unsupported(sentence, Evidence(quotation, "deed.txt", before=before)) is not None) is wrong


BEFORE = "THIS DEED binds Zanthor. 3. The Curator will: (a) keep the register; and (b) "


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The Curator must inform Zanthor of any loss", False),
        ("Zanthor must inform the Curator of any loss", True),
        ("The Curator promises", False),
        ("The Restorer promises", True),
    ],
)
def test_a_part_of_a_sentence_is_what_the_whole_sentence_says_of_its_subject(sentence: str, wrong: bool) -> None:
    part = Evidence("inform Zanthor of any loss", "deed.txt", before=BEFORE, after=". Then follows more.")
    assert (find_unsupported(sentence, part) is not None) is wrong
