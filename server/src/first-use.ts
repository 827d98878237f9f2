/** Opens on first use and keeps what it opened; a failed attempt is made again by the next who asks. */
export function firstUse<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return async () => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
}
