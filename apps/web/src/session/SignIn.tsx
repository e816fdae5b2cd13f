import { type FormEvent, useEffect, useId, useState } from "react";
import { change, get, said } from "../api/http";
import type { User } from "../api/types";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";

export function SignIn({ why, onSignedIn }: { why: string; onSignedIn: (user: User) => void }) {
  const [password, setPassword] = useState<boolean | null>(null);
  const [byToken, setByToken] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const id = useId();

  useEffect(() => {
    get<{ password: boolean }>("/api/sign-in").then((ways) => setPassword(ways.password), (error) => setFailure(said(error)));
  }, []);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setBusy(true);
    setFailure("");
    try {
      onSignedIn(await change<User>("POST", withToken ? "/api/session" : "/api/session/password", given));
    } catch (error) {
      setFailure(said(error));
      setBusy(false);
    }
  }

  const withToken = byToken || password === false;
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
          {password === null && !failure ? (
            <div className="grid h-24 place-items-center text-soft"><Spinner /></div>
          ) : withToken ? (
            <div>
              <label htmlFor={`${id}-token`} className="mb-1 block text-sm font-medium">Token</label>
              <input id={`${id}-token`} name="token" type="password" required autoFocus autoComplete="off" spellCheck={false} className="field" />
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
              <div>
                <label htmlFor={`${id}-password`} className="mb-1 block text-sm font-medium">Password</label>
                <input id={`${id}-password`} name="password" type="password" required autoComplete="current-password" className="field" />
              </div>
            </>
          )}
          <Button kind="primary" type="submit" disabled={busy || password === null} className="w-full">
            {busy && <Spinner size={15} />}
            Sign in
          </Button>
          {password && (
            <button type="button" className="w-full text-center text-sm text-accent underline-offset-2 hover:underline" onClick={() => setByToken(!byToken)}>
              {byToken ? "Sign in with e-mail and password" : "Sign in with a token"}
            </button>
          )}
        </form>
      </div>
    </main>
  );
}
