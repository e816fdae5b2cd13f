import { Fragment } from "react";

/** A file name with line breaks allowed between its parts, not within words. */
export function FileName({ name }: { name: string }) {
  return name.split(/(?<=[_.-])/).map((part, n) => <Fragment key={n}>{n > 0 && <wbr />}{part}</Fragment>);
}
