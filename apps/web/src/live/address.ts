import { q } from "../api/http";

/** Address of the events of several scopes: "matters:id", "chats:id", "reviews:id:changed". */
export const inScopes = (scopes: readonly string[]): string =>
  `/api/events?${scopes.map((scope) => {
    const colon = scope.indexOf(":");
    return `${scope.slice(0, colon)}=${q(scope.slice(colon + 1))}`;
  }).join("&")}`;
