// Every file that `svc` finds by its place beside the code, and does not import. A bundle or a package has them at other places, and only
// this file changes then.
import path from 'node:path';

const clone = path.join(import.meta.dirname, '../..');

export const places = {
  /** The program of the service. */
  server: path.join(clone, 'server/start.js'),
  /** A folder for each `<framework>-<template>`. */
  examples: path.join(clone, 'examples'),
  /** The stand-alone verifier of the audit log. */
  verifier: path.join(clone, 'verifier/verify.mjs'),
} as const;
