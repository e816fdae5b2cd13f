import type { Matter, User } from "../api/types";
export function MattersPage({ matters }: { user: User; matters: Matter[] | null; failure: string; selected: string | null; onChanged: () => Promise<void>; onAsk: (id: string) => void }) {
  return <ul className="p-6">{matters?.map((m) => <li key={m.id}>{m.title}</li>)}</ul>;
}
