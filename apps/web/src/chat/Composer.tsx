import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Matter } from "../api/types";
import { type Dropped, filesOf, picked, wanted } from "../documents/dropped";
import { Icon } from "../ui/Icon";
import { draftOf, keepDraft } from "./drafts";
import { type DocumentScope, ScopeChip } from "./scope/ScopeChip";

export interface ComposerHandle {
  focus: () => void;
  put: (text: string) => void;
}

export function Composer({
  ref, place, matters, matter, onMatter, scope, onFiles, onSend, onStop, busy, blocked,
}: {
  ref?: Ref<ComposerHandle>;
  /** The user and the conversation, of which a draft is kept. */
  place: string;
  matters: Matter[];
  matter: string | null;
  onMatter: (id: string | null) => void;
  scope: DocumentScope;
  /** Receives files that are dropped or pasted here. */
  onFiles: (files: Dropped[]) => void;
  onSend: (text: string) => void;
  onStop: () => void;
  busy: boolean;
  /** Reason why the composer is disabled. */
  blocked: string | null;
}) {
  const [text, setText] = useState(() => draftOf(place));
  const [over, setOver] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);

  useImperativeHandle(ref, () => ({
    focus: () => area.current?.focus(),
    put: (given) => {
      setText(given);
      area.current?.focus();
    },
  }), []);

  const kept = useRef(place);
  useEffect(() => {
    if (kept.current !== place) keepDraft(kept.current, "");
    kept.current = place;
    keepDraft(place, text);
  }, [place, text]);

  // The field grows with its text, up to a third of the window.
  useEffect(() => {
    const field = area.current;
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, innerHeight / 3)}px`;
  }, [text]);

  function send() {
    const asked = text.trim();
    if (!asked || busy || blocked) return;
    onSend(asked);
    setText("");
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && busy) onStop();
  }

  return (
    <div
      className={`@container rounded-xl border bg-sheet shadow-sm focus-within:border-accent ${over ? "border-accent ring-2 ring-accent/40" : "border-edge/70"}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(false);
        void filesOf(event.dataTransfer).then((files) => files.length && onFiles(files));
      }}
      onPaste={(event) => {
        const files = [...event.clipboardData.files].map(picked).filter(wanted);
        if (!files.length) return;
        event.preventDefault();
        onFiles(files);
      }}
    >
      <label htmlFor="question" className="sr-only">Your question</label>
      <textarea
        id="question"
        ref={area}
        rows={1}
        value={text}
        maxLength={20_000}
        placeholder={blocked ?? "Ask about your documents …"}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-[33vh] w-full resize-none rounded-t-xl bg-transparent px-4 pt-3 pb-1 text-base placeholder:text-soft focus:outline-none"
      />
      <div className="flex items-center gap-2 px-2.5 pb-2">
        <label htmlFor="matter" className="sr-only">Matter</label>
        <span className="relative min-w-0">
          <select
            id="matter"
            value={matter ?? ""}
            onChange={(event) => onMatter(event.target.value || null)}
            className="max-w-full appearance-none truncate rounded-md bg-transparent py-1.5 pr-7 pl-2 text-sm text-soft hover:bg-wash hover:text-ink"
          >
            <option value="">{scope.documents.length && !matter ? "This conversation’s own files" : "No matter: you are asked which"}</option>
            {matters.map((m) => <option key={m.id} value={m.id}>{`${m.number} · ${m.title}`}</option>)}
          </select>
          <Icon name="down" size={13} className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-soft" />
        </span>
        <ScopeChip {...scope} />
        <span className="flex-1" />
        <span className="hidden text-xs whitespace-nowrap text-soft @2xl:block">{busy ? "Esc stops" : "Enter sends, Shift+Enter makes a line"}</span>
        {busy ? (
          <button type="button" onClick={onStop} aria-label="Stop" title="Stop (Esc)" className="grid size-9 shrink-0 place-items-center rounded-lg bg-ink text-paper hover:opacity-85 forced-colors:border">
            <Icon name="stop" />
          </button>
        ) : (
          <button type="button" onClick={send} disabled={!text.trim() || blocked !== null} aria-label="Send" title="Send (Enter)" className="grid size-9 shrink-0 place-items-center rounded-lg bg-accent text-accent-ink hover:opacity-90 disabled:bg-rule forced-colors:border disabled:text-soft">
            <Icon name="send" />
          </button>
        )}
      </div>
    </div>
  );
}
