import { Icon, Spinner } from "../ui/Icon";
import type { Todo } from "./state";

const STATES = { pending: "to do", in_progress: "in progress", completed: "done" };

export function Todos({ todos }: { todos: Todo[] }) {
  return (
    <section data-noprint className="rounded-lg border border-rule bg-sheet px-3.5 py-3" aria-label="Plan">
      <p className="eyebrow">Plan</p>
      <ul className="mt-1.5 space-y-1 text-sm">
        {todos.map((todo, n) => (
          <li key={n} className="flex items-start gap-2">
            <span className="mt-0.5">
              {todo.status === "in_progress" ? <span className="text-accent"><Spinner size={15} /></span>
                : todo.status === "completed" ? <Icon name="check" size={15} className="text-good" />
                  : <span className="block size-[15px] rounded-full border border-edge" />}
            </span>
            <span className={todo.status === "completed" ? "text-soft line-through" : ""}>{todo.content}</span>
            <span className="sr-only">{STATES[todo.status]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
