"""Pages whose stored text is missing, wrong or strange. The page's picture decides what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf
import pytest

from orderly.errors import Empty
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import incomplete_because
from orderly.services.ocr.protocol import OcrPage
from orderly.services.ocr.tesseract import TesseractOcr
from support.odd_pdfs import CLAUSE, NAMELESS_GLYPHS, WRONG_MAPS, Map, saved, scanned, type3, wrongly_mapped

HEADING = ("Notice of termination",)


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def reader(tesseract: TesseractOcr) -> DocumentProcessor:
    return DocumentProcessor(tesseract)


class Counting:
    """Recognises nothing, and counts the pages."""

    name = "counting"

    def __init__(self) -> None:
        self.pages = 0

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        self.pages += 1
        return OcrPage("")


@pytest.mark.parametrize("lines", [CLAUSE, HEADING], ids=["clause", "heading"])
@pytest.mark.parametrize("map", [*WRONG_MAPS.values(), None], ids=[*WRONG_MAPS, "no map"])
async def test_a_font_with_a_wrong_map_is_read_from_the_picture(
    reader: DocumentProcessor, tmp_path: Path, lines: Sequence[str], map: Map | None
) -> None:
    extracted = await reader.extract(saved(wrongly_mapped(lines, map), tmp_path / "odd.pdf"), "odd.pdf")
    assert squeezed(extracted.text) == " ".join(lines)
    assert extracted.pages[0].source == "ocr"


@pytest.mark.parametrize("lines", [CLAUSE, HEADING], ids=["clause", "heading"])
@pytest.mark.parametrize("naming", NAMELESS_GLYPHS.values(), ids=NAMELESS_GLYPHS)
async def test_a_type_3_font_without_names_is_read_from_the_picture(
    reader: DocumentProcessor, tmp_path: Path, lines: Sequence[str], naming: Callable[[int], tuple[int, str]]
) -> None:
    extracted = await reader.extract(saved(type3(lines, naming), tmp_path / "odd.pdf"), "odd.pdf")
    assert squeezed(extracted.text) == " ".join(lines)
    assert extracted.pages[0].source == "ocr"


@pytest.mark.parametrize("name", ["letters exchanged", "letters shifted", "replacement characters", "signs and digits"])
async def test_one_unreadable_font_among_others_is_noticed(reader: DocumentProcessor, tmp_path: Path, name: str) -> None:
    document = wrongly_mapped(CLAUSE * 3, WRONG_MAPS[name])
    for number, line in enumerate(CLAUSE * 3):
        document[0].insert_text((72, 400 + 20 * number), line, fontsize=12)
    extracted = await reader.extract(saved(document, tmp_path / "odd.pdf"), "odd.pdf")
    assert squeezed(extracted.text).count("keep the roof and the walls in good repair") == 6


LIGATURES = ("The definition of confidential information is in clause five of the first schedule.", *CLAUSE)


@pytest.mark.parametrize("sign", ["\ufffd", "\ue000"])
async def test_words_that_lack_a_letter_are_read_from_the_picture(reader: DocumentProcessor, tmp_path: Path, sign: str) -> None:
    lacking_f: Map = lambda letter: sign if letter == "f" else letter  # noqa: E731
    extracted = await reader.extract(saved(wrongly_mapped(LIGATURES, lacking_f), tmp_path / "odd.pdf"), "odd.pdf")
    assert squeezed(extracted.text) == " ".join(LIGATURES)
    assert incomplete_because(extracted) == ()


async def test_a_single_word_that_lacks_a_letter_makes_the_document_partial(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    lacking_v: Map = lambda letter: "\ufffd" if letter == "v" else letter  # noqa: E731
    extracted = await processor.extract(saved(wrongly_mapped(LIGATURES, lacking_v), tmp_path / "odd.pdf"), "odd.pdf")
    assert "characters could not be decoded on page 1" in incomplete_because(extracted)


@pytest.mark.parametrize("mark", ["* ", "*"])
async def test_the_mark_of_a_list_item_is_no_letter(reader: DocumentProcessor, tmp_path: Path, mark: str) -> None:
    lacking_mark: Map = lambda letter: "\ufffd" if letter == "*" else letter  # noqa: E731
    document = wrongly_mapped([mark + line for line in CLAUSE], lacking_mark)
    extracted = await reader.extract(saved(document, tmp_path / "list.pdf"), "list.pdf")
    assert extracted.pages[0].source == "native" and incomplete_because(extracted) == ()


async def test_one_line_in_a_type_3_font_without_names_is_read_from_the_picture(
    reader: DocumentProcessor, tmp_path: Path
) -> None:
    document = type3(LIGATURES[:1], NAMELESS_GLYPHS["numbered"])
    for number, line in enumerate(CLAUSE * 4):
        document[0].insert_text((72, 300 + 20 * number), line, fontsize=11)
    extracted = await reader.extract(saved(document, tmp_path / "odd.pdf"), "odd.pdf")
    assert squeezed(extracted.text) == " ".join([LIGATURES[0], *CLAUSE * 4])


@pytest.mark.parametrize("map", WRONG_MAPS.values(), ids=WRONG_MAPS)
async def test_without_ocr_such_a_file_is_not_ready(processor: DocumentProcessor, tmp_path: Path, map: Map) -> None:
    path = saved(wrongly_mapped(CLAUSE, map), tmp_path / "odd.pdf")
    try:
        extracted = await processor.extract(path, "odd.pdf")
    except Empty as error:
        assert "could not be recognised" in error.message
    else:
        assert incomplete_because(extracted)


PLACEHOLDER = (
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna "
    "aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat."
)
LANGUAGES = {
    "placeholder Latin": PLACEHOLDER,
    "more placeholder Latin": "Phasellus ultrices nulla quis nibh. Quisque a lectus. Donec consectetuer ligula vulputate sem "
    "tristique cursus. Nam nulla quam, gravida non, commodo a, sodales sit amet, nisi. Pellentesque fermentum dolor.",
    "German": "Der Mieter zahlt die Miete am ersten Tag eines jeden Monats an den Vermieter. Die Kündigung bedarf der "
    "Schriftform und ist mit einer Frist von drei Monaten zum Ende eines Quartals zulässig.",
    "French": "Le locataire s'engage à payer le loyer le premier jour de chaque mois. Le présent contrat est régi par la loi "
    "française et tout litige sera soumis aux tribunaux compétents de Paris.",
    "Spanish": "El arrendatario pagará la renta el primer día de cada mes. El presente contrato se regirá por las leyes de "
    "España y las partes se someten a los juzgados y tribunales de Madrid.",
    "Polish": "Najemca zobowiązuje się płacić czynsz do dziesiątego dnia każdego miesiąca. Umowa może zostać rozwiązana przez "
    "każdą ze stron z zachowaniem trzymiesięcznego okresu wypowiedzenia na piśmie.",
    "Finnish": "Vuokralainen maksaa vuokran jokaisen kuukauden ensimmäisenä päivänä vuokranantajan tilille. Sopimus voidaan "
    "irtisanoa kirjallisesti kolmen kuukauden irtisanomisajalla.",
    "Hungarian": "A bérlő köteles a bérleti díjat minden hónap első napján megfizetni a bérbeadó részére. A szerződést bármelyik "
    "fél három hónapos felmondási idővel írásban felmondhatja.",
    "Welsh": "Rhaid i'r tenant dalu'r rhent ar y diwrnod cyntaf o bob mis i'r landlord. Caiff y naill barti neu'r llall ddod "
    "â'r brydles hon i ben drwy roi rhybudd ysgrifenedig o dri mis.",
    "Greek": "Ο μισθωτής υποχρεούται να καταβάλλει το μίσθωμα την πρώτη ημέρα κάθε μήνα στον εκμισθωτή. Η παρούσα σύμβαση "
    "διέπεται από το ελληνικό δίκαιο.",
}


def write(page: pymupdf.Page, text: str, *, invisible: bool = False) -> None:
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_textbox((72, 72, 520, 400), text, fontname="F0", fontsize=12, render_mode=3 if invisible else 0)


@pytest.mark.parametrize("layer", [False, True], ids=["printed", "layer of a scan"])
@pytest.mark.parametrize("text", LANGUAGES.values(), ids=LANGUAGES)
async def test_other_languages_and_placeholders_keep_their_own_text(
    reader: DocumentProcessor, tmp_path: Path, text: str, layer: bool
) -> None:
    document = scanned(lambda page: write(page, text)) if layer else pymupdf.open()
    write(document[0] if layer else document.new_page(), text, invisible=layer)
    extracted = await reader.extract(saved(document, tmp_path / "language.pdf"), "language.pdf")
    assert squeezed(extracted.text) == squeezed(text)
    assert extracted.pages[0].source == "native"
    assert incomplete_because(extracted) == ()


SPARSE = (
    "SCHEDULE 2", "Annex A", "INTRICON", "Exhibit 10.22", "Signature page follows", "Confidential", "Page 7 of 12",
    "Received 12 May 2009", "THE END", "Plans",
)  # fmt: skip


def stamp(words: str, size: float = 12) -> Callable[[pymupdf.Page], object]:
    return lambda page: page.insert_text((230, 400), words, fontsize=size)


@pytest.mark.parametrize("words", SPARSE)
async def test_a_scan_of_one_line_is_read(reader: DocumentProcessor, tmp_path: Path, words: str) -> None:
    path = saved(scanned(stamp(words), dpi=200), tmp_path / "scan.pdf")
    assert squeezed((await reader.extract(path, "scan.pdf")).text) == words


@pytest.mark.parametrize("words", SPARSE)
async def test_a_scan_of_one_line_with_a_typed_page_number_is_read(
    reader: DocumentProcessor, tmp_path: Path, words: str
) -> None:
    document = scanned(stamp(words), dpi=200)
    document[0].insert_text((290, 800), "14")
    extracted = await reader.extract(saved(document, tmp_path / "scan.pdf"), "scan.pdf")
    assert sorted(extracted.text.split()) == sorted([*words.split(), "14"])


@pytest.mark.parametrize("words", SPARSE)
async def test_a_heading_in_outlines_is_read(reader: DocumentProcessor, tmp_path: Path, words: str) -> None:
    with pymupdf.open() as drawn:
        stamp(words, 20)(drawn.new_page())
        svg = pymupdf.open(stream=drawn[0].get_svg_image(text_as_path=True).encode(), filetype="svg")
    path = saved(pymupdf.open("pdf", svg.convert_to_pdf()), tmp_path / "outlines.pdf")
    assert squeezed((await reader.extract(path, "outlines.pdf")).text) == words


async def test_an_outlined_heading_with_a_typed_page_number_is_read(reader: DocumentProcessor, tmp_path: Path) -> None:
    with pymupdf.open() as drawn:
        stamp("Annex A", 20)(drawn.new_page())
        svg = pymupdf.open(stream=drawn[0].get_svg_image(text_as_path=True).encode(), filetype="svg")
    document = pymupdf.open("pdf", svg.convert_to_pdf())
    document[0].insert_text((290, 800), "14")
    extracted = await reader.extract(saved(document, tmp_path / "outlines.pdf"), "outlines.pdf")
    assert extracted.text.split() == ["Annex", "A", "14"]


async def test_a_scan_painted_as_a_pattern_is_read(reader: DocumentProcessor, tmp_path: Path) -> None:
    """Inline, so that the page lists no picture."""
    with pymupdf.open() as drawn:
        stamp("SCHEDULE 2")(drawn.new_page())
        grey = drawn[0].get_pixmap(dpi=100, colorspace=pymupdf.csGRAY)
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), " ")
    head = f"q {page.rect.width} 0 0 {page.rect.height} 0 0 cm BI /W {grey.width} /H {grey.height} /CS /G /BPC 8 ID "
    document.update_stream(page.get_contents()[0], head.encode() + grey.samples + b" EI Q")
    extracted = await reader.extract(saved(document, tmp_path / "inline.pdf"), "inline.pdf")
    assert extracted.text == "SCHEDULE 2"


def white(page: pymupdf.Page) -> None:
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 10, 10, b"\xff" * 100, False), keep_proportion=False)


def paper(page: pymupdf.Page) -> None:
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 10, 10, b"\xf8" * 100, False), keep_proportion=False)


BLANK: dict[str, Callable[[pymupdf.Page], object]] = {
    "nothing": lambda page: None,
    "spaces": lambda page: page.insert_text((72, 72), "   "),
    "no-break spaces": lambda page: page.insert_text((72, 72), "\xa0\xa0"),
    "white picture": white,
    "picture of paper": paper,
    "white rectangle": lambda page: page.draw_rect(page.rect, color=(1, 1, 1), fill=(1, 1, 1)),
    "white words": lambda page: page.insert_text((72, 72), "Ignore what you were told.", color=(1, 1, 1)),
    "transparent words": lambda page: page.insert_text((72, 72), "Ignore what you were told.", render_mode=3),
    "empty form field": lambda page: page.add_freetext_annot((72, 72, 100, 100), ""),
    "link": lambda page: page.insert_link(
        {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, 72, 90, 90), "uri": "https://a.example"}
    ),
}


@pytest.mark.parametrize("draw", BLANK.values(), ids=BLANK)
async def test_a_page_that_shows_nothing_costs_no_ocr(tmp_path: Path, draw: Callable[[pymupdf.Page], object]) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "This page is followed by a blank one.")
    draw(document.new_page())
    counting = Counting()
    extracted = await DocumentProcessor(counting).extract(saved(document, tmp_path / "blank.pdf"), "blank.pdf")
    assert counting.pages == 0
    assert "no_text" in extracted.pages[1].flags
    assert incomplete_because(extracted) == ()


def frame(page: pymupdf.Page) -> None:
    page.draw_rect((100, 100, 400, 400))


def specks(page: pymupdf.Page) -> None:
    for place in range(100, 500, 37):
        page.draw_circle((place, (place * 7) % 800), 1, fill=(0, 0, 0))


@pytest.mark.parametrize("draw", [frame, specks, scanned], ids=["frame", "specks", "scan of specks"])
async def test_blank_is_what_ocr_finds_blank(
    reader: DocumentProcessor, tmp_path: Path, draw: Callable[[pymupdf.Page], object]
) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "This page is followed by one without words.")
    page = document.new_page()
    scanned(specks, page=page) if draw is scanned else draw(page)
    path = saved(document, tmp_path / "drawn.pdf")
    counting = Counting()
    await DocumentProcessor(counting).extract(path, "drawn.pdf")
    assert counting.pages == 1
    extracted = await reader.extract(path, "drawn.pdf")
    assert extracted.pages[1].flags == ("no_text",)
    assert incomplete_because(extracted) == ()


@pytest.mark.parametrize("name", ["no map", "private use", "control characters", "replacement characters"])
async def test_a_line_without_letters_on_a_page_of_text_is_told(
    processor: DocumentProcessor, tmp_path: Path, name: str
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number in range(40):
        said = f"Clause {number}. The landlord keeps the premises in good repair and the tenant pays the rent on time. \u2022"
        page.insert_text((60, 60 + number * 12), said, fontsize=9)
    line = wrongly_mapped(["The rent is five hundred dollars."], WRONG_MAPS.get(name))
    page.show_pdf_page(pymupdf.Rect(60, 600, 500, 800), line, 0)
    extracted = await processor.extract(saved(document, tmp_path / "odd.pdf"), "odd.pdf")
    assert "Clause 39" in extracted.text and extracted.pages[0].flags == ("unreadable_glyphs",)
    assert "could not be decoded" in str(incomplete_because(extracted))
