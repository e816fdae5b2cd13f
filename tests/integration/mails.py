"""Makes e-mails with attachments."""

from __future__ import annotations

from email.message import EmailMessage


def mail(subject: str, *attached: tuple[str, bytes] | EmailMessage) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@firm.example", "bob@firm.example", subject
    message.set_content(f"Please find attached: {subject}.")
    for item in attached:
        if isinstance(item, EmailMessage):
            message.add_attachment(item)
        else:
            message.add_attachment(item[1], maintype="application", subtype="octet-stream", filename=item[0])
    return message
