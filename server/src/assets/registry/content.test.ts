import { expect, test } from 'vitest';
import { configOnly, contentDigest, sha256, type Content, type Pin } from './content.ts';

const digestOfText = (text: string) => `sha256:${sha256(text)}`;

test('an asset without files keeps its digest, because it has no base image', () => {
  const text = '{"base_image":"","config":{"a":1},"lock":"","manifest":[],"pins":[],"python":"","schema":1}';
  expect(contentDigest(configOnly({ a: 1 }, []))).toBe(digestOfText(text));
});

test('the digest says whether the base image is an id of an engine or a pin', () => {
  const content: Content = { ...configOnly({}, []), base_image: 'sha256:b', lock: 'x', python: '3.11.2' };
  const text = (schema: number) =>
    `{"base_image":"sha256:b","config":{},"lock":"x","manifest":[],"pins":[],"python":"3.11.2","schema":${schema}}`;
  expect(contentDigest(content)).toBe(digestOfText(text(1)));
  expect(contentDigest({ ...content, schema: 2 })).toBe(digestOfText(text(2)));
});

test('the digest covers of a pinned agent the reference and the id, and all of every other reference', () => {
  const agent: Pin = { ref: 'agents/a', asset_id: '1', version: '1.0.0', digest: 'sha256:a' };
  const tool: Pin = { ref: 'tools/a', asset_id: '2', version: '1.0.0', digest: 'sha256:t' };
  const digest = (...pins: Pin[]) => contentDigest(configOnly({}, pins));
  const pins = '[{"asset_id":"1","ref":"agents/a"}]';
  const text = `{"base_image":"","config":{},"lock":"","manifest":[],"pins":${pins},"python":"","schema":3}`;
  expect(digest(agent)).toBe(digestOfText(text));
  expect(digest({ ...agent, version: '2.0.0', digest: 'sha256:b' })).toBe(digest(agent));
  expect(digest({ ...agent, asset_id: '3' })).not.toBe(digest(agent));
  expect(digest({ ...agent, ref: 'agents/a@1.0.0' })).not.toBe(digest(agent));
  expect(digest(agent, { ...tool, digest: 'sha256:u' })).not.toBe(digest(agent, tool));
});

test('content that an earlier push stored keeps its digest, which covers the content of its agents', () => {
  const pins: Pin[] = [{ ref: 'agents/a', asset_id: '1', version: '1.0.0', digest: 'sha256:a' }];
  const stored: Content = { ...configOnly({}, pins), schema: 2 };
  const text = `{"base_image":"","config":{},"lock":"","manifest":[],"pins":[{"asset_id":"1","digest":"sha256:a","ref":"agents/a","version":"1.0.0"}],"python":"","schema":2}`;
  expect(contentDigest(stored)).toBe(digestOfText(text));
});
