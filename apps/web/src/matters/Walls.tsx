import { type FormEvent, useId, useState } from "react";
import { change, q } from "../api/http";
import type { Matter } from "../api/types";
import { day } from "../format";
import { Button } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Icon, Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { PersonField } from "./PersonField";
import { useList } from "./useList";

export interface Screen {
  id: string;
  email: string;
  display_name: string;
  reason: string | null;
  starts_at: string;
  ends_at: string | null;
  in_force: boolean;
  created_by: string | null;
  lifted_at: string | null;
}

/** Ethical walls: users who may not see the matter regardless of other permissions. */
export function Walls({ matter, mayLift }: { matter: Matter; mayLift: boolean }) {
  const address = `/api/matters/${q(matter.id)}/screens`;
  const { list, failure, doing } = useList<Screen>(address);
  const [lifting, setLifting] = useState<Screen | null>(null);
  const id = useId();
  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    if (await doing(() => change("POST", address, { email: given.get("email"), reason: given.get("reason") }))) form.reset();
  }
  return (
    <div className="space-y-4">
      <p className="text-sm text-soft">A wall keeps a named person out, whatever role they have or get. It holds from the moment it is put up, and stays on record when it is lifted.</p>
      {failure && <Notice kind="error">{failure}</Notice>}
      {!list && !failure && <Spinner />}
      {list?.length === 0 && <Empty icon="wall" title="No walls">Nobody is kept out of this matter by name.</Empty>}
      <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet empty:hidden">
        {list?.map((screen) => (
          <li key={screen.id} className="flex items-start gap-3 px-4 py-2.5">
            <Icon name="wall" className={`mt-0.5 ${screen.in_force ? "text-bad" : "text-edge"}`} />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{screen.display_name || screen.email}</span>
              {screen.reason && <span className="block text-sm [overflow-wrap:anywhere]">{screen.reason}</span>}
              <span className="block text-sm text-soft">
                {[screen.in_force ? `in force since ${day(screen.starts_at)}` : screen.lifted_at ? `lifted ${day(screen.lifted_at)}` : "not in force", screen.ends_at ? `until ${day(screen.ends_at)}` : "", screen.created_by ? `by ${screen.created_by}` : ""].filter(Boolean).join(" · ")}
              </span>
            </span>
            {screen.in_force && mayLift && <Button onClick={() => setLifting(screen)}>Lift</Button>}
          </li>
        ))}
      </ul>
      <form onSubmit={(event) => void add(event)} className="grid gap-3 sm:grid-cols-[2fr_3fr_auto] sm:items-end">
        <PersonField label="Keep out" without={(list ?? []).filter((screen) => screen.in_force).map((screen) => screen.email)} />
        <div>
          <label htmlFor={`${id}-reason`} className="mb-1 block text-sm font-medium">Reason</label>
          <input id={`${id}-reason`} name="reason" required maxLength={2000} placeholder="Acted for the other side" className="field" />
        </div>
        <Button type="submit" kind="primary">Put up</Button>
      </form>
      {lifting && (
        <Confirm title="Lift this wall?" action="Lift" onClose={() => setLifting(null)} onConfirm={() => void doing(() => change("DELETE", `${address}/${q(lifting.id)}`))}>
          {lifting.display_name || lifting.email} may see the matter again as far as their role lets them. Only conflicts officers can do this.
        </Confirm>
      )}
    </div>
  );
}
