// The thread of vector-search.ts. It keeps nothing between two questions, so a new one can take its place at any time.
import { parentPort } from 'node:worker_threads';
import { nearestRows, type Question } from './nearest-rows.ts';

parentPort?.on('message', (question: Question) => parentPort?.postMessage(nearestRows(question)));
parentPort?.postMessage('ready');
