"""Describes a database by Postgres' catalogue as one line of text per object, to compare two databases."""

from __future__ import annotations

from collections.abc import Iterable

from store.conftest import Admin

LEDGER = "private.schema_migrations"
"""The table in which `migrate` records applied migrations; it is not part of the schema."""

OWN = f"""
with schemas as (
  select n.oid, n.nspname as name, n.nspacl, n.nspowner from pg_namespace n where n.nspname !~ '^(pg_|information_schema$)'
), foreign_members as (
  select d.classid, d.objid from pg_depend d where d.deptype = 'e'
), relations as (
  select c.*, s.name || '.' || c.relname as name
  from pg_class c join schemas s on s.oid = c.relnamespace
  where s.name || '.' || c.relname <> '{LEDGER}'
    and not exists (select from pg_index i where i.indexrelid = c.oid and i.indrelid = to_regclass('{LEDGER}'))
    and not exists (select from foreign_members f where f.classid = 'pg_class'::regclass and f.objid = c.oid)
), functions as (
  select p.*, p.oid::regprocedure::text as name
  from pg_proc p join schemas s on s.oid = p.pronamespace
  where not exists (select from foreign_members f where f.classid = 'pg_proc'::regclass and f.objid = p.oid)
)
"""


def _granted(acl: str, owned: str) -> str:
    """Returns the SQL for the privileges in force: `acl`, or Postgres' defaults for the kind and owner in `owned`."""
    return f"""coalesce((
      select string_agg(g.told, ',' order by g.told collate "C") from (
        select distinct coalesce(nullif(x.grantee, 0)::regrole::text, 'public') || ':' || x.privilege_type as told
        from aclexplode(coalesce({acl}, acldefault({owned}))) x
      ) g), '')"""


SCHEMA_GRANTS = _granted("s.nspacl", "'n', s.nspowner")
RELATION_GRANTS = _granted("r.relacl", "case r.relkind when 'S' then 's'::\"char\" else 'r' end, r.relowner")
FUNCTION_GRANTS = _granted("f.proacl", "'f', f.proowner")

QUERIES = {
    "schema": f"select s.name, {SCHEMA_GRANTS} from schemas s",
    "extension": """
        select e.extname, concat_ws(' ', e.extnamespace::regnamespace, e.extversion) from pg_extension e
    """,
    "relation": f"""
        select r.name, concat_ws(' ', r.relkind, r.relpersistence, 'row security', r.relrowsecurity, r.relforcerowsecurity,
          r.reloptions::text, {RELATION_GRANTS})
        from relations r where r.relkind in ('r', 'p', 'v', 'm', 'S', 'c', 'f')
    """,
    "view": "select r.name, pg_get_viewdef(r.oid) from relations r where r.relkind in ('v', 'm')",
    "column": """
        select r.name || '.' || a.attname, concat_ws(' ',
          row_number() over (partition by a.attrelid order by a.attnum), format_type(a.atttypid, a.atttypmod),
          case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
          'identity ' || nullif(a.attidentity::text, ''), 'generated ' || nullif(a.attgenerated::text, ''),
          'storage ' || a.attstorage::text, 'compression ' || nullif(a.attcompression::text, ''), 'collation ' || nullif(a.attcollation, 0)::regcollation::text,
          a.attacl::text)
        from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where r.relkind in ('r', 'p', 'c')
    """,
    "sequence": """
        select r.name, concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmax, s.seqmin, s.seqcache, s.seqcycle)
        from relations r join pg_sequence s on s.seqrelid = r.oid
    """,
    "constraint": """
        select r.name || '.' || c.conname, concat_ws(' ', pg_get_constraintdef(c.oid), c.convalidated)
        from relations r join pg_constraint c on c.conrelid = r.oid
    """,
    "index": """
        select r.name, concat_ws(' ', pg_get_indexdef(r.oid), i.indisvalid, i.indisclustered, i.indisreplident)
        from relations r join pg_index i on i.indexrelid = r.oid
    """,
    "policy": """
        select r.name || '.' || p.polname, concat_ws(' ', p.polcmd, p.polpermissive, p.polroles::regrole[]::text,
          'using ' || pg_get_expr(p.polqual, p.polrelid), 'check ' || pg_get_expr(p.polwithcheck, p.polrelid))
        from relations r join pg_policy p on p.polrelid = r.oid
    """,
    "trigger": """
        select r.name || '.' || t.tgname, concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
        from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
    """,
    "rule": """
        select r.name || '.' || w.rulename, pg_get_ruledef(w.oid) from relations r join pg_rewrite w on w.ev_class = r.oid
    """,
    "type": """
        select s.name || '.' || t.typname, concat_ws(' ', t.typtype,
          (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
          case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) end, t.typacl::text)
        from pg_type t join schemas s on s.oid = t.typnamespace
        where t.typtype in ('e', 'd', 'c')
          and t.typrelid is distinct from to_regclass('{ledger}')::oid
          and not exists (select from foreign_members f where f.classid = 'pg_type'::regclass and f.objid = t.oid)
    """.replace("{ledger}", LEDGER),
    "function": f"""
        select f.name, pg_get_functiondef(f.oid) || ' ' || {FUNCTION_GRANTS}
        from functions f where f.prokind <> 'a'
    """,
    "default privileges": """
        select concat_ws(' ', d.defaclrole::regrole, d.defaclnamespace::regnamespace, d.defaclobjtype), d.defaclacl::text
        from pg_default_acl d
    """,
    "comment": """
        select concat_ws(' ', c.classoid::regclass, pg_describe_object(c.classoid, c.objoid, c.objsubid)), c.description
        from pg_description c
        where c.objoid in (
          select r.oid from relations r union all select f.oid from functions f union all select s.oid from schemas s
          union all select t.oid from pg_type t join schemas s on s.oid = t.typnamespace
          union all select t.oid from pg_trigger t join relations r on r.oid = t.tgrelid
          union all select p.oid from pg_policy p join relations r on r.oid = p.polrelid
          union all select k.oid from pg_constraint k join relations r on r.oid = k.conrelid
        )
    """,
}


def catalogue(admin: Admin) -> dict[str, str]:
    """Returns kind and name of each object -> its definition."""
    return {
        f"{kind} {name}": definition
        for kind, query in QUERIES.items()
        for name, definition in admin.execute(OWN + query)  # type: ignore[arg-type]
    }


def differences(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """Returns the objects that exist in one catalogue only or differ."""
    return sorted(_described(here, there, here.keys() | there.keys()))


def _described(here: dict[str, str], there: dict[str, str], names: Iterable[str]) -> Iterable[str]:
    for name in names:
        if name not in there:
            yield f"only in the first: {name}"
        elif name not in here:
            yield f"only in the second: {name}"
        elif here[name] != there[name]:
            yield f"different: {name}\n  {here[name]}\n  {there[name]}"
