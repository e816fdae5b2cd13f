import { expect, it } from "vitest";
import { Names, shortName } from "./names";

it.each([
  ["HERTZGLOBALHOLDINGS_INC_07_07_2016-EX-10.4-INTELLECTUAL_PROPERTY_AGREEMENT.pdf", "Hertzglobalholdings Inc – Intellectual Property Agreement"],
  ["GOCALLINC_03_30_2000-EX-10.7-Promotion_Agreement.txt", "Gocallinc – Promotion Agreement"],
  ["Deed of Guarantee.pdf", "Deed of Guarantee"],
  ["LUCID_DISTRIBUTOR_AGREEMENT_scan.pdf", "Lucid Distributor Agreement scan"],
  ["DEED_OF_RELEASE.docx", "Deed of Release"],
  ["NDA.pdf", "NDA"],
  ["SITE_DEVELOPMENT_AND_HOSTING_A_7417c4.txt", "Site Development and Hosting a 7417c4"],
  ["Annual report 2019.v2.pdf", "Annual report 2019.v2"],
  ["-.pdf", "-"],
])("%s is called %s", (filename, name) => expect(shortName(filename)).toBe(name));

it("shortens names outside of quotations, and not where two documents would share one", () => {
  const names = new Names(["DEED_OF_RELEASE.docx", "Lease.pdf", "Lease.docx"]);
  expect(names.in("See DEED_OF_RELEASE.docx: “as in DEED_OF_RELEASE.docx”, and Lease.pdf.")).toBe("See Deed of Release: “as in DEED_OF_RELEASE.docx”, and Lease.pdf.");
  expect(names.of("Lease.docx")).toBe("Lease.docx");
});
