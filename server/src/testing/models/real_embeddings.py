"""Real weights behind the addresses of OpenAI (vectors) and Cohere (reranking): `real_embeddings.py <port>`.

The weights are in the package.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import wordllama

# The package looks for its own tokenizer in a cache.
folder = Path(wordllama.__file__).parent
model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def embeddings(asked: dict) -> dict:
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    vectors = model.embed(texts, norm=True).tolist()
    tokens = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": asked["model"],
        "data": [{"object": "embedding", "index": n, "embedding": one} for n, one in enumerate(vectors)],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def rerank(asked: dict) -> dict:
    query, documents = asked["query"], asked["documents"]
    # The package ranks two texts or more.
    scores = [score for _, score in model.rank(query, [*documents, query], sort=False)][:-1]
    results = [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]
    tokens = sum(len(text.split()) for text in [query, *documents])
    return {
        "model": asked["model"],
        "results": sorted(results, key=lambda one: -one["relevance_score"]),
        "usage": {"total_tokens": tokens},
    }


answers = {"/v1/embeddings": embeddings, "/v1/rerank": rerank}


class Models(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A head and a body are two packets. The second one would wait 40 ms for the client.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = answers.get(self.path)
        body = json.dumps(answer(asked) if answer else {"error": {"message": "there is no such path"}}).encode()
        self.send_response(200 if answer else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Models).serve_forever()
