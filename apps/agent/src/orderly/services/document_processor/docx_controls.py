"""Content controls of a Word file: ticks and choices whose content holds no words."""

from __future__ import annotations

from lxml import etree

from orderly.services.document_processor.docx_package import W

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"


def control_state(control: etree._Element) -> str:
    """What a w:sdt without words stands for: a tick, or the choice that its last value names; empty for others."""
    properties = control.find(W + "sdtPr")
    if properties is None:
        return ""
    box = properties.find(_W14 + "checkbox")
    if box is not None:
        ticked = box.find(_W14 + "checked")
        return "☒" if ticked is not None and ticked.get(_W14 + "val", "1") not in ("0", "false") else "☐"
    for kind in ("dropDownList", "comboBox"):
        choices = properties.find(W + kind)
        value = None if choices is None else choices.get(W + "lastValue")
        if choices is not None and value:
            shown = {item.get(W + "value"): item.get(W + "displayText") for item in choices.iter(W + "listItem")}
            return shown.get(value) or value
    return ""
