import { useState } from "react";

/** Asks whether the system may tell that long work has ended (`useEndNotice`); nothing where that is decided already. */
export function NotifyOffer() {
  const [permission, set] = useState(typeof Notification === "undefined" ? "denied" : Notification.permission);
  if (permission !== "default") return null;
  return <button type="button" className="text-accent underline underline-offset-2" onClick={() => void Notification.requestPermission().then(set)}>notify me at the end</button>;
}
