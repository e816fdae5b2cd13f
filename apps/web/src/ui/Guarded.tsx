import { Component, type ReactNode } from "react";
import { Button } from "./Button";
import { Notice } from "./Notice";

/** Error boundary with a message that no data is lost. */
export class Guarded extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <main className="mx-auto grid h-full max-w-md content-center gap-4 px-5">
        <Notice kind="error"><p className="font-medium">The page made a mistake.</p><p>Conversations and documents are kept on the server. Load the page again; if it happens again, tell whoever runs this installation.</p></Notice>
        <Button kind="primary" onClick={() => location.reload()}>Load again</Button>
      </main>
    );
  }
}
