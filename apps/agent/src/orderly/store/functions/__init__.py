"""Typed coroutines for the SQL functions, one each. Only these modules name SQL functions.

A coroutine has the name and the arguments of its SQL function. Optional arguments that are None are omitted, so that SQL alone
declares defaults. The row types declare the JSON results. Ids are UUIDs as text, times ISO 8601, offsets code points.
Errors are those of `orderly.store.base.Store.rpc`.
"""
