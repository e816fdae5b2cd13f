-- The one rule is asked for inside searches, which are planned anew at every call (force_custom_plan), and that setting reached down into
-- the rule: its three queries were planned again with each search, which in a small matter took a third of the search. They keep their
-- plans now. Whether one matter is asked for or all of them goes on deciding how the members are read, so that one is chosen by its cost.
alter function private.readable_documents(uuid) set plan_cache_mode = force_generic_plan;
alter function private.my_group_ids() set plan_cache_mode = force_generic_plan;
alter function private.my_matter_ids_among(uuid) set plan_cache_mode = auto;
