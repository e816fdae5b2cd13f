import { Fragment } from "react";

/** Names of files break where their parts do, not in the middle of a word. */
export function FileName({ name }: { name: string }) {
  return name.split(/(?<=[_.-])/).map((part, n) => <Fragment key={n}>{n > 0 && <wbr />}{part}</Fragment>);
}
