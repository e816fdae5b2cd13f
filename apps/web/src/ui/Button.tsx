import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "./Icon";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement> };

const KINDS = {
  primary: "border border-transparent bg-accent text-accent-ink hover:opacity-90",
  plain: "border border-edge/60 bg-sheet hover:bg-sunk",
  quiet: "hover:bg-wash text-ink",
  danger: "border border-transparent bg-bad text-sheet hover:opacity-90",
};

export function Button({ kind = "plain", className = "", ...rest }: Props & { kind?: keyof typeof KINDS }) {
  return (
    <button
      type="button"
      data-noprint
      {...rest}
      className={`inline-flex min-h-10 items-center justify-center gap-2 rounded-md px-3.5 py-1.5 text-sm font-medium disabled:opacity-50 ${KINDS[kind]} ${className}`}
    />
  );
}

/** An icon button; `label` is its accessible name and tooltip. */
export function IconButton({
  icon, label, size = 18, className = "", ...rest
}: Props & { icon: IconName; label: string; size?: number }) {
  return (
    <button
      type="button"
      data-noprint
      {...rest}
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-soft hover:bg-wash hover:text-ink disabled:opacity-40 ${className}`}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}
