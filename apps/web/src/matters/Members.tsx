import { type FormEvent, useId, useState } from "react";
import { change, q } from "../api/http";
import type { Matter, Member, Role, User } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Icon, Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { PersonField } from "./PersonField";
import { useList } from "./useList";
import type { Screen } from "./Walls";

const ROLES: Role[] = ["viewer", "editor", "owner"];
const WHAT: Record<Role, string> = { viewer: "reads", editor: "reads, adds and removes documents", owner: "also decides who sees it" };

export function Members({ matter, user, owns }: { matter: Matter; user: User; owns: boolean }) {
  const address = `/api/matters/${q(matter.id)}/members`;
  const { list, failure, doing } = useList<Member>(address);
  // Only owners may see who is kept out.
  const { list: screens } = useList<Screen>(owns ? `/api/matters/${q(matter.id)}/screens` : null);
  const walled = new Set((screens ?? []).filter((screen) => screen.in_force).map((screen) => screen.email));
  const [leaving, setLeaving] = useState<Member | null>(null);
  const id = useId();
  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    if (await doing(() => change("POST", address, { email: given.get("email"), role: given.get("role") }))) form.reset();
  }
  return (
    <div className="space-y-4">
      {failure && <Notice kind="error">{failure}</Notice>}
      {!list && !failure && <Spinner />}
      <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet empty:hidden">
        {list?.map((member) => (
          <li key={member.user_id} className="flex items-center gap-3 px-4 py-2.5">
            <span className="min-w-0 flex-1">
              <span className="block truncate">{member.display_name || member.email}{member.user_id === user.user_id && <span className="text-soft"> (you)</span>}</span>
              <span className="block truncate text-sm text-soft" title={member.email}>{member.email}</span>
              {walled.has(member.email) && <span className="flex items-center gap-1.5 text-sm text-bad"><Icon name="wall" size={14} /> Behind a wall: sees nothing of this matter, whatever the role</span>}
            </span>
            {owns ? (
              <select aria-label={`Role of ${member.email}`} value={member.role} onChange={(event) => void doing(() => change("POST", address, { email: member.email, role: event.target.value }))} className="rounded-md border border-edge/60 bg-sheet px-2 py-1 text-sm">
                {ROLES.map((role) => <option key={role} value={role}>{role}</option>)}
              </select>
            ) : <span className="text-sm text-soft">{member.role}</span>}
            {owns && <IconButton icon="close" size={16} label={`Remove ${member.email}`} onClick={() => setLeaving(member)} />}
          </li>
        ))}
      </ul>
      {owns && (
        <form onSubmit={(event) => void add(event)} className="flex flex-wrap items-end gap-2">
          <PersonField label="Add a colleague" without={(list ?? []).map((member) => member.email)} walled={walled} />
          <div className="min-w-0 max-w-full">
            <label htmlFor={`${id}-role`} className="sr-only">Role</label>
            <select id={`${id}-role`} name="role" defaultValue="viewer" className="field w-full">
              {ROLES.map((role) => <option key={role} value={role}>{`${role}: ${WHAT[role]}`}</option>)}
            </select>
          </div>
          <Button type="submit" kind="primary">Add</Button>
        </form>
      )}
      {leaving && (
        <Confirm title="Remove from this matter?" action="Remove" onClose={() => setLeaving(null)} onConfirm={() => void doing(() => change("DELETE", `${address}/${q(leaving.email)}`))}>
          {leaving.display_name || leaving.email} no longer sees its documents, from the next click on.
        </Confirm>
      )}
    </div>
  );
}
