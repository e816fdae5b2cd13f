"""Media types, and their signatures and extensions."""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument"
PDF = "application/pdf"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
EML = "message/rfc822"
CALENDAR = "text/calendar"
TNEF = "application/ms-tnef"
RTF = "application/rtf"
HTML = "text/html"
XML = "application/xml"
WORD_2003 = "application/vnd.ms-wordml"
EXCEL_2003 = "application/vnd.ms-spreadsheetml"
FLAT_PACKAGE = "application/vnd.ms-package.flat"
FLAT_OPENDOCUMENT = "application/vnd.oasis.opendocument.flat"
CSV = "text/csv"
JSON = "application/json"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
SOURCE = "text/x-source"
ZIP = "application/zip"
OLE = "application/x-ole-storage"
UNKNOWN = "application/octet-stream"

IMAGES = ("image/png", "image/jpeg", "image/tiff", "image/gif", "image/bmp", "image/webp")
TEXT_KINDS = frozenset((TEXT, MARKDOWN, SOURCE, CSV, JSON))
OFFICE_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))

SIGNATURES = (
    (b"{\\rtf", RTF),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"\x78\x9f\x3e\x22", TNEF),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x7fELF", UNKNOWN),
    (b"MZ\x90", UNKNOWN),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
)
EXTENSIONS = {
    ".txt": TEXT, ".text": TEXT, ".log": TEXT, ".md": MARKDOWN, ".markdown": MARKDOWN,
    ".pdf": PDF, ".docx": DOCX, ".docm": DOCX, ".dotx": DOCX, ".pptx": PPTX, ".pptm": PPTX, ".ppsx": PPTX,
    ".xlsx": XLSX, ".xlsm": XLSX, ".doc": DOC, ".dot": DOC, ".xls": XLS, ".ppt": PPT, ".msg": MSG, ".eml": EML,
    ".rtf": RTF, ".html": HTML, ".htm": HTML, ".xhtml": HTML, ".csv": CSV, ".tsv": CSV, ".tab": CSV, ".json": JSON,
    ".xml": XML, ".png": IMAGES[0], ".jpg": IMAGES[1], ".jpeg": IMAGES[1], ".tif": IMAGES[2], ".tiff": IMAGES[2],
    ".gif": IMAGES[3], ".bmp": IMAGES[4], ".webp": IMAGES[5],
    ".xlsb": "application/vnd.ms-excel.sheet.binary", ".one": "application/onenote", ".wpd": "application/vnd.wordperfect",
    ".pages": "application/vnd.apple.pages", ".numbers": "application/vnd.apple.numbers",
    ".key": "application/vnd.apple.keynote",
    ".pst": "application/vnd.ms-outlook-pst", ".heic": "image/heic", ".svg": XML, ".mht": EML, ".mhtml": EML, ".mbox": EML,
    ".emlx": EML,    ".ics": CALENDAR, ".ical": CALENDAR, ".ifb": CALENDAR,
    **dict.fromkeys(
        (
            ".py", ".js", ".ts", ".tsx", ".jsx", ".java", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".go", ".rs", ".rb",
            ".php", ".swift", ".kt", ".scala", ".sql", ".sh", ".ps1", ".bat", ".r", ".m", ".pl", ".lua", ".vb", ".vba",
            ".css", ".scss", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".tex", ".sol",
        ),
        SOURCE,
    ),
}  # fmt: skip
