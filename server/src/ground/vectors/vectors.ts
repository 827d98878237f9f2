// Vectors of texts: 32-bit numbers, of length 1, so that their product is the cosine of their angle.

/** Undefined for one that has no direction: it is empty, all its numbers are 0, or one is no finite number. */
export function unitVector(values: readonly number[]): Float32Array | undefined {
  const length = Math.hypot(...values);
  return length > 0 && Number.isFinite(length) ? Float32Array.from(values, (one) => one / length) : undefined;
}

/** One after the other, in the order of bytes of every machine that the service runs on. */
export function bytesOf(vectors: readonly Float32Array[]): Buffer {
  return Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

/** The inverse of `bytesOf`, for vectors of one length. Throws for bytes that are no whole number of them. */
export function vectorsIn(bytes: Uint8Array, dimensions: number): Float32Array[] {
  const step = dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (!(step > 0) || bytes.length % step !== 0)
    throw new RangeError(`${bytes.length} bytes are no vectors of ${dimensions}`);
  // A copy begins at an address that fits 32-bit numbers.
  const all = new Float32Array(Uint8Array.from(bytes).buffer);
  return Array.from({ length: bytes.length / step }, (_, n) => all.subarray(n * dimensions, (n + 1) * dimensions));
}
