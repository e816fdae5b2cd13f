import { useId } from "react";
import { usePeople } from "./usePeople";

const NOBODY: ReadonlySet<string> = new Set();

/** A field for a colleague's address that offers the people of the firm by name. `without`: addresses that are left out; `walled`: of people behind a wall. */
export function PersonField({ label, without, walled = NOBODY }: { label: string; without: readonly string[]; walled?: ReadonlySet<string> }) {
  const id = useId();
  const people = usePeople().filter((person) => !without.includes(person.email));
  return (
    <div className="min-w-52 flex-1">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <input id={id} name="email" type="email" required placeholder="Name or address" list={`${id}-people`} autoComplete="off" className="field" />
      <datalist id={`${id}-people`}>{people.map((person) => <option key={person.user_id} value={person.email}>{`${person.display_name || person.email}${walled.has(person.email) ? " (behind a wall)" : ""}`}</option>)}</datalist>
    </div>
  );
}
