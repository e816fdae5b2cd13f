/** Sign-in methods of `/api/sign-in`. Tokens are always accepted. */
export interface SignInMethods {
  password: boolean;
  link: boolean;
  provider: boolean;
}

export type Method = "password" | "link" | "token";

export const methodLabels: Record<Method, string> = {
  password: "Sign in with e-mail and password",
  link: "Send me a link by e-mail instead",
  token: "Sign in with a token",
};

/** The other sign-in methods. */
export function otherMethods(ways: SignInMethods | null, by: Method): Method[] {
  const all: [Method, boolean][] = [["password", ways?.password ?? false], ["link", ways?.link ?? false], ["token", ways !== null]];
  return all.filter(([way, there]) => there && way !== by).map(([way]) => way);
}

const REFUSALS: Record<string, string> = {
  link: "The link has expired, was used before, or was asked for in another browser. Ask for a new one.",
  group: "Your firm’s account is not in a group that may use Orderly. Ask your administrator.",
  account: "Signing in with your firm’s account did not succeed. Try again; if it goes on, tell your administrator.",
};

/** Message for a failed sign-in redirect, "" if there is none. */
export const refusalMessage = (query: string): string => REFUSALS[new URLSearchParams(query).get("refused") ?? ""] ?? "";
