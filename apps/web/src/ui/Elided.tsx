const END = 12;
const LONG = 24;

/** A name in one line. Where there is no room its middle is left out, since names often differ at their ends. */
export function Elided({ name }: { name: string }) {
  if (name.length <= LONG) return <span className="block truncate">{name}</span>;
  return (
    <span className="flex min-w-0">
      <span className="truncate whitespace-pre">{name.slice(0, -END)}</span>
      <span className="shrink-0 whitespace-pre">{name.slice(-END)}</span>
    </span>
  );
}
