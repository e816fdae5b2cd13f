import { expect, test } from "vitest";
import { endOf } from "./Elided";

test("a long name ends with whole words", () => {
  const ending = (name: string) => name.slice(endOf(name));
  expect(ending("Hertzglobalholdings Inc – Intellectual Property Agreement")).toBe(" Agreement");
  expect(ending("Lease of shop 55 Wollongong Harbour")).toBe(" Harbour");
  expect(ending("20240612SupplyAndDistributionAgreementFinal")).toBe("reementFinal");
  expect(endOf("Lease of shop 55")).toBe(0);
});
