import { type FormEvent, useEffect, useId, useState } from "react";
import { change, get, errorMessage } from "../api/http";
import type { User } from "../api/types";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { type Method, otherMethods, refusalMessage, type SignInMethods, methodLabels } from "./signInMethods";

export function SignIn({ why, onSignedIn }: { why: string; onSignedIn: (user: User) => void }) {
  const [ways, setWays] = useState<SignInMethods | null>(null);
  const [chosen, choose] = useState<Method | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(refusal);
  const [sent, setSent] = useState("");
  const id = useId();
  const by = chosen ?? (ways?.password ? "password" : "token");

  useEffect(() => {
    get<SignInMethods>("/api/sign-in").then(setWays, (error) => setFailure(errorMessage(error)));
  }, []);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setBusy(true);
    setFailure("");
    try {
      if (by === "link") {
        await change("POST", "/api/session/link", { email: given.email });
        setSent(given.email ?? "");
      } else onSignedIn(await change<User>("POST", by === "token" ? "/api/session" : "/api/session/password", given));
    } catch (error) {
      setFailure(errorMessage(error));
    }
    setBusy(false);
  }

  return (
    <main className="grid h-full place-items-center px-5">
      <div className="w-full max-w-sm">
        <div className="mb-7 text-center">
          <img src="/app/mark.svg" alt="" width="44" height="44" className="mx-auto" />
          <h1 className="mt-4 text-3xl">Orderly</h1>
          <p className="mt-1 text-soft">Answers from your documents, word for word.</p>
        </div>
        <form onSubmit={submit} className="space-y-4 rounded-xl border border-rule bg-sheet p-6">
          {why && !failure && <Notice kind="note">{why}</Notice>}
          {failure && <Notice kind="error">{failure}</Notice>}
          {ways?.provider && (
            <>
              <a href="/api/oidc/login" className="flex min-h-10 w-full items-center justify-center rounded-md bg-accent px-3.5 text-sm font-medium text-accent-ink hover:opacity-90">Sign in with your firm’s account</a>
              <p className="flex items-center gap-3 text-xs text-soft before:h-px before:flex-1 before:bg-rule after:h-px after:flex-1 after:bg-rule">or</p>
            </>
          )}
          {!ways && !failure ? (
            <div className="grid h-24 place-items-center text-soft"><Spinner /></div>
          ) : sent ? (
            <p role="status">If <strong className="font-semibold [overflow-wrap:anywhere]">{sent}</strong> may sign in here, a link is on its way there. Open it in this browser; it works once.</p>
          ) : by === "token" ? (
            <div>
              <label htmlFor={`${id}-token`} className="mb-1 block text-sm font-medium">Token</label>
              <input id={`${id}-token`} name="token" type="password" required autoFocus={!ways?.provider} autoComplete="off" spellCheck={false} className="field" />
              <p className="mt-2 text-sm text-soft">
                Whoever runs this installation gives you one: <code className="text-[0.8125rem]">orderly user token you@firm</code>
              </p>
            </div>
          ) : (
            <>
              <div>
                <label htmlFor={`${id}-email`} className="mb-1 block text-sm font-medium">E-mail</label>
                <input id={`${id}-email`} name="email" type="email" required autoFocus autoComplete="username" className="field" />
              </div>
              {by === "password" && (
                <div>
                  <label htmlFor={`${id}-password`} className="mb-1 block text-sm font-medium">Password</label>
                  <input id={`${id}-password`} name="password" type="password" required autoComplete="current-password" className="field" />
                </div>
              )}
            </>
          )}
          {!sent && (
            <Button kind={ways?.provider ? "plain" : "primary"} type="submit" disabled={busy || !ways} className="w-full">
              {busy && <Spinner size={15} />}
              {by === "link" ? "Send me a link" : "Sign in"}
            </Button>
          )}
          {otherMethods(ways, by).map((other) => (
            <button key={other} type="button" className="w-full text-center text-sm text-accent underline-offset-2 hover:underline" onClick={() => (choose(other), setFailure(""), setSent(""))}>
              {methodLabels[other]}
            </button>
          ))}
        </form>
      </div>
    </main>
  );
}

/** Reads the message from the URL and removes it there, so that it is shown once. */
function refusal(): string {
  const why = refusalMessage(location.search);
  if (why) history.replaceState(history.state, "", location.pathname);
  return why;
}
