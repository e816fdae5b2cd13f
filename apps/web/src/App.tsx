import { SignIn } from "./session/SignIn";
import { useSession } from "./session/useSession";
import { Button } from "./ui/Button";
import { Guarded } from "./ui/Guarded";
import { Spinner } from "./ui/Icon";
import { Notice } from "./ui/Notice";
import { Workspace } from "./Workspace";

export function App() {
  const { session, reload, signedIn, signOut } = useSession();
  switch (session.state) {
    case "unknown":
      return <div className="grid h-full place-items-center text-soft" role="status" aria-label="Loading"><Spinner size={22} /></div>;
    case "unreachable":
      return (
        <main className="mx-auto grid h-full max-w-md content-center gap-4 px-5">
          <Notice kind="error">{session.why}</Notice>
          <Button onClick={() => void reload()}>Try again</Button>
        </main>
      );
    case "out":
      return <SignIn why={session.why} onSignedIn={signedIn} />;
    case "in":
      // Resets all state for a different user.
      return <Guarded key={`${session.user.user_id} guard`}><Workspace key={session.user.user_id} user={session.user} onSignOut={() => void signOut()} /></Guarded>;
  }
}
