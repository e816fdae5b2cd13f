import { change, q } from "../api/http";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { useList } from "../matters/useList";

interface Tool {
  function_name: string;
  description: string;
  granted: boolean;
}

const CLIENTS = [
  { id: "orderly", name: "Agents", about: "Orderly’s own agents, in this page and in every program that asks them." },
  { id: "mcp", name: "MCP clients", about: "Programs of the firm that call the tools themselves, by the Model Context Protocol." },
];

/** Tools that the firm grants to its agents and programs; for administrators. */
export function ToolGrants() {
  return (
    <div className="scroll min-h-0 flex-1">
      <div className="mx-auto max-w-3xl px-5 py-5 sm:px-8">
        <h1 className="text-2xl">Tools</h1>
        <p className="mt-1 text-sm text-soft">A tool that is not granted does not exist for the runs that begin from now on. Every change is on record.</p>
        {CLIENTS.map((client) => <Client key={client.id} {...client} />)}
      </div>
    </div>
  );
}

function Client({ id, name, about }: { id: string; name: string; about: string }) {
  const address = `/api/admin/definitions/clients/${id}/functions`;
  const { list, failure, doing } = useList<Tool>(address);
  const decide = (tool: Tool, granted: boolean) =>
    void doing(() => (granted ? change("POST", address, { function_name: tool.function_name }) : change("DELETE", `${address}/${q(tool.function_name)}`)));
  return (
    <section aria-labelledby={`tools-${id}`} className="mt-7 space-y-3">
      <h2 id={`tools-${id}`} className="text-lg">{name}</h2>
      <p className="text-sm text-soft">{about}</p>
      {failure && <Notice kind="error">{failure}</Notice>}
      {!list && !failure && <Spinner />}
      <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet empty:hidden">
        {list?.map((tool) => (
          <li key={tool.function_name}>
            <label className="flex cursor-pointer items-start gap-3 px-4 py-2.5 hover:bg-wash">
              <input type="checkbox" checked={tool.granted} onChange={(event) => decide(tool, event.target.checked)} className="mt-1 size-4 accent-[var(--accent)]" />
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{tool.function_name}</span>
                <span className="block text-sm text-soft">{tool.description}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}
