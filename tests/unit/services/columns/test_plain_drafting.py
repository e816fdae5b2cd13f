"""Clauses and values of documents in plain words, and of reference tables whose columns are aligned with blanks."""

from __future__ import annotations

import pytest

from orderly.services.columns import DocumentFiller, can_fill
from orderly.services.values import find_parties

TABLE = """LEASE

Reference table

Item 1   Landlord            Heron Wharf Pty Ltd (ACN 600 100 200)
Item 2   Tenant              Dot & Dash Pty Ltd (ACN 600 300 400)
Item 3   Commencement Date   1 May 2024
Item 4   Expiry Date         30 April 2027
Item 5   Further term        Two (2) years

1. The Tenant must keep the shop open on weekdays.
"""
OTHERWISE = "1. The parties will meet once a month at the office of the first of them and talk about the work.\n\n2. {}\n"


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        ("non-compete", "You must not work for a business that competes with our clinic for three months after you leave us."),
        ("non-solicitation of employees", "The Consultant must not ask any of our staff to leave us."),
        ("non-solicitation of customers", "For a year you must not approach any patient of the practice."),
        ("minimum commitment", "The Grower has to buy no fewer than 300 trays of seedlings in a season."),
        ("liquidated damages", "If the Builder is late it must pay $900 for every day of delay."),
        ("uncapped liability", "Nothing in this contract limits our liability for death or injury."),
        ("cap on liability", "The most that the Carrier has to pay for all claims together is $50,000."),
        ("change of control", "A change in who controls the Operator counts as a transfer of this agreement."),
        ("audit rights", "The Grantor may look at the Grantee's records of the project during office hours."),
        ("license grant", "Wombat lets the School use the software for its own lessons."),
        ("insurance", "The Hirer must take out public liability insurance before the event."),
        ("relocation", "We may ask you to move to other rooms in the building on two months' notice."),
        ("demolition", "If we plan to demolish the building we can end this lease on six months' notice."),
        (
            "automatic renewal",
            "It continues for further periods of a year each, unless one of us tells the other that it is to end.",
        ),
        ("cap on liability", "The most that the Surveyor can be made to pay is the fee for the survey."),
        ("uncapped liability", "Clause 9.3 does not apply to fraud or to the death of a passenger."),
        ("assignment", "Neither of us may transfer its interest in this contract to another person."),
        ("price restrictions", "The Mill must not raise its prices before the first harvest is over."),
        ("license grant", "The Studio gives the Gallery a right, for the length of the show, to use the drawings."),
        ("non-transferable license", "The Studio gives you a licence to show the film, which you may not transfer."),
        ("affiliate rights of the licensee", "Any company in your group may also use the platform while you do."),
        ("audit rights", "Twice a year we may inspect your kitchens to make sure that you comply with the recipe."),
        ("return or destruction", "Within a week you must send back everything that the Council has given you."),
        (
            "change of control",
            "If someone who does not own the Ferry Company today comes to control it, we may end this contract.",
        ),
        ("right of first refusal", "Before the Club sells the boat it must offer it to the Members at the price that it asks."),
        ("most favoured nation", "If the Mill sells flour to others at lower prices, it must give the Baker the same prices."),
        ("insurance", "The Borrower of the crane must keep it insured for what it would cost to replace."),
        ("insurance", "The Stallholder must insure the stall against fire and storm."),
        ("revenue sharing", "Every Friday the Busker must pay the Council 8% of the takings of the week."),
        ("covenant not to sue", "The Stockist must not contest our ownership of the names or help others to do so."),
        ("license grant", "For the season we allow you to run a kiosk using the Surf Club's name and logo."),
        ("non-transferable license", "The permission covers one kiosk, and you may not pass it to anyone."),
        ("ownership of intellectual property", "Whatever recipe the Cook develops at work becomes the Restaurant's property."),
        ("exclusivity", "Within ten kilometres of the kiosk the Club will not open any other kiosk."),
        ("exclusivity", "The Café must buy all its beans for the kiosk from the Roaster and from no one else."),
        ("effects of termination", "As soon as this franchise ends you must take down the signs and give back the manual."),
        ("non-solicitation of employees", "For a year neither of us may offer a job to an officer of the other."),
        ("cap on liability", "Neither the Club nor the Member is liable to the other for loss of profit."),
        ("assignment", "A transfer of the notes needs the consent of the company in writing."),
        ("price restrictions", "The Carrier may change the rate card once a year, by no more than 2%."),
        ("non-transferable license", "The right to sing the song cannot be passed on by the Choir to others."),
        ("non-transferable license", "A licence to sing the song goes with this letter and cannot be passed on to others."),
        ("assignment", "The Baker may not subcontract or assign."),
        ("cap on liability", "What the Club has to pay for all claims of a season is capped at the fee."),
        ("cap on liability", "No party has to pay another for lost profits or for what follows from them."),
        ("uncapped liability", "The cap does not touch what is due for fraud or for injury to a person."),
        ("effects of termination", "Within two weeks after the end the Keeper must hand back the keys and the book."),
        ("exclusivity", "The Dairy must not make yoghurt for any other brand that the shops of the town sell."),
        ("minimum commitment", "The Hotel commits to buy 900 loaves or more in every month."),
        ("price restrictions", "The price stays the same until the end of the harvest."),
        ("warranty duration", "The Boatbuilder promises that the hull will stay tight for 18 months after the launch."),
        ("termination for convenience", "The Festival may end it whenever it likes on two months' written notice."),
        ("change of control", "You must tell us if more than half of the shares in the Mill change hands."),
        ("guarantors", "Mr Kofi Mensah guarantees to us that you will pay what you owe."),
        ("insurance", "The Haulier is to hold marine cover insurance of $2 million for the voyage."),
        ("insurance", "The Haulier keeps the cargo insured once it is on the truck."),
        ("exclusivity", "The Grower will sell all the olives of the grove to the Mill, and to no other buyer."),
        ("minimum commitment", "The Grower is to deliver no less than 40 tonnes in a year."),
        ("price restrictions", "The Mill cannot lower the price while this contract runs."),
        ("cap on liability", "The Surveyor's liability for the plan ends at the amount that the Owner has paid."),
        ("ownership of intellectual property", "Copyright in the plan vests in the Owner when it is drawn."),
        ("change of control", "If the Mill is taken over by another mill, the Grower may end this contract."),
        ("liquidated damages", "If the Mill pulls out before the harvest it must pay the Grower $12,000."),
        ("termination for convenience", "The Mill can pull out on 90 days' notice and need not say why."),
        ("return or destruction", "You must give every drawing, note and copy back to the Designer within a week."),
        ("compelled disclosure", "If a court obliges the Mill to tell what it knows of the recipe, it may do so."),
        ("option to renew", "You may renew this lease by telling us in writing six months before it ends."),
        ("exclusivity", "During the season the Grower must not sell olives to any other mill in the valley."),
        ("exclusivity", "While it runs, all of the flour that you bake with must be bought from us."),
        ("exclusivity", "The Maker will not itself sell the boats in Tasmania."),
        ("insurance", "The Haulier will keep in force marine cover of not less than $3 million for each voyage."),
        ("audit rights", "The Stockist must keep true accounts and must let the Maker’s accountant inspect and copy them."),
        ("audit rights", "We may count, here or from afar and on a week’s notice, how many people use the app."),
        ("effects of termination", "Upon determination of this deed the Stockist shall return every sample to the Maker."),
        ("effects of termination", "When it stops, each of you gives back what belongs to the other."),
        ("license grant", "We give you a personal, revocable right to install and use the app on one telephone."),
        ("affiliate rights of the licensee", "You may let your subsidiaries and agencies use the app too."),
        ("ownership of intellectual property", "A drawing made by the Designer for the work vests in the Owner at once."),
        ("ownership of intellectual property", "You assign to us any rights that you come to have in changes of the app."),
        ("non-disparagement", "You must not, then or later, say anything that hurts the good name of the club."),
        ("non-solicitation of employees", "For a year it must not offer employment to a miller of the other whom it met here."),
        ("change of control", "It is a default if Ms Tran ceases to hold at least half of the shares in the Mill."),
        ("uncapped liability", "The cap has no application to fraud or to injury of a person."),
        ("volume restriction", "The Mill need not deliver more than 90 tonnes in a week."),
        ("volume restriction", "No more than the agreed number of devices may use the app at one time."),
        ("cap on liability", "No claim of the Baker can come to more than $90,000 in a year."),
        ("source code escrow", "The Maker must lodge the build files and source with a solicitor in Hobart."),
        ("revenue sharing", "The Stallholder must remit to the Council 12% of its weekly takings."),
        ("assignment", "You need our consent in writing before you pass this contract on to others."),
        ("assignment", "The tenant can hand on the lease if the landlord agrees."),
        ("warranty duration", "If a boat leaks within 90 days after delivery, the Maker will repair it for nothing."),
        ("outgoings", "The tenant's share of the outgoings of the market hall is 4%."),
        ("option to renew", "Option: 2 years"),
        ("price restrictions", "We may raise our charges every July with a month's notice, but not by more than 4%."),
        (
            "automatic renewal",
            "Unless the Baker gives the Mill two months' notice before the term ends, these terms continue for another year.",
        ),
        ("relocation", "It can offer another stall, and then the licensee has to shift into that stall within a month."),
        ("demolition", "If the hall is to be pulled down, the landlord may finish this lease on a quarter's notice."),
    ],
)
def test_plain_words_state_a_clause(subject: str, sentence: str) -> None:
    assert can_fill(subject, "yes_no")
    text = OTHERWISE.format(sentence)
    filled = DocumentFiller(text).fill(subject, "yes_no")
    assert filled.state == "found"
    assert filled.finding is not None
    assert any(sentence in text[slice(*span)] for span in filled.finding.quotations)
    assert DocumentFiller(OTHERWISE.format("They share the cost of the coffee.")).fill(subject, "yes_no").state == "not_found"


def test_no_renewal_without_an_agreement_is_not_an_automatic_one() -> None:
    filled = DocumentFiller(OTHERWISE.format("This agreement does not renew unless both sides agree in writing.")).fill(
        "automatic renewal", "yes_no"
    )
    assert filled.finding is None or filled.finding.value is False


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        ("default interest", "If an amount is overdue you must pay interest on it at 3% a year above the usual rate."),
        ("interest rate", "Interest is payable at the rate of 6.4 per cent per annum on the balance."),
        ("make good", "When the lease ends the Tenant must take down its signs, remove its shelves and repaint the walls."),
        ("position", "The Council employs you as Parks Supervisor in its northern depot."),
        ("award", "The Clerks Award 2020 covers this employment and sets its minimum terms."),
        ("financial covenants", "The Borrower must make sure that its gearing ratio does not exceed 55%."),
        ("title and risk", "Property in the goods passes to the Buyer when it has paid for all of them."),
    ],
)
def test_the_sentence_that_states_a_subject_is_the_text_of_its_cell(subject: str, sentence: str) -> None:
    finding = DocumentFiller(OTHERWISE.format(sentence)).fill(subject, "text").finding
    assert finding is not None
    assert sentence in str(finding.value)


def test_interest_on_late_payments_is_not_the_rate_of_interest() -> None:
    late = OTHERWISE.format("If you do not pay on time you must pay interest at 9% per annum.")
    assert DocumentFiller(late).fill("interest rate", "text").state == "not_found"


def test_a_list_is_part_of_the_text_that_leads_to_it() -> None:
    text = OTHERWISE.format(
        "Each of these is an event of default:\n(a) a payment is five days late;\n(b) the ship is lost;\n(c) a mortgage is given."
    )
    finding = DocumentFiller(text).fill("events of default", "text").finding
    assert finding is not None
    assert "the ship is lost" in str(finding.value)
    assert "a mortgage is given" in str(finding.value)


def test_an_item_is_read_with_the_words_that_lead_to_it() -> None:
    text = OTHERWISE.format(
        "For six months after the season ends you must not:\n(a) speak to the press; or\n(b) persuade any of our customers to leave."
    )
    filled = DocumentFiller(text).fill("non-solicitation of customers", "yes_no")
    assert filled.finding is not None
    lead, item = (text[slice(*span)] for span in filled.finding.quotations)
    assert "you must not:" in lead
    assert item.startswith("(b) persuade")
    assert DocumentFiller(text).fill("non-solicitation of employees", "yes_no").state == "not_found"


@pytest.mark.parametrize(
    ("subject", "lead", "items"),
    [
        ("events of default", "You are in default if:", "(a) you pay late; or\n(b) you close the mill."),
        ("make good", "On the day this lease ends you must:", "(a) take down your shelves; and\n(b) give us back the keys."),
    ],
)
def test_a_short_lead_is_read_with_its_list(subject: str, lead: str, items: str) -> None:
    finding = DocumentFiller(OTHERWISE.format(f"{lead}\n{items}")).fill(subject, "text").finding
    assert finding is not None
    assert str(finding.value).endswith(items.split("\n")[1])


def test_values_of_a_plain_renewal() -> None:
    text = OTHERWISE.format(
        "When the two years are over this agreement continues for further periods of 6 months each, unless one of us tells the "
        "other at least 45 days before the end of the period that it does not want to continue."
    )
    renewal = DocumentFiller(text).fill("renewal", "duration").finding
    notice = DocumentFiller(text).fill("notice of non-renewal", "duration").finding
    assert renewal is not None
    assert notice is not None
    assert (renewal.value, notice.value) == ("P6M", "P45D")


def test_a_lease_that_expires_at_midnight_has_its_date() -> None:
    finding = (
        DocumentFiller(OTHERWISE.format("The lease expires at midnight on 30 June 2027."))
        .fill("term and expiry", "date")
        .finding
    )
    assert finding is not None
    assert finding.value == "2027-06-30"


def test_outgoings_that_the_landlord_pays_are_not_the_tenants() -> None:
    text = OTHERWISE.format("The Landlord pays all rates and other outgoings of the building.")
    finding = DocumentFiller(text).fill("outgoings", "yes_no").finding
    assert finding is not None
    assert finding.value is False


def test_the_law_applying_in_a_state_governs() -> None:
    text = OTHERWISE.format("This deed is governed by the laws applying in Tasmania.")
    finding = DocumentFiller(text).fill("governing law", "jurisdiction").finding
    assert finding is not None
    assert "Tasmania" in str(finding.value)


@pytest.mark.parametrize(
    ("subject", "kind", "value"),
    [("effective date", "date", "2024-05-01"), ("term and expiry", "date", "2027-04-30"), ("option to renew", "yes_no", True)],
)
def test_a_table_of_aligned_columns_states_values(subject: str, kind: str, value: object) -> None:
    finding = DocumentFiller(TABLE).fill(subject, kind).finding
    assert finding is not None
    assert finding.value == value


def test_the_date_of_commencement_in_a_table_is_not_the_date_of_the_agreement() -> None:
    assert DocumentFiller(TABLE).fill("agreement date", "date").state == "not_found"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (TABLE, ["Heron Wharf Pty Ltd", "Dot & Dash Pty Ltd"]),
        ("EMPLOYER:  Curlew Media Pty Ltd\nEMPLOYEE:  Ines Duarte, 9 Hill Road, Kyneton VIC 3444\n", ["Curlew Media Pty Ltd", "Ines Duarte"]),
        ('Contract\n\nMagpie Roofing Pty Ltd ("Magpie", "we")\nand\nOlu Adeyemi of 4 Dale Street ("you")\n', ["Magpie Roofing Pty Ltd", "Olu Adeyemi"]),
        ("Licence\n\nBetween Lyrebird Apps Pty Ltd (Lyrebird) and Shire of Dunmore (Customer)\n\n1 Start\n", ["Lyrebird Apps Pty Ltd", "Shire of Dunmore"]),
        ("Between: Quoll Data Pty Ltd ABN 11 222 333 444 (we, us)\nAnd: Shire of Dunmore (you)\n\n1. Start and finish\n1.1 We start in May.\n", ["Quoll Data Pty Ltd", "Shire of Dunmore"]),
        ("Parties: Numbat Foods Pty Ltd (Numbat) and Cove Cafes Pty Ltd (Buyer)\nSigned: 3 May 2024\n", ["Numbat Foods Pty Ltd", "Cove Cafes Pty Ltd"]),
    ],
)  # fmt: skip
def test_parties_of_tables_letters_and_short_openings(text: str, names: list[str]) -> None:
    assert [party.name for party in find_parties(text)] == names


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        ("insurance", "Each side agrees to tell its staff of the rules and to insure that they are kept by all of them."),
        (
            "ownership of intellectual property",
            "Drawings that the Owner lends to the Builder remain the property of the Owner.",
        ),
        ("warranty duration", "Our promises about the secrets of the other last for five years from today."),
        ("termination for convenience", "The Club may end this contract at any time if the Member breaks a rule of the house."),
        (
            "termination for convenience",
            "The Club may end this contract at any time in the event that the Member does not pay.",
        ),
        ("license grant", "The Owner lets the Builder use the gate in the lane on weekdays."),
        ("change of control", "The Insurer may take control of the defence of a claim made by a third person."),
    ],
)
def test_words_of_another_subject_state_no_clause(subject: str, sentence: str) -> None:
    assert DocumentFiller(OTHERWISE.format(sentence)).fill(subject, "yes_no").state != "found"


@pytest.mark.parametrize(
    ("subject", "sentence", "value"),
    [
        ("rent review", "On 1 March of each year the Rent rises by 4%.", "rises by 4%"),
        ("permitted use", "The Lessee may use the Barn only for storing hay and tools.", "storing hay"),
        ("purpose", "You may use the information only to decide whether to bid for the mine.", "to decide whether to bid"),
        ("financial covenants", "The Borrower must keep at least $40,000 in cash in its account.", "$40,000 in cash"),
        ("make good", "After this lease ends the Lessee must dismantle the mast and re-sow the ground.", "dismantle the mast"),
        ("events of default", "You are in default when you do not pay within a week.", "in default when"),
        ("default interest", "If you miss a payment we charge an extra 4% a year on it.", "extra 4%"),
        ("make good", "By the last day of the term the Lessee must take out its shelves.", "take out its shelves"),
    ],
)
def test_plain_words_state_a_text(subject: str, sentence: str, value: str) -> None:
    assert can_fill(subject, "text")
    finding = DocumentFiller(OTHERWISE.format(sentence)).fill(subject, "text").finding
    assert finding is not None
    assert value in str(finding.value)


def test_an_item_that_answers_stands_without_the_items_beside_it() -> None:
    items = "(a) your debt service cover must be 1.3 or better;\n(b) your gearing must stay below 60%; and\n(c) you must paint the boat."
    finding = DocumentFiller(OTHERWISE.format(f"While you owe us money:\n{items}")).fill("financial covenants", "text").finding
    assert finding is not None
    assert "gearing" in str(finding.value)
    assert "paint the boat" not in str(finding.value)


def test_use_of_information_is_no_use_of_premises() -> None:
    text = OTHERWISE.format("The Recipient must use the information only for the project that the parties talk about.")
    assert DocumentFiller(text).fill("permitted use", "text").finding is None


PADDOCK = """AGREEMENT FOR A PADDOCK

Owner          Nell Hardy
User           Bluegum Ponies Pty Ltd ACN 600 100 300
Paddock        Lot 4, Creek Road, Gundaroo, about 12 hectares with a shed
Opening Date   4 March 2024

1. The Owner leases the Paddock to the User. The lease begins on the Opening Date and lasts for two years.
"""


def test_an_item_with_a_name_of_its_own_says_what_is_leased_and_when_the_lease_begins() -> None:
    filler = DocumentFiller(PADDOCK)
    premises, starts, ends = (
        filler.fill(*asked).finding for asked in (("premises", "text"), ("effective date", "date"), ("term and expiry", "date"))
    )
    assert premises is not None
    assert str(premises.value).startswith("Lot 4, Creek Road")
    assert starts is not None
    assert starts.value == "2024-03-04"
    assert "leases the Paddock" not in PADDOCK[slice(*starts.quotations[0])]
    assert ends is not None
    assert ends.value == "2026-03-04"
    assert ends.computed
    assert filler.fill("agreement date", "date").finding is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            'AGREEMENT\n\nHarbour Kiosks Pty Ltd ACN 600 100 200 ("we")\nand\nThe operator named in item 1 of the Schedule ("you")\n\n'
            "1. You may run the kiosk.\n\nSCHEDULE\nItem 1  Operator: Sandy Feet Pty Ltd ACN 600 300 400\n",
            ["Harbour Kiosks Pty Ltd", "Sandy Feet Pty Ltd"],
        ),
        (
            "DEED\n\nPARTIES\n\n1. Acacia Mines Limited (ACN 600 100 200) of 1 King Street, Perth (Farmor)\n"
            "2. Bottlebrush Drilling Pty Ltd (ACN 600 300 400) of 2 Queen Street, Perth (Farminee)\n\nBACKGROUND\nA. The Farmor owns a mine.\n",
            ["Acacia Mines Limited", "Bottlebrush Drilling Pty Ltd"],
        ),
        (
            "Acacia Mines Ltd\nACN 600 100 200\n1 King Street\nPerth\n\n3 May 2024\n\nThe Directors\nBottlebrush Pty Ltd (ACN 600 300 400)\n"
            "2 Queen Street\nPerth\n\nDear Directors\n\nWe talk about a mine. By signing below we both agree to keep it secret.\n",
            ["Acacia Mines Ltd", "Bottlebrush Pty Ltd"],
        ),
    ],
)
def test_parties_of_plain_openings(text: str, names: list[str]) -> None:
    assert [party.name for party in find_parties(text)] == names


@pytest.mark.parametrize(
    ("sentence", "renews"),
    [
        ("This Agreement begins on 1 May 2024 and shall continue for a period of 12 months.", False),
        ("The licence continues for a term of two years from the date of the deed.", False),
        ("After that this Agreement continues for a further period of 12 months.", True),
    ],
)
def test_the_first_term_of_an_agreement_is_no_renewal(sentence: str, renews: bool) -> None:
    filled = DocumentFiller(f"SUPPLY AGREEMENT\n\n{sentence}\n").fill("renewal", "duration")
    assert (filled.finding is not None and filled.state == "found") == renews


def test_a_term_counts_from_a_day_with_a_name_of_its_own() -> None:
    text = "ORDER\n\nProvider:  Emu Apps Pty Ltd ACN 600 100 200\nSubscriber:  Kiln Inc ABN 60 010 020 030\nGo-live date: 1 May 2024\n"
    filler = DocumentFiller(f"{text}Minimum term: 12 months from the go-live date\n\n1. Emu runs the app for the Subscriber.\n")
    starts, ends = (filler.fill(subject, "date").finding for subject in ("effective date", "term and expiry"))
    assert starts is not None
    assert ends is not None
    assert (starts.value, ends.value) == ("2024-05-01", "2025-05-01")
    assert [party.name for party in find_parties(text)] == ["Emu Apps Pty Ltd", "Kiln Inc"]


@pytest.mark.parametrize(
    ("subject", "text", "value"),
    [
        (
            "effective date",
            "Supply period: 1 May 2024 to 30 April 2026\n\n1. The Grower sells olives to the Mill.",
            "2024-05-01",
        ),
        (
            "term and expiry",
            "Supply period: 1 May 2024 to 30 April 2026\n\n1. The Grower sells olives to the Mill.",
            "2026-04-30",
        ),
        ("effective date", "Dear Ana\n\nYou will be joining us as Head Gardener from Monday 6 May 2024.", "2024-05-06"),
    ],
)
def test_dates_of_periods_and_of_letters(subject: str, text: str, value: str) -> None:
    finding = DocumentFiller(f"AGREEMENT\n\n{text}\n").fill(subject, "date").finding
    assert finding is not None
    assert finding.value == value


def test_a_chosen_law_governs() -> None:
    finding = (
        DocumentFiller(OTHERWISE.format("The parties choose the law of South Australia."))
        .fill("governing law", "jurisdiction")
        .finding
    )
    assert finding is not None
    assert "South Australia" in str(finding.value)


def test_lines_that_end_with_a_name_of_any_kind_are_parties() -> None:
    text = "DEED\n\nBy    Quartz Pumps Pty Ltd ACN 600 100 200 of 3 Dam Road, Hobart (the Company)\nTo    Ada Lund of 9 King Street, Hobart (the Maker)\n"
    assert [party.name for party in find_parties(f"{text}\n1. The Company looks at the pump.\n")] == [
        "Quartz Pumps Pty Ltd",
        "Ada Lund",
    ]
    traders = "Between    K Berg, trading as Hill Farm (Grower)\nAnd        Valley Mill Ltd ACN 600 100 200 (Miller)\n"
    assert [p.name for p in find_parties(f"OLIVES\n\n{traders}\n1. Olives.\n")] == ["K Berg", "Valley Mill Ltd"]


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        ("exclusivity", "The Carrier accepts that it is not the only carrier of the Mill's flour and may be joined by others."),
        ("minimum commitment", "The Mill does not promise any volume of orders and need not order at all in a year."),
        ("license grant", "Nothing in this agreement grants the Baker a licence of the Mill's trade marks or of its name."),
    ],
)
def test_a_sentence_that_denies_a_clause_is_not_quoted_for_it(subject: str, sentence: str) -> None:
    assert DocumentFiller(OTHERWISE.format(sentence)).fill(subject, "yes_no").state == "not_found"


def test_the_words_that_lift_a_cap_are_not_quoted_for_the_cap() -> None:
    cap = "To the extent permitted by law, each party's aggregate liability is capped at $40,000."
    lifted = "The cap in the clause before this one has no application to liability for fraud or the death of a person."
    text = OTHERWISE.format(f"{lifted}\n\n3. {cap}")
    finding = DocumentFiller(text).fill("cap on liability", "yes_no").finding
    assert finding is not None
    assert all(lifted not in text[slice(*span)] for span in finding.quotations)


def test_a_day_of_expiry_precedes_the_day_that_a_period_gives() -> None:
    text = """LEASE

Item 1. Commencing Date: 1 August 2025
Item 2. Term: Five (5) years

1. The Term begins on the Commencing Date and expires on 31 July 2030.
"""
    finding = DocumentFiller(text).fill("term and expiry", "date").finding
    assert finding is not None
    assert finding.value == "2030-07-31"


def test_a_company_name_does_not_make_a_date_another_documents() -> None:
    text = 'SERVICES AGREEMENT\n\nbetween\n\nTorrens Clinic Incorporated ("Principal")\n\ndated 30 October 2024\n\n1. Work is done.\n'
    finding = DocumentFiller(text).fill("agreement date", "date").finding
    assert finding is not None
    assert finding.value == "2024-10-30"


@pytest.mark.parametrize(
    ("subject", "sentence", "value"),
    [
        (
            "renewal",
            "This deed renews for successive periods of 2 years each unless a party gives notice not to renew it.",
            "P2Y",
        ),
        (
            "notice of non-renewal",
            "The term shall be extended for a year unless a party, not less than six (6) months before its end, has notified the"
            " other that it does not wish it to be so extended.",
            "P6M",
        ),
        ("notice of termination", "Within that time either of us may end it on a week's notice.", None),
        (
            "notice of non-renewal",
            "Unless you give us 60 days' notice before it ends, this contract continues for another year.",
            "P60D",
        ),
        ("payment terms", "Our bills fall due 21 days after their date.", "P21D"),
    ],
)
def test_plain_words_state_a_time(subject: str, sentence: str, value: str | None) -> None:
    finding = DocumentFiller(OTHERWISE.format(sentence)).fill(subject, "duration").finding
    assert (finding and finding.value) == value


@pytest.mark.parametrize(("title", "value"), [("CONFIDENTIALITY DEED", "P2Y"), ("LICENCE OF A STALL", None)])
def test_obligations_of_a_deed_about_confidence_last_as_long_as_confidence(title: str, value: str | None) -> None:
    text = f"{title}\n\n1. The obligations in this deed end two years after its date, even if the talks stop earlier.\n"
    finding = DocumentFiller(text).fill("duration of confidentiality", "duration").finding
    assert (finding and finding.value) == value


def test_the_names_behind_by_are_the_parties() -> None:
    text = 'This contract was signed on 3 May 2025 by Heron Growers Ltd ("we") and Egret Mills Pty Ltd ("you").\n'
    assert [party.name for party in find_parties(text)] == ["Heron Growers Ltd", "Egret Mills Pty Ltd"]


def test_security_is_read_from_its_definition() -> None:
    text = OTHERWISE.format("“Security” means the mortgage over the Horsham land that the borrower signs on the same day.")
    assert DocumentFiller(text).fill("security given", "text").state == "found"


def test_employment_begins_on_the_day_from_which_a_party_employs() -> None:
    finding = (
        DocumentFiller(OTHERWISE.format("The Mill employs the Baker as its head of bread from 1 July 2025."))
        .fill("effective date", "date")
        .finding
    )
    assert finding is not None
    assert finding.value == "2025-07-01"


def test_another_period_is_not_offered_as_the_term() -> None:
    text = OTHERWISE.format("Restraint Period means 12 months, 9 months or 6 months after the employment ends.")
    assert DocumentFiller(text).fill("term and expiry", "date").state == "not_found"
