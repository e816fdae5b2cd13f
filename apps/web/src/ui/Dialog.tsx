import { type MouseEvent, type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { Button, IconButton } from "./Button";

/** Where one begins to work: the first field, else the first button beneath the title. */
const FIRST = ["input:not([type=checkbox]):not([type=radio]):not([type=hidden]), select, textarea", "button, a[href], [tabindex='0']"];

/** Opens the browser's modal dialog; Esc and a click beside it close it. */
function useModal(onClose: () => void) {
  const box = useRef<HTMLDialogElement>(null);
  // Closed before it is removed, so that the browser gives the focus back to where it was.
  useLayoutEffect(() => {
    const opened = box.current!;
    opened.showModal();
    const content = opened.querySelector("[data-content]");
    const first = FIRST.map((wanted) => content?.querySelector<HTMLElement>(wanted)).find(Boolean);
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
    return () => opened.close();
  }, []);
  return {
    ref: box,
    onCancel: (event: SyntheticEvent) => {
      event.preventDefault();
      onClose();
    },
    onClick: (event: MouseEvent) => event.target === box.current && onClose(),
  };
}

/** The browser's modal dialog: traps the focus, closes on Esc and restores the focus. */
export function Dialog({
  title, onClose, children, wide = false,
}: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
  const heading = useId();
  return (
    <dialog
      {...useModal(onClose)}
      aria-labelledby={heading}
      className={`m-auto max-h-[85vh] w-[calc(100vw-2rem)] rounded-xl border border-rule bg-sheet p-0 text-base text-ink shadow-2xl ${wide ? "max-w-2xl" : "max-w-md"}`}
    >
      <div className="flex max-h-[85vh] flex-col">
        <header className="flex items-center justify-between gap-3 border-b border-rule px-5 py-3">
          <h2 id={heading} className="text-lg">{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <div data-content className="scroll px-5 py-4">{children}</div>
      </div>
    </dialog>
  );
}

export function Confirm({
  title, children, action, onConfirm, onClose,
}: { title: string; children: ReactNode; action: string; onConfirm: () => void; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="space-y-4">
        <div className="text-soft">{children}</div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

export function Rename({ title, name, onSave, onClose }: { title: string; name: string; onSave: (name: string) => void; onClose: () => void }) {
  const [given, setGiven] = useState(name);
  const id = useId();
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="space-y-4" onSubmit={(event) => {
        event.preventDefault();
        if (given.trim() && given.trim() !== name) onSave(given.trim());
        onClose();
      }}>
        <label htmlFor={id} className="sr-only">Name</label>
        <input id={id} value={given} maxLength={200} onChange={(event) => setGiven(event.target.value)} className="field" />
        <div className="flex justify-end gap-2"><Button onClick={onClose}>Cancel</Button><Button kind="primary" type="submit" disabled={!given.trim()}>Save</Button></div>
      </form>
    </Dialog>
  );
}

/** A drawer for narrow windows. */
export function Drawer({
  side, label, onClose, children,
}: { side: "left" | "right"; label: string; onClose: () => void; children: ReactNode }) {
  return (
    <dialog
      {...useModal(onClose)}
      aria-label={label}
      className={`m-0 h-dvh max-h-none w-full border-0 bg-paper p-0 shadow-2xl ${side === "left" ? "drawer-left max-w-80" : "drawer-right ml-auto max-w-2xl"}`}
    >
      <div className="h-full">{children}</div>
    </dialog>
  );
}
