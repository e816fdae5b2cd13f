"""Files are read in processes of their own, so that one that breaks, fills or outlasts its reader harms no other.

processes.py       what services call: a few children, kept and replaced
job.py             one request, and what may cut it short
child_process.py   one child, as its parent holds it
messages.py        what passes between the two
limits.py          what a child may take
failures.py        how its end is told
child.py           the program of the child; operations.py what it can do
"""
