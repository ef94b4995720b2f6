// What a page comes to: looked at again and again, since nothing that was done shows at once.

const [everyMs, mostMs] = [100, 15_000];

/** Resolves with what `look` gives once it is so; fails with what it gave last where that takes too long. */
export const becomes = async <T>(
  look: () => Promise<T>,
  isSo: (value: T) => boolean,
): Promise<T> => {
  const deadline = performance.now() + mostMs;
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    if (performance.now() > deadline)
      throw new Error(`this did not become so: ${JSON.stringify(value)?.slice(0, 500)}`);
    await new Promise((wake) => setTimeout(wake, everyMs));
  }
};
