// @supabase/lite before a database that it did not make: its PostgREST alone, on a free port, which it prints.
import { serve } from "@hono/node-server";
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";

const { SOCKET, DATABASE, JWT_SECRET } = process.env;
const connection = createPostgresConnection({
  url: `postgres://postgres@localhost/${DATABASE}`,
  postgresOptions: { path: SOCKET, database: DATABASE, user: "postgres" },
});
// It looks every token's user up in its own sign-in service, which is off: people are the migrations' here. The token is checked all the same.
const people = async (context, next) => {
  context.set("authService", { repo: { findUserById: async (id) => ({ id }) } });
  await next();
};
const app = new App({
  connection,
  auth: { enabled: false, jwt_secret: JWT_SECRET },
  options: { server: { middlewares: [people], apiKeys: false, admin: false, forceRollback: true } },
});
serve({ fetch: (request) => app.fetch(request, { peerAddress: null }), port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
