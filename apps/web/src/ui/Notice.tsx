import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";

const KINDS: Record<string, [IconName, string]> = {
  error: ["error", "border-bad/40 bg-bad-wash text-bad"],
  warning: ["warning", "border-warn/40 bg-warn-wash text-warn"],
  note: ["info", "border-rule bg-sheet text-soft"],
};

export function Notice({ kind, children, onDismiss }: { kind: "error" | "warning" | "note"; children: ReactNode; onDismiss?: () => void }) {
  const [icon, look] = KINDS[kind] ?? ["info", ""];
  return (
    <div role={kind === "error" ? "alert" : undefined} className={`flex gap-2.5 rounded-lg border px-3.5 py-2.5 text-sm ${look}`}>
      <Icon name={icon} size={17} className="mt-0.5" />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</div>
      {onDismiss && <button type="button" aria-label="Dismiss" onClick={onDismiss} className="-m-1 grid size-7 shrink-0 place-items-center rounded hover:bg-wash"><Icon name="close" size={13} /></button>}
    </div>
  );
}

/** Empty state with an explanation. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-center px-6 py-10 text-center">
      <Icon name={icon} size={26} className="text-edge" />
      <p className="mt-3 font-serif text-base">{title}</p>
      <div className="mt-1 max-w-72 text-sm text-soft">{children}</div>
    </div>
  );
}
