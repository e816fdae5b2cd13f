import { expect, it } from "vitest";
import { kindOf } from "./kinds";

it.each([
  ["HERTZGLOBALHOLDINGS_INC_07_07_2016-EX-10.4-INTELLECTUAL_PROPERTY_AGREEMENT.pdf", "Agreements"],
  ["Deed of variation of lease.docx", "Deeds"],
  ["Lease - 12 High Street.pdf", "Leases"],
  ["Lease amendment agreement.pdf", "Agreements"],
  ["Letter to Smith re settlement deed.txt", "Letters and notes"],
  ["Statement of claim.pdf", "Court documents"],
  ["Reasons for judgment.html", "Judgments and orders"],
  ["Notice of termination (contract 12).pdf", "Notices"],
  ["Smith v Jones [2019] NSWSC 12.pdf", "Judgments and orders"],
  ["Retail Leases Act 1994.html", "Legislation"],
  ["IMG_2231.png", "Other"],
])("tells the kind of %s", (name, kind) => expect(kindOf(name)).toBe(kind));
