import { today } from "./printing";

/** The head of a printout; nothing on the screen. `wide`: printed across the longer side of the paper; `titled`: whether it shows the title, which is in the margin of every page, too. */
export function PrintHead({ title, about, wide = false, titled = true }: { title: string; about: string; wide?: boolean; titled?: boolean }) {
  return (
    <header className="hidden border-b border-rule pb-3 print:mb-5 print:block" data-print-title={title} {...(wide ? { "data-print-wide": "" } : {})}>
      {titled && <p className="font-serif text-xl font-semibold">{title}</p>}
      <p className="text-sm text-soft">{[about, `printed on ${today()}`].filter(Boolean).join(" · ")}</p>
    </header>
  );
}
