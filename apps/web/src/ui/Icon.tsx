/** Line icons on a 20 × 20 grid. Icons are decorative: the caller provides the accessible name. */
const PATHS = {
  menu: "M3 5h14M3 10h14M3 15h14",
  close: "M5 5l10 10M15 5L5 15",
  plus: "M10 4v12M4 10h12",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M6 6h8v8H6z",
  left: "M12 4l-6 6 6 6",
  right: "M8 4l6 6-6 6",
  down: "M5 8l5 5 5-5",
  search: "M9 3.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM13 13l4 4",
  file: "M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5",
  folder: "M2.5 5h5l2 2h8v8.5h-15z",
  upload: "M10 13V4M6 8l4-4 4 4M3 13v3.5h14V13",
  download: "M10 4v9M6 9l4 4 4-4M3 13v3.5h14V13",
  trash: "M4 6h12M8 6V3.5h4V6M5.5 6l.7 10.5h7.6L14.5 6M8.5 9v5M11.5 9v5",
  redo: "M16 10a6 6 0 11-2-4.5M16 3v4h-4",
  check: "M4 10.5l4 4 8-9",
  warning: "M10 3l8 14H2zM10 8v4M10 14.2v.6",
  error: "M10 2.5a7.5 7.5 0 110 15 7.5 7.5 0 010-15zM10 6v5M10 13.4v.6",
  info: "M10 2.5a7.5 7.5 0 110 15 7.5 7.5 0 010-15zM10 9v5M10 6v.6",
  copy: "M7 7h9v10H7zM13 7V3H4v10h3",
  pencil: "M4 16l.8-3.4L13.5 4l2.5 2.5-8.6 8.7z",
  zoomIn: "M9 3.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM13 13l4 4M9 6.5v5M6.5 9h5",
  zoomOut: "M9 3.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM13 13l4 4M6.5 9h5",
  people: "M7 4a3 3 0 110 6 3 3 0 010-6zM2 16.5c0-3 2.2-4.5 5-4.5s5 1.5 5 4.5M13 4.5a2.7 2.7 0 010 5.2M14 12.3c2.4.3 4 1.7 4 4.2",
  wall: "M3 4h14v12H3zM3 8h14M3 12h14M8 4v4M13 8v4M8 12v4",
  list: "M7 5h10M7 10h10M7 15h10M3 5h.6M3 10h.6M3 15h.6",
  out: "M8 4H4v12h4M12 6l4 4-4 4M16 10H8",
  spark: "M10 3v4M10 13v4M3 10h4M13 10h4",
  text: "M4 5h12M10 5v11",
  print: "M6 8V3h8v5M6 14H3V8h14v6h-3M6 12h8v5H6z",
  lock: "M5 9h10v8H5zM7 9V6.5a3 3 0 016 0V9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18, className = "" }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill={name === "stop" ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Spinner({ size = 16 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true" className="turning shrink-0">
      <circle cx="10" cy="10" r="7.5" stroke="currentColor" strokeOpacity=".22" strokeWidth="2.2" />
      <path d="M10 2.5a7.5 7.5 0 017.5 7.5" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  );
}
