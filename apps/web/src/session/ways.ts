/** Sign-in methods of `/api/sign-in`. Tokens are always accepted. */
export interface Ways {
  password: boolean;
  link: boolean;
  provider: boolean;
}

export type By = "password" | "link" | "token";

export const wordsOf: Record<By, string> = {
  password: "Sign in with e-mail and password",
  link: "Send me a link by e-mail instead",
  token: "Sign in with a token",
};

/** The other sign-in methods. */
export function otherWays(ways: Ways | null, by: By): By[] {
  const all: [By, boolean][] = [["password", ways?.password ?? false], ["link", ways?.link ?? false], ["token", ways !== null]];
  return all.filter(([way, there]) => there && way !== by).map(([way]) => way);
}

const REFUSALS: Record<string, string> = {
  link: "The link has expired, was used before, or was asked for in another browser. Ask for a new one.",
  group: "Your firm’s account is not in a group that may use Orderly. Ask your administrator.",
  account: "Signing in with your firm’s account did not succeed. Try again; if it goes on, tell your administrator.",
};

/** Message for a failed sign-in redirect, "" if there is none. */
export const refusalIn = (query: string): string => REFUSALS[new URLSearchParams(query).get("refused") ?? ""] ?? "";
