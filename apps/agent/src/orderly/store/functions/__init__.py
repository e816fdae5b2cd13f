"""The SQL functions, one typed coroutine for each of them: the only place where a function has its name.

A coroutine has the name of its SQL function and takes the same arguments; an optional one that is None is left out, so that the
default stands in SQL alone. The row types say what JSON comes back. Ids are UUIDs as text, times ISO 8601, offsets code points.
Errors are those of `orderly.store.base.Store.rpc`.
"""
