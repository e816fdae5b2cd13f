"""Messages for unsupported formats, with advice."""

from __future__ import annotations

from pathlib import PurePath

from orderly.services.document_processor import media_types as kinds

_AS_DOCX = "Open it in Word and save it as DOCX or PDF, then upload that."
_ADVICE = {
    kinds.DOC: ("the old binary Word format (.doc)", _AS_DOCX),
    kinds.XLS: ("the old binary Excel format (.xls)", "Open it in Excel and save it as XLSX, then upload that."),
    kinds.PPT: ("the old binary PowerPoint format (.ppt)", "Open it in PowerPoint and save it as PPTX, then upload that."),
    kinds.WORD_2003: ("Word documents in the XML of Word 2003", _AS_DOCX),
    kinds.EXCEL_2003: ("workbooks in the XML of Excel 2003", "Open it in Excel and save it as XLSX, then upload that."),
    kinds.FLAT_PACKAGE: ("workbooks and presentations in one XML file", "Save it as XLSX or PPTX and upload that."),
    kinds.FLAT_OPENDOCUMENT: ("OpenDocument files in one XML file", "Save it as DOCX, XLSX or PDF and upload that."),
    kinds.ZIP: ("archives", "Unpack it and upload the files in it."),
    "application/vnd.ms-excel.sheet.binary": ("binary Excel workbooks (.xlsb)", "Save it as XLSX and upload that."),
    "application/gzip": ("archives", "Unpack it and upload the files in it."),
    "application/x-7z-compressed": ("archives", "Unpack it and upload the files in it."),
    "application/vnd.rar": ("archives", "Unpack it and upload the files in it."),
    "application/vnd.ms-outlook-pst": ("Outlook mailboxes (.pst)", "Export the messages as MSG or EML and upload those."),
    "application/vnd.wordperfect": ("WordPerfect files", _AS_DOCX),
    "application/vnd.oasis.opendocument.text": ("OpenDocument texts (.odt)", "Save it as DOCX or PDF and upload that."),
    "application/vnd.oasis.opendocument.spreadsheet": ("OpenDocument sheets (.ods)", "Save it as XLSX and upload that."),
    "application/vnd.oasis.opendocument.presentation": ("OpenDocument slides (.odp)", "Save it as PPTX and upload that."),
    "image/heic": ("HEIC pictures", "Save it as JPEG or PDF and upload that."),
}
_OTHERWISE = "Upload the document as PDF, DOCX or text."


def why_unsupported(kind: str, filename: str) -> str:
    """One sentence with the reason and one with advice."""
    if kind in _ADVICE:
        what, advice = _ADVICE[kind]
        return f"Orderly cannot read {what}. {advice}"
    suffix = PurePath(filename).suffix.lower() or ("" if kind == kinds.UNKNOWN else kind)
    return f"Orderly cannot read {f'{suffix} files' if suffix else 'files of this kind'}. {_OTHERWISE}"
