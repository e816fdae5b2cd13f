import { Fragment } from "react";

/** A file name that wraps between its parts, not within a word. */
export function FileName({ name }: { name: string }) {
  return name.split(/(?<=[_.-])/).map((part, n) => <Fragment key={n}>{n > 0 && <wbr />}{part}</Fragment>);
}
