/** A name in one line. Where there is no room its middle is left out, since names often differ at their ends. */
export function Elided({ name }: { name: string }) {
  const at = endOf(name);
  if (at === 0) return <span className="block truncate">{name}</span>;
  return (
    <span className="flex min-w-0">
      <span className="truncate whitespace-pre">{name.slice(0, at)}</span>
      <span className="shrink-0 whitespace-pre">{name.slice(at)}</span>
    </span>
  );
}

const LONG = 24;
const END = { least: 6, usual: 12, most: 18 };

/** Where the end of a name begins: at its last words, if they are neither short nor long. 0: the name is short. */
export function endOf(name: string): number {
  if (name.length <= LONG) return 0;
  const begins = [...name.matchAll(/\s(?=\S)/g)].map(({ index }) => index).filter((at) => name.length - at >= END.least && name.length - at <= END.most);
  return begins[0] ?? name.length - END.usual;
}
